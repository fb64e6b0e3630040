import type { RunStatus } from '../../graph/conversation/record.ts';
import type { CallStatus } from '../reading/view-node.ts';

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

const endWords: Partial<Record<RunStatus, string>> = {
  aborted: 'Stopped',
  error: 'Ended by an error',
  timeout: 'Ended: it took too long',
  max_iterations: 'Ended: it reached its limit of steps',
  limit_reached: 'Ended: a limit of spending is reached',
  interrupted: 'Interrupted: the process that ran it ended',
};

/** Returns the sentence about the end of a run, and who stopped it; undefined when it succeeded or is running. */
export function presentEnd(status: RunStatus | undefined, by?: string): string | undefined {
  const words = status === undefined ? undefined : endWords[status];
  return words && `${words}${by === undefined ? '' : ` by ${by}`}.`;
}

/** Adds to a failure when the call is made again. */
export function announceRetry(failure: string, milliseconds: number): string {
  return `${failure} Trying again in ${secondsText(milliseconds + 999)}.`;
}

/** Returns what `announceRetry` was given: once the call was made again, or never will be, its time says nothing. */
export function withoutRetry(message: string): string {
  return message.replace(/ Trying again in [^.]+\.$/, '');
}

/** Returns a number with its noun, in the plural where it is not one. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** Formats a number of tokens, such as 1.2k. */
export function shortCount(count: number): string {
  return new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 }).format(count).toLowerCase();
}

const units: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
];

/** Formats a time in its largest unit, such as an age: `5 s`, `2 min`, `3 h`, `4 d`. */
export function ageText(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1_000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`;
  return seconds < 86_400 ? `${Math.floor(seconds / 3_600)} h` : `${Math.floor(seconds / 86_400)} d`;
}

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

/** Formats a moment of a person's day: `14:05` today, else `3 Nov, 14:05`, with the year when it is another one. */
export function momentText(iso: string, now: number): string {
  const [at, today] = [new Date(iso), new Date(now)];
  const isYear = at.getFullYear() === today.getFullYear();
  const day = { day: 'numeric', month: 'short', ...(!isYear && { year: 'numeric' }) } as const;
  const isToday = at.toDateString() === today.toDateString();
  const time = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
  return new Intl.DateTimeFormat('en-GB', isToday ? time : { ...day, ...time }).format(at);
}

/** Formats a value: text as it is, anything else as indented JSON. */
export function readable(value: unknown): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}

/** Formats a cost in dollars; very small ones as an upper bound. */
export function dollars(cost: number): string {
  if (cost > 0 && cost < 0.001) return '< $0.001';
  return `$${cost.toFixed(cost < 1 ? 3 : 2)}`;
}

/** Formats a duration: `850 ms`, `12.3 s`, `4 min 5 s`, `2 h 10 min`, `3 days`. */
export function durationText(milliseconds: number): string {
  if (milliseconds < 1_000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 60_000) return `${(milliseconds / 1_000).toFixed(1)} s`;
  const seconds = Math.round(milliseconds / 1_000);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.round(hours / 24)} days`;
}

/** Formats a time that passes, in whole seconds: `12 s`, `4 min 5 s`. */
export function secondsText(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1_000));
  return seconds < 60 ? `${seconds} s` : durationText(seconds * 1_000);
}

/** Formats the time between two moments; empty when one is not known. */
export function timeBetween(from: string | undefined, to: string | undefined): string {
  const ms = Date.parse(to ?? '') - Date.parse(from ?? '');
  return Number.isFinite(ms) && ms >= 0 ? durationText(ms) : '';
}

/** Formats the size of a text: its lines, or its characters when it is one line. */
export function sizeText(text: string, lines: number): string {
  if (text === '') return '';
  if (lines > 1) return `${lines.toLocaleString('en')} lines`;
  return text.length < 1_000 ? '' : `${Math.round(text.length / 1_000).toLocaleString('en')}k characters`;
}
