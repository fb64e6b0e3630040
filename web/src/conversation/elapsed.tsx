import { useEffect, useState } from 'react';
import { durationText } from './call-summary.ts';

/** The time since a moment, counted in seconds; silent for screen readers. */
export function Elapsed({ since }: { since: string }) {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  const passed = now - Date.parse(since);
  return passed < 1_000 ? null : <span aria-hidden="true">{durationText(since, now)}</span>;
}
