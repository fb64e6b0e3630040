import { createContext, useContext, useEffect, useState } from 'react';
import { durationText } from '../../../src/projections/presentation/wording.ts';

/** The time that counts as now, in milliseconds, where a past moment is shown; the clock when absent. */
export const ShownTime = createContext<number | undefined>(undefined);

/** The time since a moment, counted in seconds; silent for screen readers. */
export function Elapsed({ since }: { since: string }) {
  const shown = useContext(ShownTime);
  const [clock, setClock] = useState(() => Date.now());
  useEffect(() => {
    if (shown !== undefined) return undefined;
    const timer = setInterval(() => setClock(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [shown]);
  const now = shown ?? clock;
  const passed = now - Date.parse(since);
  return passed < 1_000 ? null : <span aria-hidden="true">{durationText(passed)}</span>;
}
