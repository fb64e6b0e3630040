import type { AgentEvent, EventOf } from '../../events/index.ts';
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
import type { ViewNode } from './view-node.ts';

/** Tokens of all branches, subagents included. */
export interface UsageTotal {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Absent when no cost was reported. */
  readonly cost?: number;
}

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
}

export interface ThreadReadingState {
  readonly seq: number;
  readonly conversation: Conversation;
  readonly relays: RelayBook;
  /** The runs that have no end. */
  readonly openRuns: readonly string[];
  readonly hasTasks: boolean;
  readonly usage: UsageTotal;
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
      usage: { inputTokens: 0, outputTokens: 0 },
    };
  },
  step: (state, event) => {
    if (event.seq !== undefined && event.seq <= state.seq) return state;
    const conversation = reduceConversation(state.conversation, event);
    return {
      seq: event.seq ?? state.seq,
      conversation,
      relays: relayBook.step(state.relays, event),
      openRuns: openRunsAfter(state, conversation, event),
      hasTasks: state.hasTasks || event.type === 'tasks',
      usage: event.type === 'usage' ? withUsage(state.usage, event) : state.usage,
    };
  },
  view: ({ seq, conversation, relays, openRuns, hasTasks, usage }) => {
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
      ...(tasks !== undefined && { tasks }),
    };
  },
};

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

function withUsage(total: UsageTotal, { inputTokens, outputTokens, cost }: EventOf<'usage'>): UsageTotal {
  const sum = cost === undefined ? total.cost : (total.cost ?? 0) + cost;
  return {
    inputTokens: total.inputTokens + inputTokens,
    outputTokens: total.outputTokens + outputTokens,
    ...(sum !== undefined && { cost: sum }),
  };
}
