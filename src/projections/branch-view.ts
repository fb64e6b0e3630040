import type { LoggedEvent } from '../events/index.ts';
import {
  changeOf,
  type Conversation,
  type ConversationMessage,
  createConversation,
  defaultActive,
  getMessage,
  getRun,
  getSiblings,
  reduceConversation,
} from '../graph/index.ts';
import { outermost, ownerOf } from './branch-view-owner.ts';
import { GrowingMap } from './branch-view-storage.ts';
import { type ThreadViewState, threadView } from './thread-view.ts';
import type { UserItem } from './thread-view-item.ts';
import type { Entry, ThreadView } from './thread-view-tree.ts';

/** A message and its alternatives, in the order in which they came. */
export interface Siblings {
  readonly ids: readonly string[];
  /** Which of them is shown. */
  readonly index: number;
}

/** Where an entry stands in the conversation. */
interface Versioned {
  /** The id of its message; absent when it is inside of another one. */
  readonly messageId?: string;
  /** Present when there is more than one. */
  readonly siblings?: Siblings;
}

type RunEntry = Extract<Entry, { kind: 'run' }>;

export type BranchEntry =
  | Exclude<Entry, UserItem | RunEntry>
  | (UserItem & Versioned)
  | (RunEntry &
      Versioned & {
        /** The message of a person that it answers: it can be tried again. */
        readonly answers?: string;
      });

export type BranchView = Omit<ThreadView, 'entries'> & { readonly entries: readonly BranchEntry[] };

interface Kept {
  readonly event: LoggedEvent;
  readonly owner: string | undefined;
}

/** What the fold keeps. Every step returns a new state and leaves the old one as it is. */
export interface BranchViewState {
  readonly conversation: Conversation;
  /** Every event, by its seq. */
  readonly kept: GrowingMap<number, Kept>;
  /** The ids of the messages of the active branch. */
  readonly branch: GrowingMap<string, true>;
  /** The last of them. */
  readonly tip: string | undefined;
  /** How many messages there are on all branches. */
  readonly messages: number;
  /** Whether a run names a cause that nobody has seen: a later call may take it off its branch. */
  readonly waits: boolean;
  readonly thread: ThreadViewState;
}

/** The active branch of a conversation as a person reads it; what was used is that of all branches. */
export const branchView: {
  readonly initial: BranchViewState;
  /** Takes in the next event. Only one that makes another branch the active one costs more than itself. */
  readonly step: (state: BranchViewState, event: LoggedEvent) => BranchViewState;
  readonly view: (state: BranchViewState) => BranchView;
} = {
  get initial() {
    return {
      conversation: createConversation(),
      kept: GrowingMap.of<number, Kept>([]),
      branch: GrowingMap.of<string, true>([]),
      tip: undefined,
      messages: 0,
      waits: false,
      thread: threadView.initial,
    };
  },
  step: (state, event) => {
    if (event.seq <= state.thread.seq) return state;
    const conversation = reduceConversation(state.conversation, event);
    const owner = ownerOf(event, state, conversation);
    const message = owner === undefined ? undefined : getMessage(conversation, owner);
    const added = message?.order === state.messages ? message : undefined;
    const next = {
      ...state,
      conversation,
      kept: state.kept.with(event.seq, { event, owner }),
      messages: state.messages + (added ? 1 : 0),
      waits: state.waits || (added !== undefined && mayMove(conversation, added, event)),
    };
    if (switches(state, next, { event, added })) return onActiveBranch(next, event.seq);
    return withEvent(added && follows(state, added) ? extended(next, added.id) : next, { event, owner });
  },
  view: state => {
    const view = threadView.view(state.thread);
    return { ...view, entries: view.entries.map(entry => versioned(state, entry)) };
  },
};

/** Whether a run stands on a branch only until the call that it names is seen. */
function mayMove(conversation: Conversation, { spawnedBy, role }: ConversationMessage, { parentId }: LoggedEvent) {
  if (role !== 'assistant' || spawnedBy !== undefined || parentId === undefined) return false;
  const cause = getMessage(conversation, parentId);
  return cause?.role !== 'user' || cause.id !== parentId;
}

/** Whether an event makes another branch the active one, or moves runs between branches. */
function switches(
  before: BranchViewState,
  after: BranchViewState,
  { event, added }: { event: LoggedEvent; added: ConversationMessage | undefined },
): boolean {
  const takesRuns = before.waits && (event.type === 'tool_call' || event.type === 'repl_input');
  if (takesRuns && defaultActive(before.conversation) !== defaultActive(after.conversation)) return true;
  const branches = added !== undefined && added.spawnedBy === undefined && !follows(before, added);
  if (!branches && event.type !== 'branch_selected') return false;
  return defaultActive(after.conversation).messages.at(-1) !== before.tip;
}

/** Whether a message goes on with the active branch. */
function follows({ tip }: BranchViewState, { spawnedBy, parentMessageId }: ConversationMessage): boolean {
  return spawnedBy === undefined && parentMessageId === tip;
}

function extended(state: BranchViewState, messageId: string): BranchViewState {
  return { ...state, branch: state.branch.with(messageId, true), tip: messageId };
}

/** The state with the thread as it is on the branch that is active now. */
function onActiveBranch(state: BranchViewState, seq: number): BranchViewState {
  const { messages } = defaultActive(state.conversation);
  const branch = GrowingMap.of(messages.map(id => [id, true] as const));
  let thread = threadView.initial;
  for (const kept of state.kept.values())
    if (isShown(state.conversation, branch, kept)) thread = threadView.step(thread, kept.event);
  return { ...state, branch, tip: messages.at(-1), thread: { ...thread, seq } };
}

function withEvent(state: BranchViewState, kept: Kept): BranchViewState {
  const shown = isShown(state.conversation, state.branch, kept);
  const thread = shown ? threadView.step(state.thread, kept.event) : { ...state.thread, seq: kept.event.seq };
  return { ...state, thread };
}

function isShown(conversation: Conversation, branch: BranchViewState['branch'], { event, owner }: Kept): boolean {
  if (event.type === 'usage' || owner === undefined) return true;
  return branch.get(outermost(conversation, owner) ?? owner) === true;
}

function versioned({ conversation, kept, branch }: BranchViewState, entry: Entry): BranchEntry {
  if (entry.kind !== 'user' && entry.kind !== 'run') return entry;
  const id = entry.kind === 'user' ? kept.get(entry.seq)?.owner : getRun(conversation, entry.run.runId)?.messageId;
  const message = id !== undefined && branch.get(id) ? getMessage(conversation, id) : undefined;
  if (message === undefined) return entry;
  const siblings = siblingsOf(conversation, message);
  const place = { messageId: message.id, ...(siblings.ids.length > 1 && { siblings }) };
  if (entry.kind === 'user') return message.role === 'user' ? { ...entry, ...place } : entry;
  if (message.runId !== entry.run.runId) return entry;
  const cause = entry.run.parentId === undefined ? undefined : getMessage(conversation, entry.run.parentId);
  return { ...entry, ...place, ...(cause?.role === 'user' && { answers: cause.id }) };
}

const known = new WeakMap<ConversationMessage, { readonly change: number; readonly siblings: Siblings }>();

/** The alternatives of a message: the same object as long as there are no others. */
function siblingsOf(conversation: Conversation, message: ConversationMessage): Siblings {
  const change = changeOf(conversation, 'followers', message.parentMessageId ?? '');
  const before = known.get(message);
  if (before?.change === change) return before.siblings;
  const ids = getSiblings(conversation, message);
  const siblings = { ids, index: ids.indexOf(message.id) };
  known.set(message, { change, siblings });
  return siblings;
}
