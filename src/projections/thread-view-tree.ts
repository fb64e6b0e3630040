import type { ToolOutput } from '../events/index.ts';
import type { Item, LooseItem, RelayItem, ReplItem, Run, ToolItem, UsageTotal } from './thread-view-item.ts';
import type { ThreadViewState } from './thread-view.ts';

/** Where a tool call stands; `unknown` means it was started and nobody knows how it ended. */
export type ToolStatus = 'preparing' | 'waiting' | 'running' | 'done' | 'failed' | 'denied' | 'skipped' | 'unknown';

/** Where a relay stands; `closed` means that its run ended first. */
export type RelayStatus = 'pending' | 'answered' | 'closed';

export type RelayView = RelayItem & { readonly status: RelayStatus };

export type ToolView = Omit<ToolItem, 'relay'> & {
  readonly status: ToolStatus;
  readonly relay?: RelayView;
  /** The runs it started, in order. */
  readonly runs: readonly RunView[];
};

export type ReplView = ReplItem & {
  /** The runs its code started, in order. */
  readonly runs: readonly RunView[];
};

export type ItemView = Exclude<Item, ToolItem | RelayItem | ReplItem> | ToolView | RelayView | ReplView;

export type RunView = Omit<Run, 'items'> & { readonly items: readonly ItemView[] };

/** One entry of the conversation: a message or a line, or a run with all it did. */
export type Entry = LooseItem | { readonly kind: 'run'; readonly seq: number; readonly run: RunView };

export interface ThreadView {
  readonly seq: number;
  readonly entries: readonly Entry[];
  /** The runs under way that no other run started. */
  readonly running: readonly RunView[];
  /** What waits for a person, oldest first. */
  readonly pending: readonly RelayView[];
  readonly usage: UsageTotal;
}

/** The view of a state. Parts that did not change are the same objects in the views of successive states. */
export function viewOf(state: ThreadViewState): ThreadView {
  const children = childRuns(state.runs);
  const nested = new Set([...children.values()].flat());
  const roots = state.runs.filter(run => !nested.has(run)).map(run => viewRun(run, children));
  const entries: Entry[] = [...state.loose, ...roots.map(run => ({ kind: 'run', seq: run.seq, run }) as const)];
  return {
    seq: state.seq,
    entries: entries.toSorted((a, b) => a.seq - b.seq),
    running: roots.filter(run => run.status === 'running'),
    pending: roots.flatMap(pendingIn).toSorted((a, b) => a.seq - b.seq),
    usage: state.usage,
  };
}

type Children = ReadonlyMap<string, readonly Run[]>;

/** Runs by the call or the execution that started them; a run whose cause is none of another, earlier run stands alone. */
function childRuns(runs: readonly Run[]): Children {
  const caused = runs.filter(run => run.parentId !== undefined);
  if (caused.length === 0) return new Map();
  const callers = new Map<string, Run>();
  for (const run of runs)
    for (const item of run.items)
      if ((item.kind === 'tool' || item.kind === 'repl') && !callers.has(item.id)) callers.set(item.id, run);
  const children = new Map<string, Run[]>();
  for (const run of caused) {
    const caller = callers.get(run.parentId as string);
    if (caller === undefined || caller.seq >= run.seq) continue;
    const siblings = children.get(run.parentId as string);
    if (siblings) siblings.push(run);
    else children.set(run.parentId as string, [run]);
  }
  return children;
}

const runViews = new WeakMap<Run, RunView>();
const itemViews = new WeakMap<Item, ItemView>();

function viewRun(run: Run, children: Children): RunView {
  const items = run.items.map(item => viewItem(item, run, children));
  const before = runViews.get(run);
  if (before && items.every((item, index) => item === before.items[index])) return before;
  const view = { ...run, items };
  runViews.set(run, view);
  return view;
}

function viewItem(item: Item, run: Run, children: Children): ItemView {
  if (item.kind !== 'tool' && item.kind !== 'relay' && item.kind !== 'repl') return item;
  const view =
    item.kind === 'relay'
      ? viewRelay(item, run)
      : item.kind === 'repl'
        ? { ...item, runs: startedBy(item.id, children) }
        : viewTool(item, run, children);
  const before = itemViews.get(item);
  if (before && sameView(before, view)) return before;
  itemViews.set(item, view);
  return view;
}

function viewTool({ relay, ...item }: ToolItem, run: Run, children: Children): ToolView {
  return {
    ...item,
    status: toolStatus({ ...item, ...(relay && { relay }) }, run),
    ...(relay && { relay: viewRelay(relay, run) }),
    runs: startedBy(item.id, children),
  };
}

function startedBy(id: string, children: Children): readonly RunView[] {
  return (children.get(id) ?? []).map(child => viewRun(child, children));
}

function viewRelay(relay: RelayItem, run: Run): RelayView {
  return { ...relay, status: relay.resolved ? 'answered' : run.status === 'running' ? 'pending' : 'closed' };
}

function toolStatus(item: ToolItem, run: Run): ToolStatus {
  if (item.output) return outcomeOf(item.output);
  const refused = item.relay && item.relay.resolved?.outcome !== 'approve' && item.relay.resolved?.outcome !== 'revise';
  if (run.status !== 'running')
    return !item.started && (run.tellsStart || refused || !item.call) ? 'skipped' : 'unknown';
  if (item.relay && !item.relay.resolved) return 'waiting';
  return item.call ? 'running' : 'preparing';
}

function outcomeOf(output: ToolOutput): ToolStatus {
  if ('status' in output && output.status === 'denied') return 'denied';
  return 'error' in output ? 'failed' : 'done';
}

function sameView(a: ItemView, b: ItemView): boolean {
  if (a.kind === 'relay' && b.kind === 'relay') return a.status === b.status;
  if (a.kind === 'repl' && b.kind === 'repl') return sameRuns(a.runs, b.runs);
  if (a.kind !== 'tool' || b.kind !== 'tool') return false;
  return a.status === b.status && a.relay?.status === b.relay?.status && sameRuns(a.runs, b.runs);
}

function sameRuns(a: readonly RunView[], b: readonly RunView[]): boolean {
  return a.length === b.length && a.every((run, index) => run === b[index]);
}

function pendingIn(run: RunView): RelayView[] {
  return run.items.flatMap(item => {
    if (item.kind === 'relay') return item.status === 'pending' ? [item] : [];
    if (item.kind === 'repl') return item.runs.flatMap(pendingIn);
    if (item.kind !== 'tool') return [];
    return [...(item.relay?.status === 'pending' ? [item.relay] : []), ...item.runs.flatMap(pendingIn)];
  });
}
