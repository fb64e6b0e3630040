import type { TimelineStep } from './timeline-step.ts';

/** A time in which neither a model nor a tool was at work. */
export interface IdleGap {
  readonly from: number;
  readonly to: number;
}

/** The times of a timeline: from when to when, and the long idle gaps in between. */
export interface TimeSpan {
  readonly start: number;
  readonly end: number;
  readonly gaps: readonly IdleGap[];
}

const longGap = 0.05;

/** The span of steps; idle gaps count from 5 % of the whole on. People who are waited for are idle time. */
export function getTimeSpan(steps: readonly TimelineStep[]): TimeSpan {
  const first = steps[0]?.start ?? 0;
  let [start, end] = [first, first];
  for (const step of steps) {
    start = Math.min(start, step.start);
    end = Math.max(end, step.end ?? step.start);
  }
  const least = (end - start) * longGap;
  const busy = steps.filter(({ kind }) => kind === 'model' || kind === 'tool').toSorted((a, b) => a.start - b.start);
  const gaps: IdleGap[] = [];
  let until = start;
  for (const { start: from, end: to = from } of busy) {
    if (from - until > least) gaps.push({ from: until, to: from });
    until = Math.max(until, to);
  }
  if (end - until > least) gaps.push({ from: until, to: end });
  return { start, end, gaps };
}

/** Returns a function that maps times to positions from 0 to `width`; each gap has `gapWidth`, however long it is. */
export function timeScale({ start, end, gaps }: TimeSpan, width: number, gapWidth: number): (time: number) => number {
  const idle = gaps.reduce((sum, { from, to }) => sum + to - from, 0);
  const busy = Math.max(1, end - start - idle);
  const perMs = Math.max(0, width - gaps.length * gapWidth) / busy;
  return time => {
    let [position, at] = [0, start];
    for (const { from, to } of gaps) {
      if (time <= from) break;
      position += (from - at) * perMs + gapWidth * Math.min(1, (time - from) / (to - from));
      at = to;
      if (time <= to) return position;
    }
    return position + Math.max(0, Math.min(time, end) - at) * perMs;
  };
}
