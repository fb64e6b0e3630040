import { countLines } from '../../projections/presentation/shortened-text.ts';
import { outputView } from '../../projections/presentation/call-output.ts';
import type { ToolOutput } from '../../events/tools.ts';
import { rowLines, rowText } from '../../base/terminal-text.ts';
import type { RelayPart, ToolPart, ViewNode } from '../../projections/reading/view-node.ts';
import {
  type CallPlace,
  type CallPresentation,
  oneLine,
  presentCall,
} from '../../projections/presentation/present-call.ts';
import { presentAnswer } from '../../projections/presentation/present-relay.ts';
import { counted, durationText, toolWording } from '../../projections/presentation/wording.ts';
import { progressText } from '../../projections/reading/thread-tool.ts';
import { fileTarget, type Ink, lead, type Line, linked, span, type Span, verbatim } from '../screen/styled-line.ts';
import { callDiffs, countsText, diffRows } from './diff-lines.ts';
import type { TimeSpan } from './times.ts';

/** How much of calls is shown in the conversation; the transcript has all of it. */
export type Density = 'quiet' | 'normal' | 'full';

/** The most lines that a call shows: of a change, of an output, and of the output of a call that failed. */
interface DensityLimits {
  readonly diff: number;
  readonly output: number;
  readonly failed: number;
  /** How a person sees what is hidden, such as a key; nothing is said of it when absent. */
  readonly hint?: string | undefined;
}

/** The limits of each density. */
export const densities: Readonly<Record<Density, DensityLimits>> = {
  quiet: { diff: 0, output: 0, failed: 5 },
  normal: { diff: 20, output: 5, failed: 12 },
  full: { diff: 200, output: 200, failed: 200 },
};

/** Whether a text names a density. */
export function isDensity(text: string): text is Density {
  return Object.hasOwn(densities, text);
}

/** A call with the context for drawing it. */
export interface ShownCall {
  readonly part: ToolPart;
  readonly place: CallPlace;
  readonly time?: TimeSpan | undefined;
}

/** Whether a call has an outcome. */
export function isSettled({ status }: ToolPart): boolean {
  return status !== 'preparing' && status !== 'waiting' && status !== 'running';
}

/**
 * Whether a call did not run because its permission request was rejected, cancelled or expired; the request has its own
 * row.
 */
function isRefused({ status, relays }: ToolPart): boolean {
  const refused = status === 'denied' ? ['reject'] : status === 'failed' ? ['cancelled', 'expired'] : [];
  return relays.some(
    ({ relay, answer }) => relay.relayKind === 'permission' && refused.includes(answer?.outcome ?? ''),
  );
}

/** Whether a call is shown together with others like it. */
export function isGrouped({ part, place }: ShownCall): boolean {
  if (part.status !== 'done' || part.runs.length > 0) return false;
  const { kind } = presentCall(part, place);
  return kind === 'read' || kind === 'list';
}

/** Draws several calls of one kind as one line that names each object: `Read 3 files: a.ts, b.ts, c.ts`. */
export function groupLines(calls: readonly ShownCall[]): Line[] {
  const [first] = calls;
  if (first === undefined) return [];
  if (calls.length === 1) return [headLine(first)];
  const all = calls.map(({ part, place }) => presentCall(part, place));
  const noun = all[0]?.kind === 'list' ? 'folders' : 'files';
  const objects = new Map(all.map(({ object, path }) => [object, path]));
  const named = [...objects].flatMap(([object, path], at) => [
    span(at === 0 ? ': ' : ', '),
    linked(span(object), path === undefined ? undefined : fileTarget(first.place.cwd ?? '', path)),
  ]);
  return [[lead(span('• ', 'dim')), span(`${all[0]?.verb} ${calls.length} ${noun}`, 'bold'), ...named]];
}

/** Draws a call with its outcome; nothing is hidden without limits. */
export function toolLines(call: ShownCall, width: number, limits?: DensityLimits): Line[] {
  const { part } = call;
  const outcome = isRefused(part) ? [] : outcomeLines(call, width, limits);
  return [headLine(call), ...part.runs.map(runLine), ...outcome, ...part.relays.flatMap(answerLines)];
}

function outcomeLines({ part, place }: ShownCall, width: number, limits: DensityLimits | undefined): Line[] {
  const diffs = callDiffs(part, place.agentId);
  const text = outputText(part.output);
  const { diff, output, failed, hint } = limits ?? unlimited;
  if (part.status === 'failed' || part.status === 'denied') return excerpt(text, failed, hint);
  if (diffs.length > 0) return diff === 0 ? [] : diffRows(diffs, { width, most: diff, hint });
  if (presentCall(part, place).kind === 'command')
    return excerpt(text.replace(/\n?\[exit code 0\]$/, ''), output, hint);
  return limits === undefined ? excerpt(text, output) : [];
}

const unlimited: DensityLimits = {
  diff: Number.POSITIVE_INFINITY,
  output: Number.POSITIVE_INFINITY,
  failed: Number.POSITIVE_INFINITY,
};

const marks: Readonly<Partial<Record<ToolPart['status'], readonly [string, Ink]>>> = {
  failed: ['✗ ', 'red'],
  denied: ['✗ ', 'yellow'],
  skipped: ['○ ', 'dim'],
  unknown: ['? ', 'yellow'],
};
function headLine({ part, place, time }: ShownCall): Line {
  const isUnrun = isRefused(part);
  const call = presentCall(isUnrun ? { ...part, status: 'denied' } : part, place);
  const { verb, path, exitCode = 0 } = call;
  const [mark, ink] = marks[part.status] ?? (exitCode === 0 ? ['• ', 'dim'] : ['✗ ', 'red']);
  const { label } = toolWording[isUnrun && part.status === 'failed' ? 'skipped' : part.status];
  const facts = [
    part.status === 'done' ? undefined : label.toLowerCase(),
    exitCode === 0 ? undefined : `exit code ${exitCode}`,
    ...describeSize(part, place, call),
    time !== undefined && time.to > time.from ? durationText(time.to - time.from) : undefined,
  ];
  const shown = facts.filter(fact => fact !== undefined && fact !== '');
  return [
    lead(span(mark, ink)),
    span(verb, 'bold'),
    span(' '),
    linked(span(objectText(call)), path === undefined ? undefined : fileTarget(place.cwd ?? '', path)),
    ...(shown.length === 0 ? [] : [span(` · ${shown.join(' · ')}`, 'dim')]),
  ];
}

function describeSize(part: ToolPart, { agentId }: CallPlace, { kind }: CallPresentation): (string | undefined)[] {
  if (part.status !== 'done') return [];
  const diffs = callDiffs(part, agentId);
  if (diffs.length > 0) return [countsText(diffs)];
  const lines = countLines(outputText(part.output).replace(/\n+$/, ''));
  if (kind === 'read' || kind === 'search' || kind === 'list') return [counted(lines, 'line')];
  return [];
}

/** Draws a subagent: its name, its status and its last words. */
function runLine({ agentId = 'agent', status, toolCalls, text }: ViewNode): Line {
  const calls = toolCalls.length === 0 ? '' : ` · ${toolCalls.length} calls`;
  const last = oneLine(text.trimEnd().split('\n').at(-1) ?? '', 100);
  return [
    span(`  ${rowText(agentId)}`, 'cyan'),
    span(` ${status ?? 'running'}${calls}${last === '' ? '' : ` · ${last}`}`, 'dim'),
  ];
}

/** Draws the answer to a relay; an approval needs no line, because the call itself shows it. */
function answerLines(part: RelayPart): Line[] {
  if (part.status === 'pending' || part.answer?.outcome === 'approve') return [];
  return [[lead(span('  → ', 'dim')), span(oneLine(presentAnswer(part)), 'dim')]];
}

/** The object of a call; a command has the prompt of a shell before it. */
export function objectText({ kind, object }: Pick<CallPresentation, 'kind' | 'object'>): string {
  return kind === 'command' ? `$ ${object}` : object;
}

/** Draws a call that is under way: its object, how long it takes, and the last lines that it printed. */
export function liveToolLines(shown: ShownCall, now: number, most: number): Line[] {
  const { part, place, time } = shown;
  if (isSettled(part)) return [headLine(shown)];
  // What is asked about it is shown by itself.
  if (part.status === 'waiting') return [];
  const call = presentCall(part, place);
  const seconds = time === undefined ? '' : ` · ${durationText(Math.max(0, now - time.from))}`;
  const named: Span[] =
    part.status === 'preparing' && part.input === undefined
      ? [span(`Preparing ${rowText(part.name)}`, 'bold'), span(` ${oneLine(part.inputText, 80)}`, 'dim')]
      : [span(call.verb, 'bold'), span(` ${objectText(call)}`)];
  const lines: Line[] = [[span('◌ ', 'cyan'), ...named, span(seconds, 'dim')]];
  for (const run of part.runs) lines.push(runLine(run));
  const printed = rowLines(progressText(part.progress).trimEnd()).filter(line => line !== '');
  if (most > 0) for (const line of printed.slice(-most)) lines.push([span(`  ${line.slice(0, 400)}`, 'dim')]);
  return lines;
}

/** The longest line of an output that is shown whole. */
const mostColumns = 500;

/** Returns the text that a tool gave back, with a word for each image; empty when it has none. */
function outputText(output: ToolOutput | undefined): string {
  if (output === undefined) return '';
  const { text, images } = outputView(output);
  return [...(text === '' ? [] : [text]), ...images.map(() => '[image]')].join('\n');
}

/** Returns the first and the last lines of a text, and between them how many are hidden. */
export function excerpt(text: string, most: number, hint?: string): Line[] {
  const lines = rowLines(text.replace(/\n+$/, ''));
  if (lines.length === 1 && lines[0] === '') return [];
  if (lines.length <= most) return lines.map(shortened);
  const head = Math.max(0, Math.ceil((most - 1) / 2));
  const tail = Math.max(0, most - 1 - head);
  return [
    ...lines.slice(0, head).map(shortened),
    [span(`… ${lines.length - head - tail} lines hidden${hint === undefined ? '' : ` (${hint})`} …`, 'dim')],
    ...lines.slice(lines.length - tail).map(shortened),
  ];
}

/** A line with its middle left out when it is very long. */
function shortened(line: string): Line {
  if (line.length <= mostColumns) return verbatim([span(line, 'dim')]);
  const [head, tail] = [line.slice(0, 300), line.slice(-100)];
  return verbatim([span(head, 'dim'), span(` … ${line.length - 400} characters hidden … `, 'dim'), span(tail, 'dim')]);
}
