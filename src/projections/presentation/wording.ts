import type { RunStatus } from '../../graph/index.ts';
import type { CallStatus } from '../index.ts';

export type Tone = 'quiet' | 'busy' | 'ask' | 'good' | 'bad' | 'unsure';

/** The label and the appearance of a tool call's status. */
export const toolWording: Record<CallStatus, { label: string; tone: Tone }> = {
  preparing: { label: 'Writing…', tone: 'busy' },
  waiting: { label: 'Waiting for you', tone: 'ask' },
  running: { label: 'Running', tone: 'busy' },
  done: { label: 'Done', tone: 'good' },
  failed: { label: 'Failed', tone: 'bad' },
  denied: { label: 'Denied', tone: 'bad' },
  skipped: { label: 'Not run', tone: 'quiet' },
  unknown: { label: 'Outcome unknown', tone: 'unsure' },
};

/** Returns the notice at the end of a run; none when it succeeded or is running. */
export const endWording: Record<RunStatus, string | undefined> = {
  running: undefined,
  complete: undefined,
  aborted: 'Stopped.',
  error: 'Ended by an error.',
  timeout: 'Ended: it took too long.',
  max_iterations: 'Ended: it reached its limit of steps.',
  limit_reached: 'Ended: a limit of spending is reached.',
  interrupted: 'Interrupted: the process that ran it ended.',
};

/** Formats a number of tokens, such as 1.2k. */
export function shortCount(count: number): string {
  return new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 }).format(count).toLowerCase();
}

const units: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
];

/** Formats an age, such as "5 min. ago". */
export function timeAgo(iso: string, now: number): string {
  const passed = now - Date.parse(iso);
  const [unit, size] = units.find(([, ms]) => passed >= ms) ?? [];
  if (unit === undefined || size === undefined) return 'just now';
  return new Intl.RelativeTimeFormat('en', { style: 'short', numeric: 'auto' }).format(
    -Math.floor(passed / size),
    unit,
  );
}

/** Formats a value: text as it is, anything else as indented JSON. */
export function readable(value: unknown): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}

const descriptiveFields = [
  'command',
  'cmd',
  'pattern',
  'query',
  'path',
  'file_path',
  'file',
  'url',
  'task',
  'prompt',
  'description',
];

/** Returns the summary of a call: its most descriptive argument. */
export function gist(input: unknown): string {
  if (typeof input === 'string') return firstLine(input);
  if (typeof input !== 'object' || input === null) return '';
  const fields = input as Record<string, unknown>;
  const described = descriptiveFields.map(name => fields[name]).find(value => typeof value === 'string');
  const value = described ?? Object.values(fields).find(each => typeof each === 'string');
  return typeof value === 'string' ? firstLine(value) : '';
}

function firstLine(text: string): string {
  return text.trim().split('\n', 1)[0] ?? '';
}

/** Formats a cost in dollars; very small ones as an upper bound. */
export function dollars(cost: number): string {
  if (cost > 0 && cost < 0.001) return '< $0.001';
  return `$${cost.toFixed(cost < 1 ? 3 : 2)}`;
}
