import type { RelayAnswer } from '../agents/agent.ts';
import { type AgentEvent, type EventOf, SingletreeError } from '../events/index.ts';
import type { EventLog } from '../log/index.ts';
import type { RelayBook, RelayClosing } from '../projections/relay-book.ts';
import type { ActiveThread } from './active-thread.ts';

/** Which answers each kind of relay takes. */
const outcomes: Record<EventOf<'relay'>['relayKind'], readonly RelayAnswer['outcome'][]> = {
  permission: ['approve', 'reject', 'revise'],
  plan: ['approve', 'reject', 'revise'],
  access: ['approve', 'reject'],
  question: ['answer', 'reject'],
  suspension: ['answer', 'approve', 'reject'],
};

/** A relay, with what the log of its thread says about all of them. */
interface RelayPlace {
  readonly threadId: string;
  readonly relayId: string;
  readonly relays: RelayBook;
}

/** Appends the answer to a relay, from whatever process; the first answer wins. */
export async function answerRelay(
  log: EventLog,
  { threadId, relayId, relays }: RelayPlace,
  answer: Omit<RelayAnswer, 'relayId'>,
): Promise<void> {
  const entry = relays.get(relayId);
  if (entry === undefined)
    throw new SingletreeError('relay_not_found', `Nobody asked "${relayId}" in the thread "${threadId}".`, {
      details: { threadId, relayId },
    });
  if (entry.status !== 'pending') throw alreadyResolved(relayId, entry.reason);
  const { relay } = entry;
  checkAnswer(relay, answer);
  const event: AgentEvent = { ...answer, type: 'relay_resolved', runId: relay.runId, relayId };
  try {
    await log.append(threadId, [event], { once: answerKey(relayId) });
  } catch (error) {
    if (SingletreeError.is(error, 'once_conflict')) throw alreadyResolved(relayId, undefined, error);
    throw error;
  }
}

/** Cancels the relays of a run that nobody answered. */
export async function cancelRelays(thread: ActiveThread, runId: string): Promise<void> {
  const pending = thread.inbox.pendingOf(runId);
  if (pending.length > 0) await thread.writer.flush();
  for (const { id } of pending)
    try {
      const cancelled: AgentEvent = { type: 'relay_resolved', runId, relayId: id, outcome: 'cancelled' };
      await thread.append([cancelled], { once: answerKey(id) });
    } catch (error) {
      if (!SingletreeError.is(error, 'once_conflict')) throw error;
    }
}

/** The key under which a relay is answered once. */
export function answerKey(relayId: string): string {
  return `relay:${relayId}`;
}

function checkAnswer(relay: EventOf<'relay'>, { outcome, input, answer }: Omit<RelayAnswer, 'relayId'>): void {
  const allowed = outcomes[relay.relayKind];
  if (!allowed.includes(outcome)) throw invalid(relay, `it takes ${allowed.join(', ')}, not "${outcome}"`);
  if (outcome === 'revise' && relay.relayKind === 'permission' && input === undefined)
    throw invalid(relay, 'revise needs the new input');
  if (outcome === 'answer' && relay.relayKind === 'question' && answer === undefined)
    throw invalid(relay, 'the answer is missing');
}

function invalid({ id, relayKind }: EventOf<'relay'>, why: string): SingletreeError {
  return new SingletreeError('invalid_argument', `The ${relayKind} relay "${id}" cannot be answered so: ${why}.`, {
    details: { relayId: id },
  });
}

const whyClosed: Record<RelayClosing, string> = {
  expired: 'the time to answer it is over',
  cancelled: 'it was cancelled',
  run_ended: 'its run ended',
};

function alreadyResolved(relayId: string, reason?: RelayClosing, cause?: unknown): SingletreeError {
  const why =
    reason === undefined
      ? 'was answered before: the first answer counts.'
      : `cannot be answered any more: ${whyClosed[reason]}.`;
  return new SingletreeError('relay_resolved', `"${relayId}" ${why}`, {
    details: { relayId, ...(reason !== undefined && { reason }) },
    cause,
  });
}
