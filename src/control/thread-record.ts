import { defined } from '../base/defined.ts';
import type { ConversationParams, RunParams } from '../agents/contract/run-params.ts';
import type { LoggedEvent } from '../events/vocabulary.ts';
import { type Conversation, createConversation, reduceConversation } from '../graph/conversation/conversation.ts';
import { getMessage } from '../graph/conversation/queries.ts';
import type { EventLog } from '../log/event-log.ts';
import { readEvents } from '../log/read-events.ts';
import { RunFamily, type RunState } from '../projections/run-state.ts';
import type { OpenRun } from './supervision/open-runs.ts';
import type { ThreadState } from './thread-memory.ts';

/** The conversation of a thread, from its log. */
export async function readConversation(log: EventLog, threadId: string): Promise<Conversation> {
  let conversation = createConversation();
  for await (const event of readEvents(log, threadId)) conversation = reduceConversation(conversation, event);
  return conversation;
}

/** What a run receives from its thread: its request with everything before it on the branch, and people's decisions. */
export interface RunInput {
  readonly run: Pick<RunParams, 'mode' | 'cwd'>;
  readonly conversation: ConversationParams;
}

/** What a run that answers a user message receives from its thread; undefined when there is no such message. */
export function runInputOf({ parentId, agentId }: OpenRun, threadState: ThreadState): RunInput | undefined {
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

/**
 * Where a run stands that a process left, with the runs it started; undefined when it has no events. Imported events are
 * not read: whatever ids they use, they are no part of it.
 */
export async function readRun(
  log: EventLog,
  { threadId, runId }: { threadId: string; runId: string },
  visit: (event: LoggedEvent) => void,
): Promise<RunState | undefined> {
  const family = new RunFamily(runId);
  const { importedSeq } = (await log.getThread(threadId)) ?? {};
  for await (const event of readEvents(log, threadId, importedSeq)) {
    visit(event);
    family.take(event);
  }
  const state = family.state();
  return state.events.length > 0 ? state : undefined;
}

/** The number of raw lines that a run has; its events name the first of them, so that only the rest is read. */
export async function countRawLines(log: EventLog, threadId: string, { runId, events }: RunState): Promise<number> {
  let count = events.reduce((most, { line = 0 }) => Math.max(most, line), 0);
  for (;;) {
    const lines = await log.readRaw(threadId, runId, { after: count, limit: 1_000 });
    const last = lines.at(-1);
    if (last === undefined) return count;
    count = last.n;
  }
}
