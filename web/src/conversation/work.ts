import type { ToolPart, ViewNode, ViewPart } from '../../../src/projections/index.ts';

/** What an agent did before its answer. */
export interface Work {
  /** Everything before the answer. */
  readonly parts: ReadonlySet<ViewPart>;
  /** The parts that stay visible when the work is folded: failures, and words of people. */
  readonly kept: ReadonlySet<ViewPart>;
  /** In one line, such as "Worked for 3 min · 4 edits, 2 commands, 1 failed". */
  readonly summary: string;
}

/** Below this number of parts nothing is folded. */
const leastParts = 4;

/** Returns the work of a run that ended; undefined when there is too little to fold. */
export function workOf(node: ViewNode, isShown: (part: ViewPart) => boolean): Work | undefined {
  const parts = node.partList.slice(0, answerPlace(node)).filter(isShown);
  if (parts.length < leastParts) return undefined;
  return { parts: new Set(parts), kept: new Set(parts.filter(isKept)), summary: summaryOf(node, parts) };
}

/** Returns where the answer begins among the parts of a run: the texts at its end. */
export function answerPlace({ partList }: ViewNode): number {
  let place = partList.length;
  while (place > 0 && partList.at(place - 1)?.kind === 'text') place--;
  return place;
}

function isKept(part: ViewPart): boolean {
  if (part.kind === 'user') return true;
  if (part.kind === 'tool') return isFailed(part) || part.status === 'unknown';
  if (part.kind === 'repl') return part.output?.error !== undefined;
  return part.kind === 'fact' && (part.event.type === 'error' || part.event.type === 'tasks');
}

function isFailed({ status }: ToolPart): boolean {
  return status === 'failed' || status === 'denied';
}

const editing = /edit|write|patch|replace|create_file|file_change/i;
const commanding = /^(bash|shell|exec|run|command|terminal)|_command$|_shell$/i;

function summaryOf({ startedAt, endedAt }: ViewNode, parts: readonly ViewPart[]): string {
  const calls = parts.filter(part => part.kind === 'tool');
  const edits = calls.filter(({ name }) => editing.test(name)).length;
  const commands = calls.filter(({ name }) => !editing.test(name) && commanding.test(name)).length;
  const others = calls.length - edits - commands;
  const failed = calls.filter(isFailed).length;
  const ms = startedAt === undefined || endedAt === undefined ? 0 : Date.parse(endedAt) - Date.parse(startedAt);
  const counts = [
    counted(edits, 'edit'),
    counted(commands, 'command'),
    counted(others, edits + commands > 0 ? 'other call' : 'call'),
    failed > 0 ? `${failed} failed` : '',
  ].filter(text => text !== '');
  return [
    ms >= 1_000 ? `Worked for ${durationText(ms)}` : 'Worked',
    ...(counts.length > 0 ? [counts.join(', ')] : []),
  ].join(' · ');
}

function counted(count: number, noun: string): string {
  return count === 0 ? '' : `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** Formats a duration, such as "3 min" or "1 h 5 min". */
export function durationText(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  return minutes % 60 === 0 ? `${minutes / 60} h` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
