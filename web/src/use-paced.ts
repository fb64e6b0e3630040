import { useEffect, useRef, useState } from 'react';

/** A value that changes often, at most once in as many milliseconds as `pace` says; the last one always comes through. */
export function usePaced<T>(value: T, pace: () => number): T {
  const [shown, setShown] = useState(value);
  const newest = useRef(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);

  useEffect(() => {
    newest.current = value;
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      setShown(newest.current);
    }, pace());
  }, [value, pace]);

  useEffect(
    () => () => {
      clearTimeout(timer.current);
      timer.current = undefined;
    },
    [],
  );

  return shown;
}
