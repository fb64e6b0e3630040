import type { Answers, RelayAnswer } from '../agents/agent.ts';
import { resolveRelay } from '../control/supervision/answer-relay.ts';
import { type AgentEvent, type EventOf, SingletreeError } from '../events/index.ts';
import type { EventLog } from '../log/index.ts';
import type { RunState } from '../projections/run-state.ts';
import type { Clock } from '../agents/clock.ts';

export interface AskedRelaysOptions {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly threadId: string;
  readonly answers: Answers;
  /** How long people have to answer; no limit when absent. */
  readonly timeoutMs: number | undefined;
  /** Which thread each relay that waits in this process is of. */
  readonly threadOf: Map<string, string>;
}

/** What one run and those below it asked: says until when an answer is waited for, and ends the wait then. */
export class AskedRelays implements Answers {
  readonly #options: AskedRelaysOptions;
  readonly #asked = new Map<string, EventOf<'relay'>>();

  constructor(options: AskedRelaysOptions) {
    this.#options = options;
  }

  /** Takes up what was asked before the process ended. */
  takeUp({ relays, children }: Pick<RunState, 'relays' | 'children'>): void {
    for (const { relay, answer } of relays.values()) if (answer === undefined) this.#note(relay);
    for (const child of [...children.values()].flat()) this.takeUp(child);
  }

  /** The event as it goes into the log: a relay without a time of its own says when it expires. */
  pass(event: AgentEvent): AgentEvent {
    if (event.type !== 'relay') return event;
    const { timeoutMs, clock } = this.#options;
    const relay =
      timeoutMs === undefined || event.expiresAt !== undefined
        ? event
        : { ...event, expiresAt: new Date(clock.now() + timeoutMs).toISOString() };
    this.#note(relay);
    return relay;
  }

  async wait(relayId: string, signal: AbortSignal): Promise<RelayAnswer> {
    const { answers, clock, log, threadId } = this.#options;
    const relay = this.#asked.get(relayId);
    const left = relay?.expiresAt === undefined ? undefined : Date.parse(relay.expiresAt) - clock.now();
    // An answer that cannot be stored now is stored by whoever looks at the relay next.
    const expire = () => void (relay && expireRelay(log, threadId, relay).catch(() => {}));
    const cancel = left === undefined ? () => {} : clock.after(Math.max(0, left), expire);
    try {
      return await answers.wait(relayId, signal);
    } finally {
      cancel();
      this.#forget(relayId);
    }
  }

  /** The run is over. */
  close(): void {
    for (const id of this.#asked.keys()) this.#forget(id);
  }

  #note(relay: EventOf<'relay'>): void {
    this.#asked.set(relay.id, relay);
    this.#options.threadOf.set(relay.id, this.#options.threadId);
  }

  #forget(relayId: string): void {
    this.#asked.delete(relayId);
    this.#options.threadOf.delete(relayId);
  }
}

/** Appends that nobody answered in time, unless somebody did. */
export async function expireRelay(log: EventLog, threadId: string, relay: EventOf<'relay'>): Promise<void> {
  const { id: relayId, runId } = relay;
  try {
    await resolveRelay({ type: 'relay_resolved', runId, relayId, outcome: 'expired' }, (events, options) =>
      log.append(threadId, events, options),
    );
  } catch (error) {
    if (!SingletreeError.is(error, 'once_conflict')) throw error;
  }
}
