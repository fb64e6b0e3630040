import type { Operation } from '../../../src/projections/activity/activity.ts';
import { listOperations } from '../../../src/projections/activity/call-operations.ts';
import type { ToolPart, ViewNode, ViewPart } from '../../../src/projections/reading/view-node.ts';
import { timeBetween } from '../../../src/projections/presentation/wording.ts';

/** The steps of an agent before its answer. */
export interface Work {
  /** Everything before the answer. */
  readonly parts: ReadonlySet<ViewPart>;
  /** The parts that stay visible when the work is folded: failures, words of people, tasks and summaries. */
  readonly kept: ReadonlySet<ViewPart>;
  /** In one line, such as "Worked for 3 min 5 s · 4 edits, 2 commands, 1 failed". */
  readonly summary: string;
}

/** Below this number of parts nothing is folded. */
const leastParts = 4;

/** Returns the work of a run that ended; undefined when there is too little to fold. */
export function findWork(node: ViewNode, isShown: (part: ViewPart) => boolean): Work | undefined {
  const parts = node.partList.slice(0, answerPlace(node)).filter(isShown);
  if (parts.length < leastParts) return undefined;
  return { parts: new Set(parts), kept: new Set(parts.filter(isKept)), summary: formatSummary(node, parts) };
}

/** Returns where the answer begins among the parts of a run: the texts at its end. */
export function answerPlace({ partList }: ViewNode): number {
  let place = partList.length;
  while (place > 0 && partList.at(place - 1)?.kind === 'text') place--;
  return place;
}

const keptFacts: readonly string[] = ['error', 'tasks', 'summary'];

function isKept(part: ViewPart): boolean {
  if (part.kind === 'user') return true;
  if (part.kind === 'tool') return isFailed(part) || part.status === 'unknown';
  if (part.kind === 'repl') return part.output?.error !== undefined;
  return part.kind === 'fact' && keptFacts.includes(part.event.type);
}

function isFailed({ status }: ToolPart): boolean {
  return status === 'failed' || status === 'denied';
}

function formatSummary({ startedAt, endedAt }: ViewNode, parts: readonly ViewPart[]): string {
  const calls = parts.filter(part => part.kind === 'tool');
  const does = (type: Operation['type']) => calls.filter(call => listOperations(call)[0]?.type === type).length;
  const edits = does('write');
  const commands = does('command');
  const others = calls.length - edits - commands;
  const failed = calls.filter(isFailed).length;
  const time = timeBetween(startedAt, endedAt);
  const counts = [
    counted(edits, 'edit'),
    counted(commands, 'command'),
    counted(others, edits + commands > 0 ? 'other call' : 'call'),
    failed > 0 ? `${failed} failed` : '',
  ].filter(text => text !== '');
  return [
    time === '' || time.endsWith(' ms') ? 'Worked' : `Worked for ${time}`,
    ...(counts.length > 0 ? [counts.join(', ')] : []),
  ].join(' · ');
}

function counted(count: number, noun: string): string {
  return count === 0 ? '' : `${count} ${noun}${count === 1 ? '' : 's'}`;
}
