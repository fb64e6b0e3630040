import type { RelayAnswer } from '../../agents/agent.ts';
import { backgroundClock, systemClock } from '../../agents/clock.ts';
import { defined } from '../../events/defined.ts';
import { newId, SingletreeError } from '../../events/index.ts';
import { SerialQueues } from '../../events/serial-queue.ts';
import { allThreads, hasOpen, type Thread } from '../../log/index.ts';
import type { WaitingMessage } from '../../projections/message-queue.ts';
import { sharedThreadMemory } from '../shared-thread-memory.ts';
import { threadOfOpenRun } from '../supervision/open-runs.ts';
import { processOwner } from '../supervision/process-owner.ts';
import type { AbortOptions, RetryRunOptions, RunHandle, StartOptions } from '../supervision/run-control.ts';
import { runNotFound } from '../supervision/run-ownership.ts';
import { deliveredKey, messageKey } from '../supervision/message-keys.ts';
import type { ThreadMemory } from '../thread-memory.ts';
import {
  checkConversationsOptions,
  type ConversationsOptions,
  type Delivered,
  type QueueChange,
} from './conversations-options.ts';
import { earlierReceipt } from './earlier-receipt.ts';
import { checkMode, type SendReceipt, pickAgent, type SentMessage } from './sent-message.ts';
import { titleOf } from './title.ts';

/** How often waiting messages that other processes stored are searched, in milliseconds. */
const checkMs = 5_000;
/** How long to wait, and how often, while another process begins or ends a run of the thread. */
const busy = { ms: 100, tries: 20 };
/** How long a queue is held while somebody edits. */
const holdMs = 60_000;
const editor = 'queue editor';

/**
 * What people do with a conversation, decided once for every surface: how a message waits and when it is delivered, and
 * who aborts and answers what. State is in the log: every method works for threads of any process.
 */
export class Conversations {
  readonly #options: ConversationsOptions;
  readonly #memory: ThreadMemory;
  readonly #owner = processOwner();
  /** The calls of one thread, one after the other. */
  readonly #calls = new SerialQueues();
  /** The threads whose next message is delivered when their runs have ended. */
  readonly #waiting = new Set<string>();

  /** Throws `invalid_argument` for options that are unknown, missing or invalid. */
  constructor(options: ConversationsOptions) {
    checkConversationsOptions(options);
    this.#options = options;
    this.#memory = sharedThreadMemory(options.log);
  }

  /**
   * Accepts a message, and resolves when it is in the log: it goes into the run of the thread, waits for its end, or
   * starts a run. One with the id of an earlier message has no effect and gets the receipt of that one.
   */
  send(threadId: string, message: SentMessage): Promise<SendReceipt> {
    return this.#calls.run(threadId, () => this.#whenFree(() => this.#accept(threadId, message)));
  }

  /**
   * Accepts a message for the active run of a thread, or for the turn after it; undefined when nothing runs there. Its
   * agent need not be offered here.
   */
  enqueue(threadId: string, message: SentMessage & { readonly agent: string }): Promise<SendReceipt | undefined> {
    return this.#calls.run(threadId, () => this.#enqueue(threadId, message));
  }

  /**
   * Stores a message as waiting, whether or not something runs in the thread; the caller delivers it. One that was stored
   * before has no effect: it waits, or another process has delivered it.
   */
  async store(threadId: string, message: SentMessage & { readonly id: string; readonly agent: string }): Promise<void> {
    const running = this.#options.control.running().find(run => run.threadId === threadId);
    try {
      await this.#calls.run(threadId, () => this.#store(threadId, message, running?.runId, onceOf(message)));
    } catch (error) {
      if (!SingletreeError.is(error, 'once_conflict')) throw error;
    }
  }

  /** Starts a run with a message; rejects with `lease_held` while another process runs the thread. */
  start(
    threadId: string,
    message: SentMessage,
    conditions: Pick<StartOptions, 'metadata' | 'expectedSeq' | 'once' | 'note'> = {},
  ): Promise<RunHandle> {
    const { id, content, model, mode, edits, by } = message;
    const agent = pickAgent(this.#options.agents, message.agent, threadId);
    checkMode(agent, mode);
    const given = defined({ id, model, mode, edits, by });
    return this.#options.control.start(threadId, { agent, content, ...given, ...conditions });
  }

  /** The messages that wait until the run of a thread has ended, in the order of their delivery. */
  async queue(thread: Pick<Thread, 'id' | 'open'>): Promise<readonly WaitingMessage[]> {
    if (!hasOpen(thread, 'message')) return [];
    return (await this.#memory.of(thread.id)).queue.filter(({ delivery }) => delivery === 'follow_up');
  }

  /** Changes, moves or holds a waiting message; throws `not_found` when it, or the one to put it before, does not wait. */
  async change(threadId: string, id: string, { content, before, isHeld }: QueueChange): Promise<void> {
    await this.#whileWaiting(threadId, id, async (queue, expectedSeq) => {
      if (isHeld === true) await this.#whenFree(() => this.#options.log.acquireLease(queueName(threadId), heldBy));
      const changes = new Map(before === undefined ? [] : movedOrders(queue, id, before));
      const own = content !== undefined || changes.has(id) ? [id] : [];
      const events = [...new Set([...own, ...changes.keys()])].map(each => ({
        type: 'message_changed' as const,
        runId: newId(),
        id: each,
        ...defined({ order: changes.get(each) }),
        ...(each === id && content !== undefined && { content: typeof content === 'string' ? content : [...content] }),
      }));
      if (events.length > 0) await this.#options.log.append(threadId, events, { expectedSeq });
    });
    if (isHeld === false || (content !== undefined && isHeld === undefined)) await this.#releaseHold(threadId);
    void this.#deliverAfterRuns(threadId);
  }

  /** Withdraws a waiting message: it is not delivered, and its text stays in the log. Throws `not_found`. */
  async withdraw(threadId: string, id: string): Promise<void> {
    await this.#whileWaiting(threadId, id, async (_, expectedSeq) => {
      const withdrawn = { type: 'message_withdrawn' as const, runId: newId(), id };
      await this.#options.log.append(threadId, [withdrawn], { expectedSeq });
    });
  }

  /** Sends a waiting message into the run; it begins a turn when nothing runs. Throws `not_found`. */
  async sendNow(threadId: string, id: string): Promise<SendReceipt> {
    return this.#calls.run(threadId, async () => {
      const { log, control } = this.#options;
      const runId = await this.#activeRun(threadId);
      let receipt: SendReceipt | undefined;
      await this.#whileWaiting(threadId, id, async (queue, expectedSeq) => {
        const message = queue.find(each => each.id === id) as WaitingMessage;
        if (runId === undefined) {
          receipt = { runId: (await this.#begin(threadId, message, expectedSeq)).runId };
          return;
        }
        const changed = { type: 'message_changed' as const, runId: newId(), id, delivery: 'steer' as const };
        await log.append(threadId, [changed], { expectedSeq });
        receipt = { runId, steered: true };
      });
      await control.steer(threadId);
      return receipt as SendReceipt;
    });
  }

  /** Answers a relay: the first answer wins, and none counts after it expired. */
  async answer(threadId: string, relayId: string, answer: Omit<RelayAnswer, 'relayId'>): Promise<void> {
    await this.#options.control.answer(threadId, relayId, answer);
  }

  /** Aborts a run, whichever process owns it; throws `run_not_found` when it is not open, or of another resource. */
  async abort(runId: string, { by, resourceId }: Pick<AbortOptions, 'by'> & { resourceId?: string | undefined } = {}) {
    const thread = await threadOfOpenRun(this.#options.log, runId, resourceId);
    if (thread === undefined) throw runNotFound(runId);
    await this.#options.control.abort(runId, { threadId: thread.id, ...defined({ by }) });
  }

  /** Aborts every active run of a thread, whichever process owns it; returns their ids. */
  abortAll(threadId: string, options: Omit<AbortOptions, 'threadId'> = {}): Promise<readonly string[]> {
    return this.#options.control.abortAll(threadId, options);
  }

  /** Asks once more for the answer to a message; both answers stay, as siblings. */
  async retry(
    threadId: string,
    { agent, ...message }: Omit<RetryRunOptions, 'agent'> & Pick<SentMessage, 'agent'>,
  ): Promise<RunHandle> {
    return this.#options.control.retry(threadId, {
      agent: pickAgent(this.#options.agents, agent, threadId),
      ...message,
    });
  }

  /** Makes a message the active one of its siblings; throws `run_under_way` during a run. */
  select(threadId: string, messageId: string): Promise<void> {
    return this.#options.control.select(threadId, messageId);
  }

  /** Removes a thread with `remove`: its runs are aborted, and nothing is accepted meanwhile. */
  delete(threadId: string, { by, remove }: { by?: string | undefined; remove: () => Promise<void> }): Promise<void> {
    return this.#calls.run(threadId, async () => {
      await this.abortAll(threadId, defined({ by }));
      await remove();
    });
  }

  /** Resolves with the run that a waiting message began or went into; rejects when it is withdrawn or its thread deleted. */
  async runOf(threadId: string, messageId: string, until?: AbortSignal): Promise<string> {
    const types = ['user', 'harness_start', 'message_withdrawn'] as const;
    const runs = new Set<string>();
    let cause: string | undefined;
    try {
      for await (const event of this.#options.log.tail(threadId, 0, { types, ...defined({ signal: until }) })) {
        if (event.type === 'harness_start') runs.add(event.runId);
        if (event.type === 'harness_start' && cause !== undefined && event.parentId === cause) return event.runId;
        if (event.type === 'message_withdrawn' && event.id === messageId) throw notWaiting(messageId);
        if (event.type !== 'user' || event.id !== messageId) continue;
        if (runs.has(event.runId)) return event.runId;
        cause = `${event.runId}:user`;
      }
    } catch (error) {
      if (!SingletreeError.is(error, 'thread_not_found')) throw error;
    }
    throw new SingletreeError('thread_not_found', `The thread "${threadId}" was deleted before the message was sent.`);
  }

  /**
   * Begins the turn of the next waiting message of a thread in which nothing runs. Undefined when nothing waits, its queue
   * is held, another process delivers it, or no agent here can answer it: then it waits.
   */
  async next(threadId: string): Promise<Delivered | undefined> {
    const { log, agents } = this.#options;
    if ((await this.#activeRun(threadId)) !== undefined) return undefined;
    const thread = await log.getThread(threadId);
    if (thread === undefined || !hasOpen(thread, 'message')) return undefined;
    try {
      await this.#checkNotHeld(threadId);
      const { queue, seq } = await this.#memory.of(threadId);
      const message = queue.find(({ agent }) => agent === undefined || agents.get(agent, threadId) !== undefined);
      return message && { messageId: message.id, run: await this.#begin(threadId, message, seq) };
    } catch (error) {
      if (!isContended(error)) throw error;
      const { clock: timers = backgroundClock } = this.#options;
      timers.after(busy.ms, () => void this.#deliverAfterRuns(threadId));
      return undefined;
    }
  }

  /** Delivers the waiting messages of a thread whenever a run of it has ended in this process, until the signal aborts. */
  deliver(): void {
    const { control } = this.#options;
    // A message that is not delivered now stays in the log: the next run's end or `recover` tries again.
    const stop = control.onRunEnd(threadId => void this.#deliver(threadId).catch(() => {}));
    this.#options.signal?.addEventListener('abort', stop, { once: true });
  }

  /**
   * Delivers the messages that processes accepted and did not deliver before they ended: now, and from time to time until
   * the signal aborts. Runs were recovered before.
   */
  async recover(): Promise<void> {
    const { log, clock: timers = backgroundClock, signal: stop } = this.#options;
    try {
      for await (const thread of allThreads(log, { open: 'message' }))
        if (!this.#waiting.has(thread.id)) await this.#deliver(thread.id);
    } finally {
      if (stop?.aborted !== true) timers.after(checkMs, () => void this.recover().catch(() => {}));
    }
  }

  async #accept(threadId: string, message: SentMessage): Promise<SendReceipt> {
    const { agents, log } = this.#options;
    const { id: agent } = pickAgent(agents, message.agent, threadId);
    try {
      const queued = message.edits === undefined ? await this.#enqueue(threadId, { ...message, agent }) : undefined;
      if (queued !== undefined) return queued;
      const { runId } = await this.start(threadId, message, onceOf(message));
      const thread = await log.getThread(threadId);
      if (thread !== undefined && thread.title === undefined)
        await log.updateThread(threadId, { title: titleOf(message.content) });
      return { runId };
    } catch (error) {
      const earlier = message.id && (await earlierReceipt(log, threadId, message.id, error));
      if (!earlier) throw error;
      return earlier;
    }
  }

  /** Stores a message that has to wait; undefined when nothing runs in the thread and nothing else waits. */
  async #enqueue(threadId: string, message: SentMessage & { agent: string }): Promise<SendReceipt | undefined> {
    const runId = await this.#activeRun(threadId);
    const thread = await this.#options.log.getThread(threadId);
    if (runId === undefined && (thread === undefined || !hasOpen(thread, 'message'))) return undefined;
    const { id = newId(), delivery = 'steer' } = message;
    await this.#store(threadId, { ...message, id }, runId, onceOf(message));
    void this.#deliverAfterRuns(threadId);
    if (runId !== undefined) return { runId, ...(delivery === 'steer' ? { steered: true } : { queued: true }) };
    // Others wait already: it is delivered after them.
    const next = await this.next(threadId);
    return { runId: next?.run.runId ?? '', ...(next?.messageId !== id && { queued: true }) };
  }

  async #store(
    threadId: string,
    message: SentMessage & { readonly id: string; readonly agent: string },
    waitsFor: string | undefined,
    conditions: Pick<StartOptions, 'once'> = {},
  ): Promise<void> {
    const { log, control } = this.#options;
    const { id, content, by, model, mode, agent, delivery = 'steer' } = message;
    const { queue } = await this.#memory.of(threadId);
    const queued = {
      type: 'message_queued' as const,
      runId: newId(),
      id,
      content: typeof content === 'string' ? content : [...content],
      delivery,
      agent,
      order: Math.max(-1, ...queue.map(({ order }) => order)) + 1,
      ...defined({ by, model, mode, waitsFor }),
    };
    await log.append(threadId, [queued], conditions);
    if (delivery === 'steer') await control.steer(threadId);
  }

  /** Begins the turn of a waiting message; the `user` event with its id delivers it. */
  #begin(threadId: string, message: WaitingMessage, expectedSeq: number): Promise<RunHandle> {
    const { id } = message;
    return this.start(threadId, message, { once: deliveredKey(id), expectedSeq });
  }

  async #deliver(threadId: string): Promise<void> {
    if (this.#options.signal?.aborted !== true) await this.#calls.run(threadId, () => this.next(threadId));
  }

  /** Delivers the next message when no run of the thread is active in any process. */
  async #deliverAfterRuns(threadId: string): Promise<void> {
    if (this.#waiting.has(threadId)) return;
    this.#waiting.add(threadId);
    // A process that ends leaves the message in the log; another one delivers it.
    await this.#options.control
      .idle(threadId, this.#options.signal)
      .finally(() => this.#waiting.delete(threadId))
      .then(() => this.#deliver(threadId))
      .catch(() => {});
  }

  /** Reads, changes and appends; tries again when another event came between. */
  async #whileWaiting(
    threadId: string,
    id: string,
    change: (queue: readonly WaitingMessage[], expectedSeq: number) => Promise<void>,
  ): Promise<void> {
    for (let tries = 1; ; tries++) {
      const { queue, seq } = await this.#memory.of(threadId);
      const waiting = queue.filter(({ delivery }) => delivery === 'follow_up');
      if (!waiting.some(message => message.id === id)) throw notWaiting(id);
      try {
        return await change(waiting, seq);
      } catch (error) {
        if (!SingletreeError.is(error, 'seq_conflict') || tries >= busy.tries) throw error;
      }
    }
  }

  /** Throws `lease_held` while a person edits the queue. */
  async #checkNotHeld(threadId: string): Promise<void> {
    const { log } = this.#options;
    // It ends at once by itself: a process that is killed here holds nothing.
    await log.releaseLease(await log.acquireLease(queueName(threadId), { owner: this.#owner, ttlMs: 1 }));
  }

  async #releaseHold(threadId: string): Promise<void> {
    const { log } = this.#options;
    const lease = await log.acquireLease(queueName(threadId), heldBy).catch(() => undefined);
    if (lease !== undefined) await log.releaseLease(lease);
  }

  /** The first active run of a thread, in any process; one whose process died is taken over first. */
  async #activeRun(threadId: string): Promise<string | undefined> {
    const { here, elsewhere } = await this.#options.control.takeOver(threadId);
    return here[0]?.runId ?? elsewhere[0];
  }

  /** Tries again while another process begins or ends a run of the thread. */
  async #whenFree<Result>(attempt: () => Promise<Result>): Promise<Result> {
    const { clock: timers = systemClock } = this.#options;
    for (let tries = 1; ; tries++)
      try {
        return await attempt();
      } catch (error) {
        if (!SingletreeError.is(error, 'lease_held') || tries >= busy.tries) throw error;
        await new Promise<void>(resolve => void timers.after(busy.ms, resolve));
      }
  }
}

const heldBy = { owner: editor, ttlMs: holdMs };

function queueName(threadId: string): string {
  return `queue:${threadId}`;
}

/** Whether another process came first, or holds the thread or its queue. */
function isContended(error: unknown): boolean {
  return (['seq_conflict', 'once_conflict', 'lease_held'] as const).some(code => SingletreeError.is(error, code));
}

/** The places of waiting messages that change when one is put before another. */
function movedOrders(queue: readonly WaitingMessage[], id: string, before: string | null): [string, number][] {
  const others = queue.filter(message => message.id !== id);
  const at = before === null ? others.length : others.findIndex(message => message.id === before);
  if (at < 0) throw notWaiting(before ?? '');
  const first = queue[0]?.order ?? 0;
  const moved = others.map(message => message.id).toSpliced(at, 0, id);
  return moved.map((each, place) => [each, first + place]);
}

/** The key under which a message with an id is accepted once. */
function onceOf({ id }: SentMessage): Pick<StartOptions, 'once'> {
  return id === undefined ? {} : { once: messageKey(id) };
}

function notWaiting(id: string): SingletreeError {
  return new SingletreeError('not_found', `The message "${id}" does not wait any more: it was delivered or removed.`);
}
