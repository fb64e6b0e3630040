import type { LoggedEvent } from '../events/index.ts';
import { activeUpTo, type Conversation, createConversation, getMessage, reduceConversation } from '../graph/index.ts';
import type { EventLog } from '../log/index.ts';
import type { Message } from '../projections/message.ts';
import { projectMessages } from '../projections/project-messages.ts';
import { foldRun, type RelayState, type RunState } from '../projections/run-state.ts';
import { Decisions } from './decisions.ts';
import { threadEvents } from './thread-events.ts';

/** The conversation of a thread, from its log. */
export async function readConversation(log: EventLog, threadId: string): Promise<Conversation> {
  let conversation = createConversation();
  for await (const event of threadEvents(log, threadId)) conversation = reduceConversation(conversation, event);
  return conversation;
}

/** What a thread's log says about one run. */
export interface RunRecord {
  /** What the run was asked, with all before it on its branch; absent when nothing was asked. */
  readonly messages: readonly Message[] | undefined;
  /** Where the run stands; absent when it has no events yet. */
  readonly state: RunState | undefined;
  /** What people decided in other runs of the thread. */
  readonly decided: readonly RelayState[];
}

/** Reads a thread for a run that `parentId`, a user message, asks for; `visit` sees every event. */
export async function readRun(
  log: EventLog,
  { threadId, runId, parentId }: { threadId: string; runId: string; parentId: string },
  visit: (event: LoggedEvent) => void,
): Promise<RunRecord> {
  const own: LoggedEvent[] = [];
  const decided = new Decisions();
  let conversation = createConversation();
  for await (const event of threadEvents(log, threadId)) {
    visit(event);
    conversation = reduceConversation(conversation, event);
    if (event.runId === runId) own.push(event);
    else decided.take(event);
  }
  const asked = getMessage(conversation, parentId) !== undefined;
  return {
    messages: asked ? projectMessages(conversation, activeUpTo(conversation, parentId)) : undefined,
    state: own.length > 0 ? foldRun(own, runId) : undefined,
    decided: decided.all(),
  };
}
