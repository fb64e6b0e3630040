import type { AgentEvent } from '../../events/index.ts';
import { addUsage, noUsage, type UsageCounts } from '../../events/usage-sum.ts';
import {
  type Conversation,
  createConversation,
  defaultActive,
  getMessage,
  getRun,
  reduceConversation,
} from '../../graph/index.ts';
import type { Fold } from '../fold.ts';
import { type RelayBook, relayBook, type RelayEntry } from '../relay-book.ts';
import type { PagedList } from './paged-list.ts';
import { readBranch } from './project-thread.ts';
import { eventsOf, messagesOf, reachesBack, type ReadingSnapshot, snapshotAfter } from './reading-snapshot.ts';
import type { ViewNode } from './view-node.ts';

/** Tokens and cost of all branches, subagents included. */
export type UsageTotal = UsageCounts;

/** A thread as a person reads it. */
export interface ThreadReading {
  /** The newest event taken in. */
  readonly seq: number;
  /** The messages of the active branch. */
  readonly nodes: readonly ViewNode[];
  /** The same messages, for reading some of them without making the rest. */
  readonly nodeList: PagedList<ViewNode>;
  /** Where the newest list of tasks of the branch is: it takes the place of those before. */
  readonly tasks?: { readonly messageId: string; readonly partId: string };
  /** The runs that are under way and that no other run started, oldest first. */
  readonly running: readonly { readonly runId: string; readonly messageId: string }[];
  /** What waits for a person, oldest first. */
  readonly pending: readonly RelayEntry[];
  readonly usage: UsageTotal;
  /** How many of the messages are from before the snapshot that the reading began with: they have no parts. */
  readonly hidden: number;
  /** Whether something happened to what is before that snapshot: the reading must begin with an earlier one. */
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
  /** The newest snapshot: a reading that begins with it needs only the events after it. */
  readonly snapshot: ReadingSnapshot | undefined;
  /** The messages of the snapshot that the reading began with. */
  readonly hidden: readonly string[];
  readonly isOutdated: boolean;
}

/** The active branch of a thread as a person reads it, with what runs, what waits and what was used, as a fold. */
export const threadReading: Fold<ThreadReadingState, ThreadReading> = {
  get initial() {
    return {
      seq: 0,
      conversation: createConversation(),
      relays: relayBook.initial,
      openRuns: [],
      hasTasks: false,
      usage: noUsage,
      snapshot: undefined,
      hidden: [],
      isOutdated: false,
    };
  },
  step: (state, event) => {
    if (event.seq !== undefined && event.seq <= state.seq) return state;
    const conversation = reduceConversation(state.conversation, event);
    const next: ThreadReadingState = {
      seq: event.seq ?? state.seq,
      conversation,
      relays: relayBook.step(state.relays, event),
      openRuns: openRunsAfter(state, conversation, event),
      hasTasks: state.hasTasks || event.type === 'tasks',
      usage: event.type === 'usage' ? addUsage(state.usage, event) : state.usage,
      snapshot: state.snapshot,
      hidden: state.hidden,
      isOutdated: state.isOutdated || (state.hidden.length > 0 && reachesBack(state.conversation, state.hidden, event)),
    };
    const snapshot = snapshotAfter(next, event);
    return snapshot === undefined ? next : { ...next, snapshot };
  },
  view: ({ seq, conversation, relays, openRuns, hasTasks, usage, hidden, isOutdated }) => {
    const nodeList = readBranch(conversation, defaultActive(conversation));
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
      hidden: hidden.length,
      isOutdated,
      ...(tasks !== undefined && { tasks }),
    };
  },
};

/** The reading that begins with a snapshot: the events after it follow. */
export function readingFrom(snapshot: ReadingSnapshot): ThreadReadingState {
  const { seq, usage } = snapshot;
  const { initial } = threadReading;
  const conversation = eventsOf(snapshot).reduce(reduceConversation, initial.conversation);
  return { ...initial, seq, usage, conversation, snapshot, hidden: messagesOf(snapshot) };
}

function newestTasks(nodes: PagedList<ViewNode>): ThreadReading['tasks'] {
  return nodes.findLast(({ id: messageId, partList }) =>
    partList.findLast(part =>
      part.kind === 'fact' && part.event.type === 'tasks' ? { messageId, partId: part.id } : undefined,
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
