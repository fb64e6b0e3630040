import { listOpenRuns } from '../control/supervision/open-runs.ts';
import type { EventLog, Thread } from '../log/event-log.ts';
import { readEvents } from '../log/read-events.ts';
import { flowEncoder } from '../protocols/flow/flow-encoder.ts';
import type { FlowEvent } from '../protocols/flow/flow-event.ts';
import { readRequests } from './requests.ts';
import type { RelayBooks, ThreadRelay } from '../control/conversations/relay-books.ts';
import { SingletreeError } from '../base/singletree-error.ts';
import { defined } from '../base/defined.ts';
import type { RelayAnswer } from '../agents/contract/host.ts';
import type { EventOf } from '../events/vocabulary.ts';

/** A pending approval: the data of its `approval-required` event. */
export type PendingApproval = Extract<FlowEvent, { type: 'approval-required' }>['data'];

interface Sources {
  readonly log: EventLog;
  readonly books: RelayBooks;
}

/** Returns the pending approvals of a thread, oldest first, whether its run is active or waits to be recovered. */
export async function listPendingApprovals({ log, books }: Sources, thread: Thread): Promise<PendingApproval[]> {
  const { id: threadId, resourceId } = thread;
  const runs = listOpenRuns(thread);
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

/** How many of the most recently changed threads are searched for a relay that is no longer pending. */
const searchedThreads = 50;

/**
 * Finds a relay in the threads in which one is open, else in those that changed last. Throws `relay_foreign` for one of
 * another resource, and `relay_not_found`.
 */
export async function findRelay(
  sources: Sources,
  { id, resourceId }: { readonly id: string; readonly resourceId: string },
): Promise<ThreadRelay> {
  const details = { relayId: id };
  const found = (await sources.books.find(id)) ?? (await findClosed(sources, id));
  if (found === undefined)
    throw new SingletreeError('relay_not_found', `Nobody asked for the approval "${id}".`, { details });
  if (found.thread.resourceId !== resourceId)
    throw new SingletreeError('relay_foreign', `The approval "${id}" is not one of "${resourceId}".`, { details });
  return found;
}

async function findClosed({ log, books }: Sources, id: string): Promise<ThreadRelay | undefined> {
  for (const thread of await log.listThreads({ limit: searchedThreads })) {
    const entry = (await books.of(thread)).get(id);
    if (entry !== undefined) return { thread, entry };
  }
  return undefined;
}

/** The decision of a person. */
export type ApprovalOutcomeName = 'approve' | 'reject' | 'revise';

/** The optional details of a decision. */
export interface ApprovalAnswer {
  /** Words for the agent. */
  readonly feedback?: string;
  /**
   * The changes: for a tool the arguments that replace those of the call, for a plan any value that the agent
   * understands.
   */
  readonly partial?: unknown;
  /** The answer to a question, which is approved with it. */
  readonly answer?: string | string[];
}

/** Returns the decision in the form of the log; throws `invalid_argument` for a detail that has no effect on it. */
export function toAnswer(
  relay: EventOf<'relay'>,
  outcome: ApprovalOutcomeName,
  { feedback, partial, answer }: ApprovalAnswer,
): Omit<RelayAnswer, 'relayId'> {
  if (partial !== undefined && outcome !== 'revise') throw misplaced('partial', 'revise');
  if (answer !== undefined && outcome !== 'approve') throw misplaced('answer', 'approve');
  const input = relay.relayKind === 'permission' && isRecord(partial) ? { ...relay.params, ...partial } : partial;
  return {
    outcome: answer === undefined ? outcome : 'answer',
    ...defined({ feedback, input, answer }),
  };
}

function misplaced(field: string, outcome: ApprovalOutcomeName): SingletreeError {
  return new SingletreeError('invalid_argument', `\`${field}\` goes with "${outcome}" only: leave it out.`);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
