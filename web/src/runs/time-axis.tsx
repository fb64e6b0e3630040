import type { TimeSpan } from '../../../src/projections/timeline/time-scale.ts';
import { durationText } from '../../../src/projections/presentation/wording.ts';
import { clockText } from '../parts/time-wording.ts';

interface TimeAxisProps {
  readonly span: TimeSpan;
  readonly at: (time: number) => number;
}

/** The first and the last time in view, and how long the idle gaps between them were. */
export function TimeAxis({ span: { gaps }, at, from: start, to: end }: TimeAxisProps & { from: number; to: number }) {
  const seen = gaps.filter(({ from, to }) => at(to) > 0 && at(from) < 100);
  return (
    <div className="time-axis" aria-hidden="true">
      <span className="time-tick">{clockText(start)}</span>
      {seen.map(({ from, to }) => (
        <span
          key={from}
          className="time-gap-label"
          style={{ left: `${(at(from) + at(to)) / 2}%` }}
          title={`${durationText(to - from)} idle`}
        >
          {durationText(to - from)}
        </span>
      ))}
      <span className="time-tick">{clockText(end)}</span>
    </div>
  );
}

/** The marks of idle gaps, behind all rows. */
export function GapMarks({ span: { gaps }, at }: TimeAxisProps) {
  return (
    <div className="time-gaps" aria-hidden="true">
      {gaps.map(({ from, to }) => (
        <span key={from} style={{ left: `${at(from)}%`, width: `${at(to) - at(from)}%` }} />
      ))}
    </div>
  );
}
