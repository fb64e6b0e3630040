import * as z from 'zod';
import { backgroundClock, type Clock } from '../../agents/clock.ts';
import { optionsCheck } from '../../base/options/check-options.ts';
import { callback, clock, eventLog, having, name, signal } from '../../base/options/option-fields.ts';
import { defined } from '../../base/defined.ts';
import type { OnDiagnostic } from '../../base/diagnostics.ts';
import { SerialQueues } from '../../base/serial-queue.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import { allThreads } from '../../log/all-threads.ts';
import type { EventLog } from '../../log/event-log.ts';
import { hasOpen } from '../../log/open-things.ts';
import type { WaitingMessage } from '../../projections/message-queue.ts';
import { processOwner } from '../supervision/leases.ts';
import type { RunControl, RunHandle, StartOptions } from '../supervision/run-control.ts';
import { Supervisor } from '../supervision/supervisor.ts';
import { deliveredKey } from '../supervision/turn-events.ts';
import { ConversationSettings, withChosenModel } from './conversation-settings.ts';
import { storeUnanswered } from './queue-changes.ts';
import { checkAdditions, checkMode, type OfferedAgents, pickAgent, type SentMessage } from './sent-message.ts';
import { parseSystemReminder } from './system-reminder.ts';
import { ThreadTitles } from './thread-titles.ts';

export interface ConversationsOptions {
  readonly log: EventLog;
  /** Starts and ends runs; a `new Supervisor({ log })` by default, which has no agents to resume runs with. */
  readonly control?: RunControl | undefined;
  /** The agents that answer; none by default. */
  readonly agents?: OfferedAgents | undefined;
  /** The folder with the snapshots of the coding agent; without it nothing can be undone. */
  readonly snapshots?: string | undefined;
  /** Whether the title of a conversation is made after its first turn, by the program or a model; by default it has the first words. */
  readonly titles?: 'model' | 'message' | undefined;
  /** Ends the delivery of waiting messages. */
  readonly signal?: AbortSignal | undefined;
  /** Times retries and the search for waiting messages; the machine's clock by default. */
  readonly clock?: Clock | undefined;
  /** Receives failures of deliveries, which are retried; ignored by default. */
  readonly onDiagnostic?: OnDiagnostic | undefined;
}

/** Throws `invalid_argument` for options that are unknown, missing or invalid. */
export const checkConversationsOptions = optionsCheck<ConversationsOptions>('new Conversations')(() => ({
  log: eventLog(),
  control: having(['start', 'steer', 'answer', 'abort'], 'a `new Supervisor({ log })`').optional(),
  agents: having(['list', 'get'], 'an object with `list` and `get`').optional(),
  snapshots: name().optional(),
  titles: z.enum(['model', 'message']).optional(),
  signal: signal().optional(),
  clock: clock().optional(),
  onDiagnostic: callback().optional(),
}));

/** A waiting message that began a turn. */
export interface Delivered {
  readonly messageId: string;
  readonly run: RunHandle;
}

/** How often waiting messages that other processes stored are searched, in milliseconds. */
const checkMs = 5_000;

/** The delay between tries, and how many to make, while another caller starts or ends a run of a thread. */
export const busy = { ms: 100, tries: 20 };

type BusyCode = 'seq_conflict' | 'once_conflict' | 'lease_held' | 'run_under_way';

/** Whether an error means that another caller or process was first, or holds the thread or its queue. */
export function isBusy(
  error: unknown,
  codes: readonly BusyCode[] = ['seq_conflict', 'once_conflict', 'lease_held', 'run_under_way'],
): boolean {
  return codes.some(code => SingletreeError.is(error, code));
}

/** Tries again while an attempt fails with one of these codes. */
export async function retryWhileBusy<Result>(
  attempt: () => Promise<Result>,
  { clock, codes }: { readonly clock: Clock; readonly codes: readonly BusyCode[] },
): Promise<Result> {
  for (let tries = 1; ; tries++)
    try {
      return await attempt();
    } catch (error) {
      if (!isBusy(error, codes) || tries >= busy.tries) throw error;
      await new Promise<void>(resolve => void clock.after(busy.ms, resolve));
    }
}

/** The lease that holds a queue while a person edits it. */
export function queueLease(threadId: string): string {
  return `queue:${threadId}`;
}

/** Who holds a queue, and for how long. */
export const queueHold = { owner: 'queue editor', ttlMs: 60_000 };

/** Starts turns with a given message, or with waiting messages after a run has ended in any process. */
export class MessageDelivery extends ConversationSettings {
  protected readonly options: ConversationsOptions;
  protected readonly titles: ThreadTitles;
  /** The calls of one thread, one after the other. */
  protected readonly calls = new SerialQueues();
  /**
   * Whether waiting messages start turns here; a process that only accepts and edits messages leaves delivery to
   * others.
   */
  protected delivers = false;
  readonly #owner = processOwner();
  /** The threads whose next message is delivered when their runs have ended. */
  readonly #waiting = new Set<string>();

  /** Throws `invalid_argument` for options that are unknown, missing or invalid. */
  constructor(options: ConversationsOptions) {
    checkConversationsOptions(options);
    const { log, control = new Supervisor({ log }), agents, titles } = options;
    super(log, control, agents);
    this.options = options;
    const isMade = titles === 'model';
    this.titles = new ThreadTitles({ log, control, agents: this.agents, digests: this.digests, isMade });
  }

  /** Starts a run with a message, as far as the conditions say nothing else; rejects with `lease_held` while another process runs the thread. */
  start(
    threadId: string,
    message: SentMessage,
    conditions: Partial<Omit<StartOptions, 'content' | 'parallel'>> = {},
  ): Promise<RunHandle> {
    const { id, content, model, mode, by, trace, additions } = message;
    const agent = pickAgent(this.agents, message.agent, threadId);
    checkMode(agent, mode);
    checkAdditions(agent, additions);
    const given = defined({ id, model, mode, by, trace, additions });
    const metadata = mode === undefined ? {} : { metadata: { ...conditions.metadata, currentModeId: mode } };
    return this.control.start(threadId, { agent, content, ...given, ...conditions, ...metadata });
  }

  /**
   * Begins the turn of the next waiting message of a thread in which nothing runs. Undefined when nothing waits, its queue
   * is held, another process delivers it, or no agent here can answer it: then it waits.
   */
  async next(threadId: string): Promise<Delivered | undefined> {
    const { log } = this.options;
    if ((await this.activeRun(threadId)) !== undefined) return undefined;
    const thread = await log.getThread(threadId);
    if (thread === undefined || !hasOpen(thread, 'message')) return undefined;
    try {
      if (await this.isHeld(threadId)) return this.#deliverLater(threadId);
      const { queue, seq } = await this.memory.of(threadId);
      const message = queue.find(({ agent }) => agent === undefined || this.agents.get(agent, threadId) !== undefined);
      if (message === undefined) return undefined;
      if (typeof message.content === 'string' && parseSystemReminder(message.content) !== undefined) {
        await storeUnanswered(this.log, threadId, message);
        return await this.next(threadId);
      }
      return { messageId: message.id, run: await this.deliverMessage(threadId, message, seq) };
    } catch (error) {
      if (!isBusy(error)) throw error;
      return this.#deliverLater(threadId);
    }
  }

  /** Whether a person is editing the queue of a thread, which blocks its delivery. */
  async isHeld(threadId: string): Promise<boolean> {
    try {
      // Expires at once, so that a process that is killed here does not keep the queue.
      await this.log.releaseLease(await this.log.acquireLease(queueLease(threadId), { owner: this.#owner, ttlMs: 1 }));
      return false;
    } catch (error) {
      if (!SingletreeError.is(error, 'lease_held')) throw error;
      return error.details['owner'] === queueHold.owner;
    }
  }

  /** Delivers the waiting messages of a thread whenever a run of it has ended in this process, until the signal aborts. */
  deliver(): void {
    this.delivers = true;
    // A message that is not delivered now stays in the log: the next run's end or `recover` tries again.
    const stop = this.control.onRunEnd(threadId => {
      void this.#deliver(threadId).catch(this.#diagnose('delivery_failed', threadId));
      void this.titles.finish(threadId).catch(this.#diagnose('title_failed', threadId));
    });
    this.options.signal?.addEventListener('abort', stop, { once: true });
  }

  /**
   * Delivers the messages that processes accepted and did not deliver before they ended: now, and from time to time until
   * the signal aborts. Runs were recovered before.
   */
  async recover(): Promise<void> {
    const { log, clock: timers = backgroundClock, signal: stop } = this.options;
    try {
      for await (const thread of allThreads(log, { open: 'message' }))
        if (!this.#waiting.has(thread.id)) await this.#deliver(thread.id);
    } finally {
      if (stop?.aborted !== true)
        timers.after(checkMs, () => void this.recover().catch(this.#diagnose('recovery_failed')));
    }
  }

  /** The first active run of a thread, in any process; one whose process died is taken over first. */
  protected async activeRun(threadId: string): Promise<string | undefined> {
    const { here, elsewhere } = await this.control.takeOver(threadId);
    return here[0]?.runId ?? elsewhere[0];
  }

  /** Begins the turn of a waiting message; the `user` event with its id delivers it. */
  protected async deliverMessage(threadId: string, message: WaitingMessage, expectedSeq: number): Promise<RunHandle> {
    const chosen = withChosenModel(this.agents, await this.log.getThread(threadId), message);
    return this.start(threadId, chosen, { once: deliveredKey(message.id), expectedSeq });
  }

  async #deliver(threadId: string): Promise<void> {
    if (this.options.signal?.aborted !== true) await this.calls.run(threadId, () => this.next(threadId));
  }

  /** Delivers the next message when no run of the thread is active in any process. */
  protected async deliverAfterRuns(threadId: string): Promise<void> {
    if (!this.delivers || this.#waiting.has(threadId)) return;
    this.#waiting.add(threadId);
    // A process that ends leaves the message in the log; another one delivers it.
    await this.control
      .idle(threadId, this.options.signal)
      .finally(() => this.#waiting.delete(threadId))
      .then(() => this.#deliver(threadId))
      .catch(this.#diagnose('delivery_failed', threadId));
  }

  /** Returns a handler that reports a failure, unless the process is about to end. */
  #diagnose(code: string, threadId?: string): (cause: unknown) => void {
    return cause => {
      if (this.options.signal?.aborted !== true) this.options.onDiagnostic?.({ code, ...defined({ threadId }), cause });
    };
  }

  #deliverLater(threadId: string): undefined {
    (this.options.clock ?? backgroundClock).after(busy.ms, () => void this.deliverAfterRuns(threadId));
  }
}
