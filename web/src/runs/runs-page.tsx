import '../styles/runs.css';
import { type KeyboardEvent, type RefObject, useCallback, useEffect, useMemo, useRef } from 'react';
import { timeScale } from '../../../src/projections/timeline/time-scale.ts';
import type { TimelineStep } from '../../../src/projections/timeline/timeline-step.ts';
import type { ThreadViewProps } from '../app/thread-view-page.tsx';
import { HistoryNotice, HistoryState } from '../history/history-state.tsx';
import type { HistoryAnswer } from '../history/history-protocol.ts';
import { Inspector } from '../history/inspector.tsx';
import { useAnswer, useHistory } from '../history/use-history.ts';
import { durationText } from '../../../src/projections/presentation/wording.ts';
import { StepRow } from './step-row.tsx';
import { GapMarks, TimeAxis } from './time-axis.tsx';
import { inWindow, timeAt } from './time-window.ts';
import { useTimeZoom } from './use-time-zoom.ts';
import { useVisibleRows } from './use-visible-rows.ts';
import { ZoomButtons } from './zoom-buttons.tsx';

const rowHeight = 28;
const gapWidth = 3;
type TimelinePart = HistoryAnswer<'timeline'>;
const legend = { model: 'model', tool: 'tools', person: 'you' };

/** The timeline of a thread's runs, as rows with bars; a click opens the event. */
export function RunsPage({ client, address, open }: ThreadViewProps) {
  const { at } = address;
  const state = useHistory(address.threadId);
  const box = useRef<HTMLDivElement>(null);
  const visible = useVisibleRows(box, rowHeight);
  const { window: shown, onKey, zoom, isWhole } = useTimeZoom(box, '.step-lane');
  const part = useAnswer(state, 'timeline', visible);
  const selected = useAnswer(state, 'rowAt', at);
  const isEmpty = part === undefined || part.count === 0;
  const row = at === undefined ? undefined : selected;

  const whole = useMemo(() => {
    if (part === undefined) return undefined;
    const { span } = part;
    return timeScale(span, 100, Math.min(gapWidth, 40 / Math.max(1, span.gaps.length)));
  }, [part]);
  const scale = useMemo(() => whole && ((time: number) => inWindow(shown, whole(time))), [whole, shown]);

  useRowInView(box, { at, row, count: part?.count ?? 0 });
  const select = useCallback((step: TimelineStep) => open({ ...address, at: step.seq }, true), [open, address]);
  const onStepKey = useStepKeys({ row, count: part?.count, history: state.history, select });
  const onKeyDown = (event: KeyboardEvent) => {
    if (part === undefined || onKey(event) || onStepKey(event)) return;
    if (event.key === 'Enter' && at !== undefined) open({ section: 'thread', threadId: address.threadId, at });
  };

  return (
    <div className="with-inspector">
      <section className="runs" aria-label="Runs">
        <HistoryState status={state.status} isEmpty={isEmpty} empty="Nothing has run here." />
        {part && whole && scale && !isEmpty && (
          <div className="runs-head">
            <ul className="runs-legend" aria-label="Legend">
              {Object.entries(legend).map(([kind, name]) => (
                <li key={kind} data-kind={kind}>
                  {name}
                </li>
              ))}
            </ul>
            <span className="runs-sum">
              {part.count.toLocaleString('en')} steps in {durationText(part.span.end - part.span.start)}
            </span>
            <TimeAxis
              span={part.span}
              at={scale}
              from={timeAt(whole, part.span, shown.from)}
              to={timeAt(whole, part.span, shown.to)}
            />
            <ZoomButtons zoom={zoom} isWhole={isWhole} />
          </div>
        )}
        <HistoryNotice status={state.status} />
        <div
          className="runs-rows"
          ref={box}
          role="listbox"
          aria-label="Steps"
          tabIndex={0}
          aria-activedescendant={row === undefined ? undefined : `step-${row}`}
          onKeyDown={onKeyDown}
        >
          {part && scale && <StepRows part={part} scale={scale} row={row} select={select} />}
        </div>
      </section>
      {at !== undefined && <Inspector client={client} state={state} address={address} seq={at} open={open} />}
    </div>
  );
}

interface StepRowsProps {
  readonly part: TimelinePart;
  readonly scale: (time: number) => number;
  readonly row: number | undefined;
  readonly select: (step: TimelineStep) => void;
}

/** The rows in view, in the room that all would take. */
function StepRows({ part, scale, row, select }: StepRowsProps) {
  return (
    <div className="runs-all" role="presentation" style={{ height: `${part.count * rowHeight}px` }}>
      <GapMarks span={part.span} at={scale} />
      <div className="runs-shown" role="presentation" style={{ top: `${part.first * rowHeight}px` }}>
        {part.rows.map((step, index) => {
          const left = scale(step.start);
          return (
            <StepRow
              key={part.first + index}
              step={step}
              index={part.first + index}
              count={part.count}
              left={left}
              width={scale(step.end ?? part.span.end) - left}
              isSelected={part.first + index === row}
              onSelect={select}
            />
          );
        })}
      </div>
    </div>
  );
}

/** Shows the row of the address when it and enough of the list are known. */
function useRowInView(
  box: RefObject<HTMLDivElement | null>,
  { at, row, count }: { readonly at: number | undefined; readonly row: number | undefined; readonly count: number },
): void {
  const settled = useRef<string>(undefined);
  useEffect(() => {
    const element = box.current;
    const place = `${at} ${row}`;
    if (element === null || row === undefined || row < 0 || row >= count || settled.current === place) return;
    settled.current = place;
    const top = row * rowHeight;
    const isSeen = top >= element.scrollTop && top + rowHeight <= element.scrollTop + element.clientHeight;
    if (!isSeen) element.scrollTop = top - element.clientHeight / 2;
  }, [at, row, count]);
}

interface StepKeys {
  readonly row: number | undefined;
  /** The number of steps; undefined until it is known. */
  readonly count: number | undefined;
  readonly history: ReturnType<typeof useHistory>['history'];
  readonly select: (step: TimelineStep) => void;
}

/** Returns a key handler that moves through the steps; it returns false for any other key. */
function useStepKeys({ row, count, history, select }: StepKeys) {
  // Where the keys are: ahead of the selected row while the worker answers.
  const cursor = useRef(-1);
  useEffect(() => {
    if (row !== undefined) cursor.current = row;
  }, [row]);
  const move = async (first: number) => {
    const [step] = (await history?.ask('timeline', { first, count: 1 }))?.rows ?? [];
    if (step !== undefined) select(step);
  };
  return (event: KeyboardEvent): boolean => {
    if (count === undefined) return false;
    const from = cursor.current;
    const steps: Record<string, number> = {
      ArrowDown: from + 1,
      ArrowUp: from - 1,
      PageDown: from + 20,
      PageUp: from - 20,
      Home: 0,
      End: count - 1,
    };
    const to = steps[event.key];
    if (to === undefined) return false;
    event.preventDefault();
    cursor.current = Math.max(0, Math.min(count - 1, to));
    void move(cursor.current);
    return true;
  };
}
