import type { RelayAnswer } from '../../agents/contract/host.ts';
import { backgroundClock, systemClock } from '../../agents/clock.ts';
import { defined } from '../../base/defined.ts';
import { newId } from '../../events/ids.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import { SerialQueues } from '../../base/serial-queue.ts';
import { allThreads } from '../../log/all-threads.ts';
import { hasOpen } from '../../log/open-things.ts';
import type { WaitingMessage } from '../../projections/message-queue.ts';
import { type RewindResult, ThreadRewind, type UndoOptions } from '../rewind/rewind-thread.ts';
import { sharedThreadMemory, type ThreadMemory } from '../threads/thread-memory.ts';
import { threadOfOpenRun } from '../supervision/open-runs.ts';
import { processOwner } from '../supervision/leases.ts';
import type { AbortOptions, RetryRunOptions, RunControl, RunHandle, StartOptions } from '../supervision/run-control.ts';
import { Supervisor } from '../supervision/supervisor.ts';
import { runNotFound } from '../supervision/run-ownership.ts';
import { deliveredKey, messageKey } from '../supervision/turn-events.ts';
import {
  checkConversationsOptions,
  type ConversationsOptions,
  type Delivered,
  type QueueChange,
} from './conversations-options.ts';
import { ConversationSettings, withChosenModel } from './conversation-settings.ts';
import { busy, isBusy, retryWhileBusy } from './busy-thread.ts';
import { earlierReceipt } from './earlier-receipt.ts';
import {
  changeMessage,
  isReminder,
  notWaiting,
  queueMessage,
  storeUnanswered,
  holdQueue,
  isQueueHeld,
  releaseQueue,
} from './queue-changes.ts';
import {
  checkAdditions,
  checkMode,
  type OfferedAgents,
  type SendReceipt,
  pickAgent,
  type SentMessage,
} from './sent-message.ts';
import { type SystemReminder, systemReminderText } from './system-reminder.ts';
import { checkStoppable } from './stoppable-subagent.ts';
import { findPlainTitle, ThreadTitles, titleFrom } from './thread-titles.ts';

/** How often waiting messages that other processes stored are searched, in milliseconds. */
const checkMs = 5_000;

/**
 * What people do with a conversation, decided once for every surface: how a message waits and when it is delivered, and
 * who aborts and answers what. State is in the log: every method works for threads of any process.
 */
export class Conversations extends ConversationSettings {
  readonly #options: ConversationsOptions;
  readonly #control: RunControl;
  readonly #agents: OfferedAgents;
  readonly #memory: ThreadMemory;
  readonly #titles: ThreadTitles;
  readonly #owner = processOwner();
  /** The calls of one thread, one after the other. */
  readonly #calls = new SerialQueues();
  /** The threads whose next message is delivered when their runs have ended. */
  readonly #waiting = new Set<string>();
  /** Whether waiting messages begin turns here; a process that only accepts and edits them leaves that to others. */
  #delivers = false;

  /** Throws `invalid_argument` for options that are unknown, missing or invalid. */
  constructor(options: ConversationsOptions) {
    checkConversationsOptions(options);
    const control = options.control ?? new Supervisor({ log: options.log });
    super(options.log, control, options.agents);
    this.#options = options;
    this.#control = control;
    this.#agents = options.agents ?? { list: () => [], get: () => undefined };
    this.#memory = sharedThreadMemory(options.log);
    const { log, titles } = options;
    const isMade = titles === 'model';
    this.#titles = new ThreadTitles({ log, control, agents: this.#agents, digests: this.digests, isMade });
  }

  /**
   * Accepts a message, and resolves when it is in the log: it goes into the run of the thread, waits for its end, or
   * starts a run. One with the id of an earlier message has no effect and gets the receipt of that one.
   */
  send(threadId: string, message: SentMessage): Promise<SendReceipt> {
    const accept = async () => {
      const { id: agent } = pickAgent(this.#agents, message.agent, threadId);
      return (await this.#enqueue(threadId, { ...message, agent })) ?? (await this.#begin(threadId, message));
    };
    const { clock = systemClock } = this.#options;
    // A message goes into a run that another caller starts meanwhile.
    return this.#accept(threadId, message, () =>
      retryWhileBusy(accept, { clock, codes: ['lease_held', 'run_under_way'] }),
    );
  }

  /**
   * Accepts a message in the place of a user message, on a new branch, and starts a run with it; rejects with
   * `run_under_way` during a run. One with the id of an earlier message gets the receipt of that one.
   */
  edit(threadId: string, edits: string, message: SentMessage): Promise<SendReceipt> {
    const { clock = systemClock } = this.#options;
    const begin = () => this.#begin(threadId, message, edits);
    return this.#accept(threadId, message, () => retryWhileBusy(begin, { clock, codes: ['lease_held'] }));
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
    const running = this.#control.running().find(run => run.threadId === threadId);
    try {
      await this.#calls.run(threadId, () => this.#store(threadId, message, running?.runId));
    } catch (error) {
      if (!SingletreeError.is(error, 'once_conflict')) throw error;
    }
  }

  /** Starts a run with a message, as far as the conditions say nothing else; rejects with `lease_held` while another process runs the thread. */
  start(
    threadId: string,
    message: SentMessage,
    conditions: Partial<Omit<StartOptions, 'content' | 'parallel'>> = {},
  ): Promise<RunHandle> {
    const { id, content, model, mode, by, trace, additions } = message;
    const agent = pickAgent(this.#agents, message.agent, threadId);
    checkMode(agent, mode);
    checkAdditions(agent, additions);
    const given = defined({ id, model, mode, by, trace, additions });
    const metadata = mode === undefined ? {} : { metadata: { ...conditions.metadata, currentModeId: mode } };
    return this.#control.start(threadId, { agent, content, ...given, ...conditions, ...metadata });
  }

  /**
   * Gives the agent of a thread something to read that it does not answer: at the next safe point of the run, else with
   * the next message.
   */
  remind(threadId: string, agent: string, reminder: SystemReminder): Promise<void> {
    const message = { id: newId(), content: systemReminderText(reminder), agent };
    return this.#calls.run(threadId, async () => {
      const runId = await this.#activeRun(threadId);
      if (runId === undefined) return storeUnanswered(this.#options.log, threadId, message);
      await this.#store(threadId, message, runId);
      void this.#deliverAfterRuns(threadId);
    });
  }

  /** Changes, moves or holds a waiting message; throws `not_found` when it, or the one to put it before, does not wait. */
  async change(threadId: string, id: string, change: QueueChange): Promise<void> {
    const { log, clock = systemClock } = this.#options;
    const { content, isHeld } = change;
    await this.#whileWaiting(threadId, id, async (queue, expectedSeq) => {
      if (isHeld === true) await retryWhileBusy(() => holdQueue(log, threadId), { clock, codes: ['lease_held'] });
      const events = changeMessage(queue, id, change);
      if (events.length > 0) await log.append(threadId, events, { expectedSeq });
    });
    if (isHeld === false || (content !== undefined && isHeld === undefined)) await releaseQueue(log, threadId);
    void this.#deliverAfterRuns(threadId);
  }

  /** Withdraws a waiting message: it is not delivered, and its text stays in the log. Throws `not_found`. */
  async withdraw(threadId: string, id: string): Promise<void> {
    await this.#whileWaiting(threadId, id, async (_, expectedSeq) => {
      const withdrawn = { type: 'message_withdrawn' as const, runId: newId(), id };
      await this.#options.log.append(threadId, [withdrawn], { expectedSeq });
    });
  }

  /**
   * Sends a waiting message into the run; when nothing runs it begins a turn, or becomes the next one where this process
   * does not deliver. Throws `not_found`.
   */
  async sendNow(threadId: string, id: string): Promise<SendReceipt> {
    return this.#calls.run(threadId, async () => {
      const { log } = this.#options;
      const runId = await this.#activeRun(threadId);
      let receipt: SendReceipt | undefined;
      await this.#whileWaiting(threadId, id, async (queue, expectedSeq) => {
        const message = queue.find(each => each.id === id) as WaitingMessage;
        if (runId === undefined && this.#delivers) {
          receipt = { runId: (await this.#deliverMessage(threadId, message, expectedSeq)).runId };
          return;
        }
        const events =
          runId === undefined
            ? changeMessage(queue, id, { before: queue[0]?.id })
            : [{ type: 'message_changed' as const, runId: newId(), id, delivery: 'steer' as const }];
        if (events.length > 0) await log.append(threadId, events, { expectedSeq });
        receipt = { runId: runId ?? '', ...(runId === undefined ? { queued: true } : { steered: true }) };
      });
      await this.#control.steer(threadId);
      return receipt as SendReceipt;
    });
  }

  /** Answers a relay: the first answer wins, and none counts after it expired. */
  async answer(threadId: string, relayId: string, answer: Omit<RelayAnswer, 'relayId'>): Promise<void> {
    await this.#control.answer(threadId, relayId, answer);
    if (answer.outcome === 'approve') await this.leavePlanning(threadId, relayId);
  }

  /** Aborts a run, whichever process owns it; throws `run_not_found` when it is not open, or of another resource. */
  async abort(runId: string, { by, resourceId }: Pick<AbortOptions, 'by'> & { resourceId?: string | undefined } = {}) {
    const thread = await threadOfOpenRun(this.#options.log, runId, resourceId);
    if (thread === undefined) throw runNotFound(runId);
    await this.#control.abort(runId, { threadId: thread.id, ...defined({ by }) });
  }

  /**
   * Stops one subagent of a thread, whichever process runs it: its parent gets an error in place of its result, and
   * continues. Throws `run_not_found` when it is not open, and `invalid_argument` for one of an external program.
   */
  async stopSubagent(threadId: string, runId: string, { by }: Pick<AbortOptions, 'by'> = {}): Promise<void> {
    const thread = await this.#options.log.getThread(threadId);
    const { conversation } = await this.#memory.of(threadId);
    checkStoppable(conversation, runId, { thread, agents: this.#agents });
    await this.#options.log.append(threadId, [{ type: 'abort_requested', runId, ...defined({ by }) }]);
  }

  /** Aborts every active run of a thread, whichever process owns it; returns their ids. */
  abortAll(threadId: string, options: Omit<AbortOptions, 'threadId'> = {}): Promise<readonly string[]> {
    return this.#control.abortAll(threadId, options);
  }

  /** Asks once more for the answer to a message; both answers stay, as siblings. */
  async retry(
    threadId: string,
    { agent, ...message }: Omit<RetryRunOptions, 'agent'> & Pick<SentMessage, 'agent'>,
  ): Promise<RunHandle> {
    const picked = pickAgent(this.#agents, agent, threadId);
    checkAdditions(picked, message.additions);
    return this.#control.retry(threadId, { agent: picked, ...message });
  }

  /** Takes turns of a thread back, with the files that they changed, and accepts nothing meanwhile. */
  undo(threadId: string, options?: UndoOptions): Promise<RewindResult> {
    return this.#calls.run(threadId, () => this.rewind.undo(threadId, options));
  }

  /** Takes up again what the undo that made a thread took back. */
  redo(threadId: string, options?: Pick<UndoOptions, 'force'>): Promise<RewindResult> {
    return this.#calls.run(threadId, () => this.rewind.redo(threadId, options));
  }

  /** What can be undone and redone; throws `not_supported` without snapshots. */
  get rewind(): ThreadRewind {
    const { log, snapshots } = this.#options;
    if (snapshots !== undefined) return new ThreadRewind({ log, snapshots });
    throw new SingletreeError('not_supported', 'Nothing can be undone here: give the folder of the `snapshots`.');
  }

  /** Removes a thread with `remove`: its runs are aborted, and nothing is accepted meanwhile. */
  delete(threadId: string, { by, remove }: { by?: string | undefined; remove: () => Promise<void> }): Promise<void> {
    return this.#calls.run(threadId, async () => {
      await this.abortAll(threadId, defined({ by }));
      await remove();
    });
  }

  /**
   * Begins the turn of the next waiting message of a thread in which nothing runs. Undefined when nothing waits, its queue
   * is held, another process delivers it, or no agent here can answer it: then it waits.
   */
  async next(threadId: string): Promise<Delivered | undefined> {
    const { log } = this.#options;
    if ((await this.#activeRun(threadId)) !== undefined) return undefined;
    const thread = await log.getThread(threadId);
    if (thread === undefined || !hasOpen(thread, 'message')) return undefined;
    try {
      if (await this.isHeld(threadId)) return this.#deliverLater(threadId);
      const { queue, seq } = await this.#memory.of(threadId);
      const message = queue.find(({ agent }) => agent === undefined || this.#agents.get(agent, threadId) !== undefined);
      if (message === undefined) return undefined;
      if (isReminder(message)) {
        await storeUnanswered(this.#options.log, threadId, message);
        return await this.next(threadId);
      }
      return { messageId: message.id, run: await this.#deliverMessage(threadId, message, seq) };
    } catch (error) {
      if (!isBusy(error)) throw error;
      return this.#deliverLater(threadId);
    }
  }

  /** Whether a person edits the queue of a thread: nothing of it is delivered meanwhile. */
  isHeld(threadId: string): Promise<boolean> {
    return isQueueHeld(this.#options.log, threadId, this.#owner);
  }

  /** Delivers the waiting messages of a thread whenever a run of it has ended in this process, until the signal aborts. */
  deliver(): void {
    this.#delivers = true;
    // A message that is not delivered now stays in the log: the next run's end or `recover` tries again.
    const stop = this.#control.onRunEnd(threadId => {
      void this.#deliver(threadId).catch(this.#diagnose('delivery_failed', threadId));
      void this.#titles.finish(threadId).catch(this.#diagnose('title_failed', threadId));
    });
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
      if (stop?.aborted !== true)
        timers.after(checkMs, () => void this.recover().catch(this.#diagnose('recovery_failed')));
    }
  }

  /** Accepts a message once, after the calls before it: one with the id of an earlier message gets its receipt. */
  #accept(threadId: string, { id }: SentMessage, accept: () => Promise<SendReceipt>): Promise<SendReceipt> {
    return this.#calls.run(threadId, async () => {
      try {
        return await accept();
      } catch (error) {
        const earlier = id && (await earlierReceipt(this.#options.log, threadId, id, error));
        if (!earlier) throw error;
        return earlier;
      }
    });
  }

  /** Starts a run with a message, which gives a thread its title: one without a title, or with that of the message it edits. */
  async #begin(threadId: string, message: SentMessage, edits?: string): Promise<SendReceipt> {
    const before = await this.#options.log.getThread(threadId);
    const chosen = withChosenModel(this.#agents, before, message);
    const { runId } = await this.start(threadId, chosen, { ...onceOf(message), ...defined({ edits }) });
    const thread = before?.title === undefined ? await this.#options.log.getThread(threadId) : before;
    const isEdited =
      edits !== undefined &&
      thread !== undefined &&
      findPlainTitle(thread) === titleFrom((await this.#memory.of(threadId)).conversation, edits);
    if (thread !== undefined && (thread.title === undefined || isEdited))
      await this.#titles.begin(threadId, message.content);
    return { runId };
  }

  /** Stores a message that has to wait; undefined when nothing runs in the thread and nothing else waits. */
  async #enqueue(threadId: string, message: SentMessage & { agent: string }): Promise<SendReceipt | undefined> {
    const runId = await this.#activeRun(threadId);
    const thread = await this.#options.log.getThread(threadId);
    if (runId === undefined && (thread === undefined || !hasOpen(thread, 'message'))) return undefined;
    const { id = newId(), delivery = 'steer' } = message;
    await this.#store(threadId, { ...message, id }, runId);
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
  ): Promise<void> {
    const { queue } = await this.#memory.of(threadId);
    const queued = queueMessage(queue, message, waitsFor);
    await this.#options.log.append(threadId, [queued], { once: messageKey(message.id) });
    if (queued.delivery === 'steer') await this.#control.steer(threadId);
  }

  /** Begins the turn of a waiting message; the `user` event with its id delivers it. */
  async #deliverMessage(threadId: string, message: WaitingMessage, expectedSeq: number): Promise<RunHandle> {
    const chosen = withChosenModel(this.#agents, await this.#options.log.getThread(threadId), message);
    return this.start(threadId, chosen, { once: deliveredKey(message.id), expectedSeq });
  }

  async #deliver(threadId: string): Promise<void> {
    if (this.#options.signal?.aborted !== true) await this.#calls.run(threadId, () => this.next(threadId));
  }

  /** Delivers the next message when no run of the thread is active in any process. */
  async #deliverAfterRuns(threadId: string): Promise<void> {
    if (!this.#delivers || this.#waiting.has(threadId)) return;
    this.#waiting.add(threadId);
    // A process that ends leaves the message in the log; another one delivers it.
    await this.#control
      .idle(threadId, this.#options.signal)
      .finally(() => this.#waiting.delete(threadId))
      .then(() => this.#deliver(threadId))
      .catch(this.#diagnose('delivery_failed', threadId));
  }

  /** Returns a handler that reports a failure, unless the process is about to end. */
  #diagnose(code: string, threadId?: string): (cause: unknown) => void {
    return cause => {
      if (this.#options.signal?.aborted !== true)
        this.#options.onDiagnostic?.({ code, ...defined({ threadId }), cause });
    };
  }

  #deliverLater(threadId: string): undefined {
    (this.#options.clock ?? backgroundClock).after(busy.ms, () => void this.#deliverAfterRuns(threadId));
  }

  /** Reads, changes and appends; tries again when another event came between. */
  async #whileWaiting(
    threadId: string,
    id: string,
    change: (queue: readonly WaitingMessage[], expectedSeq: number) => Promise<void>,
  ): Promise<void> {
    for (let tries = 1; ; tries++) {
      const { seq } = await this.#memory.of(threadId);
      const waiting = await this.queue(await this.find(threadId));
      if (!waiting.some(message => message.id === id)) throw notWaiting(id);
      try {
        return await change(waiting, seq);
      } catch (error) {
        if (!SingletreeError.is(error, 'seq_conflict') || tries >= busy.tries) throw error;
      }
    }
  }

  /** The first active run of a thread, in any process; one whose process died is taken over first. */
  async #activeRun(threadId: string): Promise<string | undefined> {
    const { here, elsewhere } = await this.#control.takeOver(threadId);
    return here[0]?.runId ?? elsewhere[0];
  }
}

/** The key under which a message with an id is accepted once. */
function onceOf({ id }: SentMessage): Pick<StartOptions, 'once'> {
  return id === undefined ? {} : { once: messageKey(id) };
}
