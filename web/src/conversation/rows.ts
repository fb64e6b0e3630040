import { toNotice } from '../../../src/projections/reading/notice.ts';
import type { ThreadReading } from '../../../src/projections/reading/thread-reading.ts';
import type { ViewNode, ViewPart, UserPart } from '../../../src/projections/reading/view-node.ts';
import { isShownAsCall } from '../../../src/projections/presentation/present-call.ts';
import type { Folds } from './folds.ts';
import { type Work, findWork } from './work.ts';

interface Place {
  /** The same for the same content in every reading. */
  readonly key: string;
  /** The seq of its first event. */
  readonly seq: number;
  /** How many runs it is nested in below its message. */
  readonly depth: number;
}

interface OfNode extends Place {
  readonly node: ViewNode;
}

/** One row of the conversation: small, so that only a few have to be drawn. */
export type Row =
  | (Place & { readonly kind: 'edge'; readonly isLoading: boolean })
  | (OfNode & { readonly kind: 'user'; readonly part: UserPart })
  | (OfNode & { readonly kind: 'head'; readonly isOpen: boolean })
  | (OfNode & { readonly kind: 'work'; readonly work: Work; readonly isOpen: boolean })
  | (OfNode & { readonly kind: 'part'; readonly part: ViewPart; readonly isLive: boolean })
  | (OfNode & { readonly kind: 'memory' })
  | (OfNode & { readonly kind: 'end'; readonly isWorking: boolean });

/** The parts of a thread that determine its rows. */
export interface ShownThread extends Pick<ThreadReading, 'nodeList' | 'hidden' | 'cut' | 'tasks'> {
  readonly firstSeq: number;
  readonly hasEarlier: boolean;
  readonly hasLater: boolean;
}

/**
 * Returns the rows of the loaded messages, in the order in which they are read. `pinsTasks`: tasks that are not all done
 * are shown elsewhere.
 */
export function buildRows(thread: ShownThread, folds: Folds, { pinsTasks = false } = {}): readonly Row[] {
  const { nodeList, hidden, tasks, hasEarlier, hasLater, firstSeq } = thread;
  const tasksId = tasks === undefined || (pinsTasks && hasOpenTasks(tasks)) ? '' : tasks.partId;
  const rows: Row[] = [{ kind: 'edge', key: `from ${firstSeq}`, seq: 0, depth: 0, isLoading: hasEarlier }];
  for (const node of nodeList)
    if (!hidden.has(node.id)) for (const row of keptRows(node, thread, folds, tasksId)) rows.push(row);
  if (hasLater) rows.push({ kind: 'edge', key: 'later', seq: Number.MAX_SAFE_INTEGER, depth: 0, isLoading: true });
  return rows;
}

/** Whether some tasks are not done. */
export function hasOpenTasks({ list }: Pick<NonNullable<ThreadReading['tasks']>, 'list'>): boolean {
  return list.some(({ status }) => status !== 'completed');
}

const kept = new WeakMap<ViewNode, { readonly stamp: string; readonly rows: readonly Row[] }>();

/** The rows of a message, made only once as long as nothing about them changes. */
function keptRows(node: ViewNode, thread: ShownThread, folds: Folds, newestTasks: string): readonly Row[] {
  const { tasks, cut, hasLater, firstSeq } = thread;
  const tasksId = tasks?.messageId === node.id ? newestTasks : '';
  const stamp = `${folds.version} ${hasLater} ${cut.has(node.id) ? firstSeq : ''} ${tasksId}`;
  const before = kept.get(node);
  if (before?.stamp === stamp) return before.rows;
  const rows: Row[] = [];
  const context = { thread, folds, tasksId, rows };
  if (node.role === 'assistant') addRun(context, node, 0);
  else addMessage(context, node);
  kept.set(node, { stamp, rows });
  return rows;
}

interface Context {
  readonly thread: ShownThread;
  readonly folds: Folds;
  readonly tasksId: string;
  readonly rows: Row[];
}

/** A message of a person, or the events before the first message. */
function addMessage(context: Context, node: ViewNode): void {
  const message = node.role === 'user' ? node.partList.at(0) : undefined;
  for (const part of node.parts)
    if (part === message && part.kind === 'user')
      context.rows.push({
        kind: 'user',
        key: `message ${firstVersion(node)}`,
        seq: part.seq ?? 0,
        depth: 0,
        node,
        part,
      });
    else addPart(context, node, part, { depth: 0, isLive: false });
}

function addRun(context: Context, node: ViewNode, depth: number): void {
  const { thread, folds, rows, tasksId } = context;
  const { status = 'running', partList } = node;
  const isRunning = status === 'running';
  const isCut = thread.cut.has(node.id);
  const seq = partList.at(0)?.seq ?? 0;
  const version = depth === 0 ? firstVersion(node) : node.id;
  // The head of a run whose beginning is not loaded moves when more of it is loaded.
  const from = isCut ? ` ${thread.firstSeq}` : '';
  const isOpen = depth === 0 || folds.isOpen(node.id, isRunning);
  rows.push({ kind: 'head', key: `head ${version}${from}`, seq, depth, node, isOpen });
  if (!isOpen) return;
  const work = depth > 0 || isRunning ? undefined : findWork(node, part => isShown(part, tasksId));
  const isFolded = work !== undefined && !folds.isOpen(`work of ${node.id}`, isCut || folds.wasRunning(node.id));
  if (isRunning && depth === 0) folds.sawRunning(node.id);
  if (work !== undefined)
    rows.push({ kind: 'work', key: `work ${version}`, seq, depth, node, work, isOpen: !isFolded });
  const last = partList.at(-1);
  for (const part of partList) {
    if (isFolded && work.parts.has(part) && !work.kept.has(part)) continue;
    addPart(context, node, part, { depth, isLive: isRunning && part === last && !thread.hasLater });
  }
  const writes = last?.kind === 'text' || last?.kind === 'relay' || (last?.kind === 'tool' && last.status !== 'done');
  const isWorking = isRunning && !writes && !thread.hasLater;
  const hasEnd = depth === 0 || isWorking || (!isRunning && status !== 'complete');
  if (hasEnd) rows.push({ kind: 'end', key: `end ${version}`, seq: last?.seq ?? seq, depth, node, isWorking });
}

function addPart(context: Context, node: ViewNode, part: ViewPart, at: { depth: number; isLive: boolean }): void {
  const { depth, isLive } = at;
  const seq = part.seq ?? 0;
  if (part.kind !== 'run' && isShown(part, context.tasksId))
    context.rows.push({ kind: 'part', key: `part ${part.seq ?? part.id}`, seq, depth, node, part, isLive });
  if (part.kind !== 'tool' && part.kind !== 'repl' && part.kind !== 'run') return;
  for (const run of part.runs)
    if (run.memory === undefined) addRun(context, run, depth + 1);
    else if (run.memory !== 'title')
      context.rows.push({ kind: 'memory', key: `memory ${run.id}`, seq, depth, node: run });
}

/** Whether a part is drawn: calls that are no question, the newest list of tasks, and facts that a person reads. */
function isShown(part: ViewPart, tasksId: string): boolean {
  if (part.kind === 'tool') return isShownAsCall(part) || part.relays.length > 0;
  if (part.kind !== 'fact') return true;
  return part.event.type === 'tasks' ? part.id === tasksId : toNotice(part.event) !== undefined;
}

/** All versions of a message have one key: the focus stays when another one is shown. */
function firstVersion({ siblings }: ViewNode): string {
  return siblings.ids[0] ?? '';
}

/** Returns the place of the row that shows an event; -1 when there are no rows. */
export function rowAt(rows: readonly Row[], seq: number, partId?: string): number {
  const named = partId === undefined ? -1 : rows.findIndex(row => row.kind === 'part' && row.part.id === partId);
  if (named >= 0) return named;
  let best = -1;
  for (const [place, row] of rows.entries())
    if (row.kind !== 'edge' && row.kind !== 'end' && row.seq <= seq && row.seq >= (rows[best]?.seq ?? 0)) best = place;
  return best >= 0 ? best : Math.min(1, rows.length - 1);
}
