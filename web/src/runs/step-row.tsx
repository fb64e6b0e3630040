import { memo } from 'react';
import type { TimelineStep } from '../../../src/projections/timeline/timeline-step.ts';
import { sameFields } from '../parts/same-fields.ts';
import { durationText } from '../../../src/projections/presentation/wording.ts';

interface StepRowProps {
  readonly step: TimelineStep;
  readonly index: number;
  readonly count: number;
  /** Where its bar is, in percent. */
  readonly left: number;
  readonly width: number;
  readonly isSelected: boolean;
  readonly onSelect: (step: TimelineStep, index: number) => void;
}

const statusText: Record<TimelineStep['status'], string> = {
  running: 'running',
  done: '',
  failed: 'failed',
  denied: 'denied',
  stopped: 'stopped',
};

/** One row of the timeline: what it is, and when it was. */
export const StepRow = memo(function StepRow({ step, index, count, left, width, isSelected, onSelect }: StepRowProps) {
  const { kind, label, detail, depth, start, end, status } = step;
  const duration = end === undefined ? 'running' : end > start ? durationText(end - start) : '';
  return (
    <div
      className="step-row"
      role="option"
      id={`step-${index}`}
      aria-selected={isSelected}
      aria-posinset={index + 1}
      aria-setsize={count}
      data-kind={kind}
      data-status={status}
      onClick={() => onSelect(step, index)}
    >
      <span className="step-name" data-depth={Math.min(depth, 6)}>
        <span className="step-kind">{label}</span> <span className="step-detail">{detail}</span>
      </span>
      <span className="step-lane" aria-hidden="true">
        <span className="step-bar" style={{ left: `${left}%`, width: `${width}%` }} />
      </span>
      <span className="step-time">
        {statusText[status] !== '' && <span className="step-status">{statusText[status]} </span>}
        {duration !== statusText[status] && duration}
      </span>
    </div>
  );
}, sameFields);
