import type { ConversationParams, RunParams } from '../../agents/contract/run-params.ts';
import { defined } from '../../base/defined.ts';
import { errorText } from '../../base/error-text.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import type { Conversation } from '../../graph/conversation/conversation.ts';
import { getChunk, getMessage } from '../../graph/conversation/queries.ts';
import type { EventLog, Thread } from '../../log/event-log.ts';
import type { OpenRun } from './open-runs.ts';
import type { Session } from '../../agents/contract/host.ts';
import type { ThreadState } from '../threads/thread-memory.ts';

/** The input of a run from its thread: its request with everything before it on the branch, and people's decisions. */
export interface RunInput {
  readonly run: Pick<RunParams, 'mode' | 'cwd'>;
  readonly conversation: ConversationParams;
}

/** Returns the input of a run that answers a user message; undefined for an unknown message. */
export function getRunInput({ parentId, agentId }: OpenRun, threadState: ThreadState): RunInput | undefined {
  const { conversation, branch, remembered, sessions, mode, tasks, folder } = threadState;
  if (getMessage(conversation, parentId) === undefined) return undefined;
  const messages = branch.upTo(conversation, parentId);
  const { firstMessageId, previousMessageId } = branch;
  const session = sessions.for(conversation, agentId, branch);
  return {
    run: defined({ mode, cwd: folder?.folder }),
    conversation: {
      messages,
      decided: remembered,
      ...(threadState.importedSeq !== undefined && { isImported: true }),
      ...defined({ previousMessageId, firstMessageId, session, tasks }),
    },
  };
}

/** The run that a context is made for. */
export interface ContextRequest {
  readonly thread: Thread;
  readonly run: OpenRun;
  /** The name of the author of the message that the run answers. */
  readonly by?: string;
}

/**
 * Makes the context of a run for which none was passed: a resumed one, the turn of a message that waited, a run of a
 * server. One that fails ends the run with `context_missing`.
 */
export type ContextOf = (request: ContextRequest) => unknown;

/** A run to find the origin of. */
interface OriginRequest {
  readonly threadId: string;
  readonly run: OpenRun;
  readonly conversation: Conversation;
  /** The context that the caller passed for the run. */
  readonly context?: unknown;
}

/** The origin of a run, with its context or how to make it. */
export interface LaunchOrigin {
  readonly origin: Pick<RunParams, 'threadId' | 'resourceId' | 'by' | 'context'>;
  /**
   * Makes the context; absent when the caller passed it or no `contextOf` is configured. Throws `context_missing` on
   * failure.
   */
  readonly makeContext?: () => Promise<unknown>;
}

/** Finds where a run belongs and who asked for it, in the log. */
export async function findOrigin(
  log: EventLog,
  contextOf: ContextOf | undefined,
  { threadId, run, conversation, context }: OriginRequest,
): Promise<LaunchOrigin> {
  const thread = await log.getThread(threadId);
  const message = getChunk(conversation, run.parentId)?.event;
  const author = message?.type === 'user' ? defined({ by: message.by }) : {};
  const origin = { threadId, ...author, ...defined({ resourceId: thread?.resourceId, context }) };
  if (context !== undefined || contextOf === undefined || thread === undefined) return { origin };
  const makeContext = async () => {
    try {
      return await contextOf({ thread, run, ...author });
    } catch (cause) {
      const message = `\`contextOf\` made no context for the run: ${errorText(cause)}`;
      throw new SingletreeError('context_missing', message, { cause });
    }
  };
  return { origin, makeContext };
}

/**
 * Returns how a thread can continue in a session that was last used at `seq`. A session from before the thread
 * branched off belongs to the parent thread: it is forked, or not used when the parent has newer events that it would
 * know.
 */
export async function ownSession(
  log: EventLog,
  threadId: string,
  { session, seq }: { readonly session: Session; readonly seq: number },
): Promise<Session | undefined> {
  for (let id = threadId; ; ) {
    const from = (await log.getThread(id))?.branchedFrom;
    if (from === undefined || seq > from.seq) return id === threadId ? session : { ...session, fork: true };
    const parent = await log.getThread(from.threadId);
    if (parent === undefined || parent.seq > from.seq) return undefined;
    id = parent.id;
  }
}
