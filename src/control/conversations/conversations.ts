import type { RelayAnswer } from '../../agents/contract/host.ts';
import { systemClock } from '../../agents/clock.ts';
import { defined } from '../../base/defined.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import { newId } from '../../events/ids.ts';
import type { Conversation } from '../../graph/conversation/conversation.ts';
import { getRun } from '../../graph/conversation/queries.ts';
import type { Thread, EventLog } from '../../log/event-log.ts';
import { hasOpen } from '../../log/open-things.ts';
import type { WaitingMessage } from '../../projections/message-queue.ts';
import { type RewindResult, ThreadRewind, type UndoOptions } from '../rewind/rewind-thread.ts';
import { listOpenRuns, threadOfOpenRun } from '../supervision/open-runs.ts';
import type { AbortOptions, RetryRunOptions, RunHandle, StartOptions } from '../supervision/run-control.ts';
import { runNotFound } from '../supervision/run-ownership.ts';
import { messageKey } from '../supervision/turn-events.ts';
import { withChosenModel } from './conversation-settings.ts';
import { busy, MessageDelivery, queueHold, queueLease, retryWhileBusy } from './message-delivery.ts';
import { changeMessage, notWaiting, type QueueChange, queueMessage, storeUnanswered } from './queue-changes.ts';
import { checkAdditions, type OfferedAgents, pickAgent, type SendReceipt, type SentMessage } from './sent-message.ts';
import { type SystemReminder, systemReminderText } from './system-reminder.ts';
import { readEvents } from '../../log/read-events.ts';

/**
 * The operations of people on a conversation, shared by all interfaces: sending, queueing and delivering messages,
 * aborting runs and answering relays. The state is in the log, so every method works for threads of any process.
 */
export class Conversations extends MessageDelivery {
  /**
   * Accepts a message, and resolves when it is in the log: it goes into the run of the thread, waits for its end, or
   * starts a run. One with the id of an earlier message has no effect and gets the receipt of that one.
   */
  send(threadId: string, message: SentMessage): Promise<SendReceipt> {
    const accept = async () => {
      const { id: agent } = pickAgent(this.agents, message.agent, threadId);
      return (await this.#enqueue(threadId, { ...message, agent })) ?? (await this.#begin(threadId, message));
    };
    const { clock = systemClock } = this.options;
    // A message is added to a run that another caller starts at the same time.
    return this.#accept(threadId, message, () =>
      retryWhileBusy(accept, { clock, codes: ['lease_held', 'run_under_way'] }),
    );
  }

  /**
   * Accepts a message in the place of a user message, on a new branch, and starts a run with it; rejects with
   * `run_under_way` during a run. One with the id of an earlier message gets the receipt of that one.
   */
  edit(threadId: string, edits: string, message: SentMessage): Promise<SendReceipt> {
    const { clock = systemClock } = this.options;
    const begin = () => this.#begin(threadId, message, edits);
    return this.#accept(threadId, message, () => retryWhileBusy(begin, { clock, codes: ['lease_held'] }));
  }

  /**
   * Accepts a message for the active run of a thread, or for the turn after it; undefined when nothing runs there. Its
   * agent need not be offered here.
   */
  enqueue(threadId: string, message: SentMessage & { readonly agent: string }): Promise<SendReceipt | undefined> {
    return this.calls.run(threadId, () => this.#enqueue(threadId, message));
  }

  /**
   * Stores a message as waiting, whether or not something runs in the thread; the caller delivers it. One that was stored
   * before has no effect: it waits, or another process has delivered it.
   */
  async store(threadId: string, message: SentMessage & { readonly id: string; readonly agent: string }): Promise<void> {
    const running = this.control.running().find(run => run.threadId === threadId);
    try {
      await this.calls.run(threadId, () => this.#store(threadId, message, running?.runId));
    } catch (error) {
      if (!SingletreeError.is(error, 'once_conflict')) throw error;
    }
  }

  /**
   * Gives the agent of a thread something to read that it does not answer: at the next safe point of the run, else with
   * the next message.
   */
  remind(threadId: string, agent: string, reminder: SystemReminder): Promise<void> {
    const message = { id: newId(), content: systemReminderText(reminder), agent };
    return this.calls.run(threadId, async () => {
      const runId = await this.activeRun(threadId);
      if (runId === undefined) return storeUnanswered(this.log, threadId, message);
      await this.#store(threadId, message, runId);
      void this.deliverAfterRuns(threadId);
    });
  }

  /** Changes, moves or holds a waiting message; throws `not_found` when it, or the one to put it before, does not wait. */
  async change(threadId: string, id: string, change: QueueChange): Promise<void> {
    const { log } = this;
    const { clock = systemClock } = this.options;
    const { content, isHeld } = change;
    const hold = () => log.acquireLease(queueLease(threadId), queueHold);
    await this.#whileWaiting(threadId, id, async (queue, expectedSeq) => {
      if (isHeld === true) await retryWhileBusy(hold, { clock, codes: ['lease_held'] });
      const events = changeMessage(queue, id, change);
      if (events.length > 0) await log.append(threadId, events, { expectedSeq });
    });
    if (isHeld === false || (content !== undefined && isHeld === undefined)) {
      // Fails while a delivery has the lease; then no editor holds the queue.
      const lease = await hold().catch(() => undefined);
      if (lease !== undefined) await log.releaseLease(lease);
    }
    void this.deliverAfterRuns(threadId);
  }

  /** Withdraws a waiting message: it is not delivered, and its text stays in the log. Throws `not_found`. */
  async withdraw(threadId: string, id: string): Promise<void> {
    await this.#whileWaiting(threadId, id, async (_, expectedSeq) => {
      const withdrawn = { type: 'message_withdrawn' as const, runId: newId(), id };
      await this.log.append(threadId, [withdrawn], { expectedSeq });
    });
  }

  /**
   * Sends a waiting message into the run; when nothing runs it begins a turn, or becomes the next one where this process
   * does not deliver. Throws `not_found`.
   */
  async sendNow(threadId: string, id: string): Promise<SendReceipt> {
    return this.calls.run(threadId, async () => {
      const { log } = this;
      const runId = await this.activeRun(threadId);
      let receipt: SendReceipt | undefined;
      await this.#whileWaiting(threadId, id, async (queue, expectedSeq) => {
        const message = queue.find(each => each.id === id) as WaitingMessage;
        if (runId === undefined && this.delivers) {
          receipt = { runId: (await this.deliverMessage(threadId, message, expectedSeq)).runId };
          return;
        }
        const events =
          runId === undefined
            ? changeMessage(queue, id, { before: queue[0]?.id })
            : [{ type: 'message_changed' as const, runId: newId(), id, delivery: 'steer' as const }];
        if (events.length > 0) await log.append(threadId, events, { expectedSeq });
        receipt = { runId: runId ?? '', ...(runId === undefined ? { queued: true } : { steered: true }) };
      });
      await this.control.steer(threadId);
      return receipt as SendReceipt;
    });
  }

  /** Answers a relay: the first answer wins, and none counts after it expired. */
  async answer(threadId: string, relayId: string, answer: Omit<RelayAnswer, 'relayId'>): Promise<void> {
    await this.control.answer(threadId, relayId, answer);
    if (answer.outcome === 'approve') await this.leavePlanning(threadId, relayId);
  }

  /** Aborts a run of any process. Throws `run_not_found` when it is not open or belongs to another resource. */
  async abort(runId: string, { by, resourceId }: Pick<AbortOptions, 'by'> & { resourceId?: string | undefined } = {}) {
    const thread = await threadOfOpenRun(this.log, runId, resourceId);
    if (thread === undefined) throw runNotFound(runId);
    await this.control.abort(runId, { threadId: thread.id, ...defined({ by }) });
  }

  /**
   * Stops one subagent of a thread, in any process: its parent receives an error as its result and continues. Throws
   * `run_not_found` when it is not open, and `invalid_argument` for a subagent of an external program.
   */
  async stopSubagent(threadId: string, runId: string, { by }: Pick<AbortOptions, 'by'> = {}): Promise<void> {
    const thread = await this.log.getThread(threadId);
    const { conversation } = await this.memory.of(threadId);
    checkStoppable(conversation, runId, { thread, agents: this.agents });
    await this.log.append(threadId, [{ type: 'abort_requested', runId, ...defined({ by }) }]);
  }

  /** Aborts all active runs of a thread, in any process, and returns their ids. */
  abortAll(threadId: string, options: Omit<AbortOptions, 'threadId'> = {}): Promise<readonly string[]> {
    return this.control.abortAll(threadId, options);
  }

  /** Requests another answer to a message; both answers stay, as siblings. */
  async retry(
    threadId: string,
    { agent, ...message }: Omit<RetryRunOptions, 'agent'> & Pick<SentMessage, 'agent'>,
  ): Promise<RunHandle> {
    const picked = pickAgent(this.agents, agent, threadId);
    checkAdditions(picked, message.additions);
    return this.control.retry(threadId, { agent: picked, ...message });
  }

  /** Undoes turns of a thread with their file changes; later messages wait until it is done. */
  undo(threadId: string, options?: UndoOptions): Promise<RewindResult> {
    return this.calls.run(threadId, () => this.rewind.undo(threadId, options));
  }

  /** Reverts the undo that created a thread. */
  redo(threadId: string, options?: Pick<UndoOptions, 'force'>): Promise<RewindResult> {
    return this.calls.run(threadId, () => this.rewind.redo(threadId, options));
  }

  /** Undoes and redoes turns. Throws `not_supported` without the option `snapshots`. */
  get rewind(): ThreadRewind {
    const { log, snapshots } = this.options;
    if (snapshots !== undefined) return new ThreadRewind({ log, snapshots });
    throw new SingletreeError('not_supported', 'Nothing can be undone here: give the folder of the `snapshots`.');
  }

  /** Removes a thread with `remove` after aborting its runs; later messages wait until it is done. */
  delete(threadId: string, { by, remove }: { by?: string | undefined; remove: () => Promise<void> }): Promise<void> {
    return this.calls.run(threadId, async () => {
      await this.abortAll(threadId, defined({ by }));
      await remove();
    });
  }

  /** Accepts a message once, after the calls before it: one with the id of an earlier message gets its receipt. */
  #accept(threadId: string, { id }: SentMessage, accept: () => Promise<SendReceipt>): Promise<SendReceipt> {
    return this.calls.run(threadId, async () => {
      try {
        return await accept();
      } catch (error) {
        const earlier = id && (await earlierReceipt(this.log, threadId, id, error));
        if (!earlier) throw error;
        return earlier;
      }
    });
  }

  /** Starts a run with a message, which gives a thread its title: one without a title, or with that of the message it edits. */
  async #begin(threadId: string, message: SentMessage, edits?: string): Promise<SendReceipt> {
    const before = await this.log.getThread(threadId);
    const chosen = withChosenModel(this.agents, before, message);
    const { runId } = await this.start(threadId, chosen, { ...toOnce(message), ...defined({ edits }) });
    await this.titles.begin(threadId, message.content, { before, edits });
    return { runId };
  }

  /** Stores a message that has to wait; undefined when nothing runs in the thread and nothing else waits. */
  async #enqueue(threadId: string, message: SentMessage & { agent: string }): Promise<SendReceipt | undefined> {
    const runId = await this.activeRun(threadId);
    const thread = await this.log.getThread(threadId);
    if (runId === undefined && (thread === undefined || !hasOpen(thread, 'message'))) return undefined;
    const { id = newId(), delivery = 'steer' } = message;
    await this.#store(threadId, { ...message, id }, runId);
    void this.deliverAfterRuns(threadId);
    if (runId !== undefined) return { runId, ...(delivery === 'steer' ? { steered: true } : { queued: true }) };
    // Other messages are waiting: it is delivered after them.
    const next = await this.next(threadId);
    return { runId: next?.run.runId ?? '', ...(next?.messageId !== id && { queued: true }) };
  }

  async #store(
    threadId: string,
    message: SentMessage & { readonly id: string; readonly agent: string },
    waitsFor: string | undefined,
  ): Promise<void> {
    const { queue } = await this.memory.of(threadId);
    const queued = queueMessage(queue, message, waitsFor);
    await this.log.append(threadId, [queued], { once: messageKey(message.id) });
    if (queued.delivery === 'steer') await this.control.steer(threadId);
  }

  /** Reads the queue and applies a change; retries when another event was appended in between. */
  async #whileWaiting(
    threadId: string,
    id: string,
    change: (queue: readonly WaitingMessage[], expectedSeq: number) => Promise<void>,
  ): Promise<void> {
    for (let tries = 1; ; tries++) {
      const { seq } = await this.memory.of(threadId);
      const waiting = await this.queue(await this.find(threadId));
      if (!waiting.some(message => message.id === id)) throw notWaiting(id);
      try {
        return await change(waiting, seq);
      } catch (error) {
        if (!SingletreeError.is(error, 'seq_conflict') || tries >= busy.tries) throw error;
      }
    }
  }
}

/** The key under which a message with an id is accepted once. */
function toOnce({ id }: SentMessage): Pick<StartOptions, 'once'> {
  return id === undefined ? {} : { once: messageKey(id) };
}

/** Throws `run_not_found` for a subagent that is not open, and `invalid_argument` for one of an external program. */
function checkStoppable(
  conversation: Conversation,
  runId: string,
  { thread, agents }: { readonly thread: Thread | undefined; readonly agents: OfferedAgents },
): void {
  const open = thread === undefined ? [] : listOpenRuns(thread);
  if (getRun(conversation, runId)?.status !== 'running' || open.length === 0) throw runNotFound(runId);
  const owners = open.map(run => agents.get(getRun(conversation, run.runId)?.agentId ?? ''));
  if (owners.some(agent => agent?.abilities?.isExternal !== true)) return;
  throw new SingletreeError(
    'invalid_argument',
    `"${owners[0]?.id}" runs its subagents itself: one of them cannot be stopped alone. Stop the whole run instead.`,
  );
}

/** How many events the request of a run has at most: a mode, the message, a folder, the request itself. */
const requestEvents = 4;

/**
 * Returns the receipt of a message with this id that was accepted before, when an error can be the result of that: the
 * run that it started or went into, or the run that it waits for.
 */
async function earlierReceipt(
  log: EventLog,
  threadId: string,
  id: string,
  error: unknown,
): Promise<SendReceipt | undefined> {
  const seq = await earlierSeq(log, threadId, id, error);
  if (seq === undefined) return undefined;
  let receipt: SendReceipt | undefined;
  let cause: string | undefined;
  for await (const event of readEvents(log, threadId, Math.max(0, seq - requestEvents))) {
    if (event.type === 'message_queued' && event.id === id)
      receipt = { runId: event.waitsFor ?? '', ...(event.delivery === 'steer' ? { steered: true } : { queued: true }) };
    if (receipt?.steered === true) return receipt;
    if (cause === undefined && event.type === 'user' && event.id === id) cause = `${event.runId}:user`;
    const isRun = event.type === 'run_requested' || event.type === 'harness_start';
    if (cause !== undefined && isRun && event.parentId === cause) return { runId: event.runId };
  }
  return receipt;
}

/** The newest seq after the message was accepted; undefined when it was not. */
async function earlierSeq(log: EventLog, threadId: string, id: string, error: unknown): Promise<number | undefined> {
  if (SingletreeError.is(error, 'once_conflict')) return Number(error.details['seq']);
  // An edit is refused during the run that it started.
  if (!SingletreeError.is(error, 'run_under_way')) return undefined;
  return (await log.onceKeys?.(threadId))?.find(({ key }) => key === messageKey(id))?.seq;
}
