import type { RelayPart, ToolPart, ViewNode } from '../../projections/index.ts';
import { type Ink, type Line, span, type Span } from '../screen/styled-line.ts';
import { rowLines, rowText } from '../screen/terminal-text.ts';
import { diffRows } from './diff-lines.ts';
import { durationText } from './duration-text.ts';
import { fileChange } from './file-change.ts';
import { countLines, excerpt, outputText } from './output-excerpt.ts';
import type { TimeSpan } from './times.ts';
import { oneLine, type ToolPlace, type ToolWords, toolWords } from './tool-object.ts';

/** How many lines of a change and of an output are shown in a row; a failed call shows more. */
const most = { diff: 20, output: 5, failed: 12 };

/** A call, and what is known beside it. */
export interface ShownCall {
  readonly part: ToolPart;
  readonly place: ToolPlace;
  readonly time?: TimeSpan | undefined;
}

/** Whether a call has an outcome: nothing more comes of it. */
export function isSettled({ status }: ToolPart): boolean {
  return status !== 'preparing' && status !== 'waiting' && status !== 'running';
}

/** Whether a call did not run because of what became of its request, which is shown by itself. */
function isRefused({ status, relays }: ToolPart): boolean {
  const refused = status === 'denied' ? ['reject'] : status === 'failed' ? ['cancelled', 'expired'] : [];
  return relays.some(
    ({ relay, answer }) => relay.relayKind === 'permission' && refused.includes(answer?.outcome ?? ''),
  );
}

/** Whether a call is shown together with others like it. */
export function isGrouped({ part, place }: ShownCall): boolean {
  if (part.status !== 'done' || part.runs.length > 0) return false;
  const { kind } = toolWords(part, place);
  return kind === 'read' || kind === 'list';
}

/** Draws several calls of one kind as one line that names each object: `Read 3 files: a.ts, b.ts, c.ts`. */
export function groupLines(calls: readonly ShownCall[]): Line[] {
  const [first] = calls;
  if (first === undefined) return [];
  if (calls.length === 1) return [headLine(first)];
  const all = calls.map(({ part, place }) => toolWords(part, place));
  const noun = all[0]?.kind === 'list' ? 'folders' : 'files';
  const objects = [...new Set(all.map(({ object }) => object))];
  return [
    [span('• ', 'dim'), span(`${all[0]?.done} ${calls.length} ${noun}`, 'bold'), span(`: ${objects.join(', ')}`)],
  ];
}

/** Draws a call with its outcome. `isWhole` hides nothing. */
export function toolLines(call: ShownCall, width: number, isWhole = false): Line[] {
  const { part } = call;
  const outcome = isRefused(part) ? [] : outcomeLines(call, width, isWhole);
  return [headLine(call), ...part.runs.map(runLine), ...outcome, ...part.relays.flatMap(answerLines)];
}

function outcomeLines({ part, place }: ShownCall, width: number, isWhole: boolean): Line[] {
  const change = fileChange(part);
  const text = outputText(part.output);
  const limit = isWhole ? Number.POSITIVE_INFINITY : undefined;
  if (part.status === 'failed' || part.status === 'denied') return excerpt(text, limit ?? most.failed);
  if (change !== undefined) return diffRows(change, width, limit ?? most.diff);
  return isWhole || toolWords(part, place).kind === 'command' ? excerpt(text, limit ?? most.output) : [];
}

const marks: Readonly<Partial<Record<ToolPart['status'], readonly [string, Ink]>>> = {
  failed: ['✗ ', 'red'],
  denied: ['✗ ', 'yellow'],
  skipped: ['○ ', 'dim'],
  unknown: ['? ', 'yellow'],
};
const notes: Readonly<Partial<Record<ToolPart['status'], string>>> = {
  failed: 'failed',
  denied: 'denied',
  skipped: 'not run',
  unknown: 'outcome unknown',
};

function headLine({ part, place, time }: ShownCall): Line {
  const words = toolWords(part, place);
  const [mark, ink] = marks[part.status] ?? ['• ', 'dim'];
  const isUnrun = isRefused(part);
  const facts = [
    isUnrun && part.status === 'failed' ? notes.skipped : notes[part.status],
    ...sizeOf(part, words),
    time !== undefined && time.to > time.from ? durationText(time.to - time.from) : undefined,
  ];
  const shown = facts.filter(fact => fact !== undefined && fact !== '');
  const verbs: Partial<Record<ToolPart['status'], string>> = {
    done: words.done,
    failed: words.done,
    denied: words.toDo,
    skipped: 'Skipped',
  };
  const verb = isUnrun ? words.toDo : (verbs[part.status] ?? words.doing);
  return [
    span(mark, ink),
    span(verb, 'bold'),
    span(` ${words.object}`),
    ...(shown.length === 0 ? [] : [span(` · ${shown.join(' · ')}`, 'dim')]),
  ];
}

function sizeOf(part: ToolPart, { kind }: ToolWords): (string | undefined)[] {
  if (part.status !== 'done') return [];
  const change = fileChange(part);
  if (change !== undefined) return [`+${change.added} −${change.removed}`];
  const lines = countLines(outputText(part.output));
  if (kind === 'read' || kind === 'search' || kind === 'list') return [`${lines} ${lines === 1 ? 'line' : 'lines'}`];
  return [];
}

/** A subagent: its name, where it stands and its last words. */
function runLine({ agentId = 'agent', status, toolCalls, text }: ViewNode): Line {
  const calls = toolCalls.length === 0 ? '' : ` · ${toolCalls.length} calls`;
  const last = oneLine(text.trimEnd().split('\n').at(-1) ?? '', 100);
  return [
    span(`  ${rowText(agentId)}`, 'cyan'),
    span(` ${status ?? 'running'}${calls}${last === '' ? '' : ` · ${last}`}`, 'dim'),
  ];
}

/** What a person answered about a call. */
function answerLines({ relay, answer, status }: RelayPart): Line[] {
  if (status === 'pending') return [];
  const who = answer?.by === undefined ? '' : ` by ${rowText(answer.by)}`;
  const words = answer?.feedback === undefined ? '' : `: ${oneLine(answer.feedback)}`;
  if (relay.relayKind === 'question') {
    const given = answer?.answer === undefined ? 'no answer' : [answer.answer].flat().join(', ');
    return [[span('  → ', 'dim'), span(oneLine(given))]];
  }
  if (answer === undefined || answer.outcome === 'approve') return [];
  return [[span(`  → ${answer.outcome}${who}${words}`, 'dim')]];
}

/** Draws a call that is under way: its object, how long it takes, and the last lines that it printed. */
export function liveToolLines(call: ShownCall, now: number, most: number): Line[] {
  const { part, place, time } = call;
  if (isSettled(part)) return [headLine(call)];
  // What is asked about it is shown by itself.
  if (part.status === 'waiting') return [];
  const { doing, object } = toolWords(part, place);
  const seconds = time === undefined ? '' : ` · ${durationText(Math.max(0, now - time.from))}`;
  const named: Span[] =
    part.status === 'preparing' && part.input === undefined
      ? [span(`Preparing ${rowText(part.name)}`, 'bold'), span(` ${oneLine(part.inputText, 80)}`, 'dim')]
      : [span(doing, 'bold'), span(` ${object}`)];
  const lines: Line[] = [[span('◌ ', 'cyan'), ...named, span(seconds, 'dim')]];
  for (const run of part.runs) lines.push(runLine(run));
  const printed = rowLines(part.progress.map(progressText).join('').trimEnd()).filter(line => line !== '');
  if (most > 0) for (const line of printed.slice(-most)) lines.push([span(`  ${line.slice(0, 400)}`, 'dim')]);
  return lines;
}

/** What a report of a tool says: a text, or the text in it. */
function progressText(report: unknown): string {
  if (typeof report === 'string') return report;
  if (typeof report !== 'object' || report === null) return '';
  for (const name of ['text', 'output', 'content', 'message', 'chunk'] as const) {
    const value = (report as Record<string, unknown>)[name];
    if (typeof value === 'string') return value;
  }
  return '';
}
