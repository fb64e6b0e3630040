import type { AgentEvent, EventOf } from '../../events/vocabulary.ts';
import { addUsage, noUsage, type UsageCounts } from '../../events/usage-sum.ts';
import { type Active, activeUpTo, defaultActive } from '../../graph/conversation/active.ts';
import {
  type Conversation,
  createConversation,
  reduceConversation,
  reportStarts,
} from '../../graph/conversation/conversation.ts';
import { getMessage, getMessages, getRun, getTip } from '../../graph/conversation/queries.ts';
import type { Fold } from '../fold.ts';
import { type RelayBook, relayBook, type RelayEntry } from '../relay-book.ts';
import type { PagedList } from './paged-list.ts';
import { readBranch } from './project-thread.ts';
import {
  type Before,
  belongsBefore,
  nothingBefore,
  findOrigin,
  reachesBack,
  type ReadingSnapshot,
} from './reading-snapshot.ts';
import type { ViewNode } from './view-node.ts';

/** Tokens and cost of all branches, subagents included. */
export type UsageTotal = UsageCounts;

/** How full the context of a model was after a call, in tokens. */
export interface ContextUse {
  readonly tokens: number;
  readonly model?: string;
}

/** A thread as a person reads it. */
export interface ThreadReading {
  /** The seq of the newest applied event. */
  readonly seq: number;
  /** The messages of the active branch. */
  readonly nodes: readonly ViewNode[];
  /** The same messages, for reading some of them without making the rest. */
  readonly nodeList: PagedList<ViewNode>;
  /** The newest task list of the branch and its position; it replaces earlier ones. */
  readonly tasks?: {
    readonly messageId: string;
    readonly partId: string;
    readonly list: EventOf<'tasks'>['tasks'];
  };
  /** The runs that are under way and that no other run started, oldest first. */
  readonly running: readonly { readonly runId: string; readonly messageId: string }[];
  /** The pending relays, oldest first. */
  readonly pending: readonly RelayEntry[];
  readonly usage: UsageTotal;
  /** The reported context use of the newest model call in a top-level run. */
  readonly context?: ContextUse;
  /** The seq of the snapshot that the reading began with; 0 when it began with the first event. */
  readonly beganAt: number;
  /** The messages that ended before that snapshot: they have no parts. */
  readonly hidden: ReadonlySet<string>;
  /** The messages that began before that snapshot and continued after it: their earlier parts are missing. */
  readonly cut: ReadonlySet<string>;
  /** Whether a message before that snapshot changed: the reading must begin with an earlier snapshot. */
  readonly isOutdated: boolean;
}

export interface ThreadReadingState {
  readonly seq: number;
  readonly conversation: Conversation;
  readonly relays: RelayBook;
  /** The runs that have no end. */
  readonly openRuns: readonly string[];
  readonly hasTasks: boolean;
  readonly usage: UsageTotal;
  readonly context?: ContextUse | undefined;
  readonly before: Before;
  readonly isOutdated: boolean;
}

/** Events of a thread that follow each other. */
interface ThreadPart {
  readonly snapshot?: ReadingSnapshot;
  readonly events: readonly AgentEvent[];
}

/** Folds the active branch of a thread for display, with its active runs, pending relays and usage. */
export const threadReading: Fold<ThreadReadingState, ThreadReading> = {
  get initial() {
    return {
      seq: 0,
      conversation: createConversation(),
      relays: relayBook.initial,
      openRuns: [],
      hasTasks: false,
      usage: noUsage,
      before: nothingBefore,
      isOutdated: false,
    };
  },
  step: (state, event) => {
    if (event.seq !== undefined && event.seq <= state.seq) return state;
    const usage = event.type === 'usage' ? addUsage(state.usage, event) : state.usage;
    const seq = event.seq ?? state.seq;
    const { before } = state;
    if (belongsBefore(state, event)) {
      const gone = event.type === 'harness_start' ? new Set(before.gone).add(event.runId) : before.gone;
      return { ...state, seq, usage, before: { ...before, gone } };
    }
    const isUnplaced = before.seq > 0 && reachesBack(state, event);
    const origin = isUnplaced ? findOrigin(state, event) : undefined;
    const from = origin === undefined ? state.conversation : reduceConversation(state.conversation, origin);
    const conversation = reduceConversation(from, event);
    return {
      seq,
      conversation,
      relays: relayBook.step(state.relays, event),
      openRuns: openRunsAfter(state, conversation, event),
      hasTasks: state.hasTasks || event.type === 'tasks',
      usage,
      context: contextAfter(state, event),
      before: origin === undefined ? before : { ...before, hidden: new Set(before.hidden).add(`${origin.runId}:user`) },
      isOutdated: state.isOutdated || isUnplaced,
    };
  },
  view: state => buildView(state, defaultActive(state.conversation)),
};

/** The reading of the branch that ends with a message; of no messages when it is unknown. */
export function readingUpTo(state: ThreadReadingState, messageId: string): ThreadReading {
  const { conversation } = state;
  const isKnown = getMessage(conversation, messageId) !== undefined;
  return buildView(state, isKnown ? activeUpTo(conversation, messageId) : { messages: [], full: false });
}

function buildView(state: ThreadReadingState, active: Active): ThreadReading {
  const { seq, conversation, relays, openRuns, hasTasks, usage, context, before, isOutdated } = state;
  const nodeList = readBranch(conversation, active);
  const tasks = hasTasks ? newestTasks(nodeList) : undefined;
  const running = openRuns.flatMap(runId => {
    const messageId = getRun(conversation, runId)?.messageId ?? '';
    const message = getMessage(conversation, messageId);
    return message?.runId === runId && message.spawnedBy === undefined ? [{ runId, messageId }] : [];
  });
  return {
    seq,
    get nodes() {
      return nodeList.items;
    },
    nodeList,
    running,
    pending: relays.pending,
    usage,
    beganAt: before.seq,
    hidden: before.hidden,
    cut: before.cut,
    isOutdated,
    ...(tasks !== undefined && { tasks }),
    ...(context !== undefined && { context }),
  };
}

/** The reading that begins with a snapshot: the events after it follow. */
export function readingFrom(snapshot: ReadingSnapshot): ThreadReadingState {
  const { seq, usage, reporting, gone, events, isUncertain = false } = snapshot;
  const begun = events.reduce(threadReading.step, threadReading.initial);
  const conversation = reportStarts(begun.conversation, reporting);
  const messages = getMessages(conversation);
  const isOpen = (runId: string) => getRun(conversation, runId)?.status === 'running';
  const cut = messages.filter(({ role, runId }) => role === 'assistant' && isOpen(runId)).map(({ id }) => id);
  const hidden = messages.filter(({ id }) => !cut.includes(id)).map(({ id }) => id);
  const last = getTip(conversation)?.id;
  const before = { seq, hidden: new Set(hidden), cut: new Set(cut), last, gone: new Set(gone) };
  return { ...begun, seq, usage, conversation, before, isOutdated: isUncertain };
}

/** Reads a part of a thread: its events, and the snapshot before them unless they begin with the first one. */
export function readPart({ snapshot, events }: ThreadPart): ThreadReading {
  const start = snapshot === undefined ? threadReading.initial : readingFrom(snapshot);
  return threadReading.view(events.reduce(threadReading.step, start));
}

/** Only a usage that names its call is of one call: others are sums over a run. */
function contextAfter({ conversation, context }: ThreadReadingState, event: AgentEvent): ContextUse | undefined {
  if (event.type !== 'usage' || event.callId === undefined) return context;
  const run = getRun(conversation, event.runId);
  const cause = getMessage(conversation, run?.parentId ?? '');
  if (run === undefined || run.memory !== undefined || cause?.role !== 'user') return context;
  const { inputTokens, outputTokens, model } = event;
  return { tokens: inputTokens + outputTokens, ...(model !== undefined && { model }) };
}

function newestTasks(nodes: PagedList<ViewNode>): ThreadReading['tasks'] {
  return nodes.findLast(({ id: messageId, partList }) =>
    partList.findLast(part =>
      part.kind === 'fact' && part.event.type === 'tasks'
        ? { messageId, partId: part.id, list: part.event.tasks }
        : undefined,
    ),
  );
}

function openRunsAfter({ openRuns, conversation: before }: ThreadReadingState, after: Conversation, event: AgentEvent) {
  const { runId } = event;
  const run = getRun(after, runId);
  if (run !== undefined && run.status === 'running')
    return getRun(before, runId) === undefined ? [...openRuns, runId] : openRuns;
  return openRuns.includes(runId) ? openRuns.filter(id => id !== runId) : openRuns;
}
