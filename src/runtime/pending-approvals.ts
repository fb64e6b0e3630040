import { openRunsOf } from '../control/supervision/open-runs.ts';
import { threadEvents } from '../control/thread-events.ts';
import type { EventLog, Thread } from '../log/index.ts';
import { flowEncoder, type FlowEvent } from '../protocols/index.ts';

/** What waits for a person: the data of its `approval-required` event. */
export type PendingApproval = Extract<FlowEvent, { type: 'approval-required' }>['data'];

/** What waits in a thread, oldest first, whether its run is under way or waits to be recovered. */
export async function pendingApprovalsOf(log: EventLog, thread: Thread, now: number): Promise<PendingApproval[]> {
  const { id: threadId, resourceId } = thread;
  const encoders = openRunsOf(thread).map(({ runId }) => flowEncoder({ runId, threadId, resourceId }));
  const pending = new Map<string, PendingApproval>();
  if (encoders.length === 0) return [];
  for await (const event of threadEvents(log, threadId))
    for (const told of encoders.flatMap(encoder => encoder.encode(event))) {
      if (told.type === 'approval-required') pending.set(told.data.id, told.data);
      if (told.type === 'approval-decision') pending.delete(told.data.id);
    }
  return [...pending.values()].filter(({ payload }) => !isOver(payload['expiresAt'], now));
}

/** Whether the time to answer is over. */
export function isOver(expiresAt: unknown, now: number): boolean {
  return typeof expiresAt === 'string' && Date.parse(expiresAt) <= now;
}
