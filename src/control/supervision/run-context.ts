import type { RunParams } from '../../agents/contract/run-params.ts';
import { defined } from '../../base/defined.ts';
import { errorText } from '../../base/error-text.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import type { Conversation } from '../../graph/conversation/conversation.ts';
import { getChunk } from '../../graph/conversation/queries.ts';
import type { EventLog, Thread } from '../../log/event-log.ts';
import type { OpenRun } from './open-runs.ts';

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
  /** What the caller passed for the run. */
  readonly context?: unknown;
}

/** What a run is launched with: where it belongs, its context, or how that is made. */
export interface LaunchOrigin {
  readonly origin: Pick<RunParams, 'threadId' | 'resourceId' | 'by' | 'context'>;
  /** Makes the context; absent when the caller passed it, or nobody makes one. Throws `context_missing` when that fails. */
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
