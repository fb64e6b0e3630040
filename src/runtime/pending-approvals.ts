import { openRunsOf } from '../control/supervision/open-runs.ts';
import type { EventLog, Thread } from '../log/event-log.ts';
import { readEvents } from '../log/read-events.ts';
import { flowEncoder } from '../protocols/flow/flow-encoder.ts';
import type { FlowEvent } from '../protocols/flow/flow-event.ts';
import { readRequests } from './requests.ts';
import type { RelayBooks } from '../control/supervision/relay-books.ts';

/** What waits for a person: the data of its `approval-required` event. */
export type PendingApproval = Extract<FlowEvent, { type: 'approval-required' }>['data'];

interface Sources {
  readonly log: EventLog;
  readonly books: RelayBooks;
}

/** Returns what waits in a thread, oldest first, whether its run is under way or waits to be recovered. */
export async function pendingApprovalsOf({ log, books }: Sources, thread: Thread): Promise<PendingApproval[]> {
  const { id: threadId, resourceId } = thread;
  const runs = openRunsOf(thread);
  const pending = runs.length === 0 ? [] : (await books.of(thread)).pending;
  const waiting = new Set(pending.map(({ id }) => id));
  if (waiting.size === 0) return [];
  const encoders = runs.map(({ runId }) => flowEncoder({ runId, threadId, resourceId }));
  const approvals = new Map<string, PendingApproval>();
  const first = (await readRequests(log, thread)).find(({ runId }) => runs.some(run => run.runId === runId));
  for await (const event of readEvents(log, threadId, (first?.startSeq ?? 1) - 1))
    for (const sent of encoders.flatMap(encoder => encoder.encode(event)))
      if (sent.type === 'approval-required' && waiting.has(sent.data.id)) approvals.set(sent.data.id, sent.data);
  return [...approvals.values()];
}
