import { defined } from '../../base/defined.ts';
import type { RelayAnswer } from '../../agents/contract/host.ts';
import type { RelayInbox } from '../../agents/relay-inbox.ts';
import type { AgentEvent, EventOf } from '../../events/vocabulary.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import { currentTime } from '../../log/event-time.ts';
import type { AppendOptions, EventLog } from '../../log/event-log.ts';
import { possibleAnswers } from '../../projections/possible-answers.ts';
import type { RelayBook, RelayClosing, RelayEntry } from '../../projections/relay-book.ts';
import type { Clock } from '../../agents/clock.ts';

/** A relay, and the state of all relays of its thread. */
interface RelayPlace {
  readonly threadId: string;
  readonly relayId: string;
  readonly relays: RelayBook;
}

/** Appends the answer to a relay, from any process: the first answer wins, and none is accepted after it expired. */
export async function answerRelay(
  log: EventLog,
  { threadId, relayId, relays }: RelayPlace,
  answer: Omit<RelayAnswer, 'relayId'>,
): Promise<void> {
  const entry = relays.at(currentTime(log)).get(relayId);
  if (entry === undefined)
    throw new SingletreeError('relay_not_found', `Unknown relay "${relayId}" in the thread "${threadId}".`, {
      details: { threadId, relayId },
    });
  if (entry.status !== 'pending') throw alreadyResolved(relayId, entry);
  const { relay } = entry;
  checkAnswer(relay, answer);
  const event: EventOf<'relay_resolved'> = { ...answer, type: 'relay_resolved', runId: relay.runId, relayId };
  try {
    await resolveRelay(event, (events, options) => log.append(threadId, events, options));
  } catch (error) {
    if (SingletreeError.is(error, 'once_conflict')) throw alreadyResolved(relayId, {}, error);
    throw error;
  }
}

/** Appends the event that resolves a relay; throws `once_conflict` when another one came first. */
export async function resolveRelay(
  event: EventOf<'relay_resolved'>,
  append: (events: readonly AgentEvent[], options: AppendOptions) => Promise<unknown>,
): Promise<void> {
  await append([event], { once: `relay:${event.relayId}` });
}

/** The thread of a relay, as the process that runs it has it. */
interface RelayThread {
  readonly writer: { flush(): Promise<void> };
  append(events: readonly AgentEvent[], options: AppendOptions): Promise<void>;
}

/** Cancels the unanswered relays of a run, with a reason when there is one. */
export async function cancelRelays(
  thread: RelayThread & { readonly inbox: Pick<RelayInbox, 'pendingOf'> },
  runId: string,
  feedback?: string,
): Promise<void> {
  for (const relay of thread.inbox.pendingOf(runId))
    await closeRelay(thread, relay, { outcome: 'cancelled', feedback });
}

/** Closes an unanswered relay, optionally with feedback; does nothing when it was answered. */
export async function closeRelay(
  thread: RelayThread,
  { id, runId }: Pick<EventOf<'relay'>, 'id' | 'runId'>,
  closing: { readonly outcome: 'cancelled' | 'expired'; readonly feedback?: string | undefined },
): Promise<void> {
  await thread.writer.flush();
  const closed = { type: 'relay_resolved' as const, runId, relayId: id, outcome: closing.outcome };
  try {
    await resolveRelay({ ...closed, ...defined({ feedback: closing.feedback }) }, (events, options) =>
      thread.append(events, options),
    );
  } catch (error) {
    if (!SingletreeError.is(error, 'once_conflict')) throw error;
  }
}

/** Throws `invalid_argument` for an answer that the agent cannot act on. */
export function checkAnswer(relay: EventOf<'relay'>, { outcome, input, answer }: Omit<RelayAnswer, 'relayId'>): void {
  const allowed = possibleAnswers(relay);
  if (!allowed.some(each => each === outcome)) throw invalid(relay, `expected ${allowed.join(', ')}, got "${outcome}"`);
  if (outcome === 'revise' && relay.relayKind === 'permission' && input === undefined)
    throw invalid(relay, '"revise" requires the new input');
  if (outcome === 'answer' && relay.relayKind === 'question' && answer === undefined)
    throw invalid(relay, 'the answer is missing');
}

function invalid({ id, relayKind }: EventOf<'relay'>, why: string): SingletreeError {
  return new SingletreeError('invalid_argument', `Invalid answer to the ${relayKind} relay "${id}": ${why}.`, {
    details: { relayId: id },
  });
}

const whyClosed: Record<RelayClosing, string> = {
  expired: 'the time to answer it is over, and the agent continues without an answer',
  cancelled: 'it was cancelled, because its run ended or needs no answer',
  run_ended: 'its run ended',
};

function alreadyResolved(
  relayId: string,
  { reason, answer }: Partial<Pick<RelayEntry, 'reason' | 'answer'>>,
  cause?: unknown,
): SingletreeError {
  const detail = reason === 'cancelled' && answer?.feedback !== undefined ? ` (${answer.feedback})` : '';
  const why =
    reason === undefined
      ? 'was already answered: the first answer counts.'
      : `cannot be answered any more: ${whyClosed[reason]}${detail}.`;
  return new SingletreeError(
    reason === 'expired' ? 'relay_expired' : 'relay_resolved',
    `The relay "${relayId}" ${why}`,
    {
      details: { relayId, ...defined({ reason }) },
      cause,
    },
  );
}

type Relay = EventOf<'relay'>;

export interface RelayExpiryOptions {
  readonly log: Pick<EventLog, 'now'>;
  readonly clock: Clock;
  /** Stores that a relay expired. */
  readonly expire: (relay: Relay) => Promise<void>;
  /** Called when that cannot be stored: the agent would wait for ever. */
  readonly onFailure: (error: unknown) => void;
}

/** The longest time that a timer takes. */
const longestMs = 2 ** 31 - 1;

/** Closes the relays of a thread that its process owns when the time to answer them is over, so that agents continue. */
export class RelayExpiry {
  readonly #options: RelayExpiryOptions;
  readonly #timers = new Map<string, () => void>();

  constructor(options: RelayExpiryOptions) {
    this.#options = options;
  }

  /** Keeps the time of a pending relay. */
  watch(relay: Relay): void {
    if (relay.expiresAt === undefined || this.#timers.has(relay.id)) return;
    const { log, clock, expire, onFailure } = this.#options;
    const left = Date.parse(relay.expiresAt) - currentTime(log);
    if (left <= 0) return void expire(relay).catch(onFailure);
    const cancel = clock.after(Math.min(left, longestMs), () => {
      this.#timers.delete(relay.id);
      this.watch(relay);
    });
    this.#timers.set(relay.id, cancel);
  }

  /** The relay has its answer. */
  end(relayId: string): void {
    this.#timers.get(relayId)?.();
    this.#timers.delete(relayId);
  }

  close(): void {
    for (const relayId of this.#timers.keys()) this.end(relayId);
  }
}
