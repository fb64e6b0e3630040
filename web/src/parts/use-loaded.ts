import { useCallback, useEffect, useState } from 'react';
import { errorText } from '../../../src/base/error-text.ts';

/** The state of a load: its value, its problem, or neither while loading. */
export interface Loaded<Value> {
  readonly value?: Value;
  readonly problem?: string;
  readonly reload: () => void;
}

/** Loads a value when it is shown and whenever `load` changes; the old value stays until the new one has arrived. */
export function useLoaded<Value>(load: () => Promise<Value>): Loaded<Value> {
  const [state, setState] = useState<Omit<Loaded<Value>, 'reload'>>({});
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    let isCurrent = true;
    load().then(
      value => isCurrent && setState({ value }),
      (error: unknown) =>
        isCurrent && setState(({ value }) => ({ ...(value && { value }), problem: errorText(error) })),
    );
    return () => void (isCurrent = false);
  }, [load, attempt]);
  const reload = useCallback(() => setAttempt(before => before + 1), []);
  return { ...state, reload };
}
