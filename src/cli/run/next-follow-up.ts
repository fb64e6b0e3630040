import { followUpsOf, noFollowUp } from '../../server/follow-ups.ts';
import { defined } from '../../events/defined.ts';
import type { EventLog } from '../../log/index.ts';
import type { RunRequest } from './run-agent.ts';

/** A message that waited for the runs of its thread, and the conditions to start its run once. */
export interface NextFollowUp {
  readonly agent?: string;
  readonly model?: string;
  readonly mode?: string;
  readonly prompt: string;
  readonly start: NonNullable<RunRequest['start']>;
}

/** Returns the oldest message that waits in a thread; undefined when none does, or when it has more than text. */
export async function nextFollowUp(log: EventLog, threadId: string): Promise<NextFollowUp | undefined> {
  const thread = await log.getThread(threadId);
  const [first] = thread === undefined ? [] : followUpsOf(thread);
  if (thread === undefined || first === undefined || typeof first.message.content !== 'string') return undefined;
  const { content: prompt, agent, model, mode, by } = first.message;
  const { id } = first;
  const start = { id, metadata: noFollowUp(id), expectedSeq: thread.seq, ...defined({ by }) };
  return { prompt, start, ...defined({ agent, model, mode }) };
}
