import type { InvokeParams } from '../agents/agent.ts';
import type { LoggedEvent } from '../events/index.ts';
import { activeUpTo, type Conversation, createConversation, getMessage, reduceConversation } from '../graph/index.ts';
import type { EventLog } from '../log/index.ts';
import { plainMessages, projectMessages } from '../projections/project-messages.ts';
import { RunFamily, type RunState } from '../projections/run-state.ts';
import { Decisions } from './decisions.ts';
import type { OpenRun } from './open-runs.ts';
import { Sessions } from './sessions.ts';
import { threadEvents } from './thread-events.ts';

/** The conversation of a thread, from its log. */
export async function readConversation(log: EventLog, threadId: string): Promise<Conversation> {
  let conversation = createConversation();
  for await (const event of threadEvents(log, threadId)) conversation = reduceConversation(conversation, event);
  return conversation;
}

/** What a thread's log says about one run. */
export interface RunRecord {
  /** What the run is given of the thread; absent when nothing was asked. */
  readonly given: Given | undefined;
  /** Where the run stands, with the runs it started; absent when it has no events yet. */
  readonly state: RunState | undefined;
}

/** What a run is given of its thread: what it was asked with all before it on its branch, and what people decided. */
export type Given = Pick<InvokeParams, 'messages' | 'decided' | 'firstMessageId' | 'previousMessageId' | 'session'>;

/** Reads a thread for a run that a user message asks for; `visit` sees every event. */
export async function readRun(
  log: EventLog,
  threadId: string,
  { runId, parentId, agentId }: OpenRun,
  visit: (event: LoggedEvent) => void,
): Promise<RunRecord> {
  const family = new RunFamily(runId);
  const decided = new Decisions();
  const sessions = new Sessions();
  let conversation = createConversation();
  let isBegun = false;
  for await (const event of threadEvents(log, threadId)) {
    visit(event);
    conversation = reduceConversation(conversation, event);
    family.take(event);
    sessions.take(event);
    if (event.runId === runId) isBegun = true;
    else decided.take(event);
  }
  const state = isBegun ? family.state() : undefined;
  if (getMessage(conversation, parentId) === undefined) return { given: undefined, state };
  const active = activeUpTo(conversation, parentId);
  const session = sessions.for(conversation, agentId, parentId);
  const [firstMessageId] = active.messages;
  const previousMessageId = active.messages.at(-2);
  const messages = projectMessages(conversation, active);
  const isApart =
    previousMessageId !== undefined &&
    plainMessages(conversation, activeUpTo(conversation, previousMessageId)).length === messages.length - 1;
  const given = {
    messages,
    ...(isApart && { previousMessageId }),
    decided: decided.all(),
    ...(firstMessageId !== undefined && { firstMessageId }),
    ...(session !== undefined && { session }),
  };
  return { given, state };
}
