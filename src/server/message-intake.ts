import { defined } from '../events/defined.ts';
import type { Agent } from '../agents/agent.ts';
import { backgroundClock, type Clock, systemClock } from '../agents/clock.ts';
import type { RunControl, StartOptions } from '../control/supervision/run-control.ts';
import { requestSteering, type SteerRequest } from '../control/supervision/steer-request.ts';
import { newId, SingletreeError } from '../events/index.ts';
import { allThreads, type EventLog, type Thread } from '../log/index.ts';
import { SerialQueues } from '../events/serial-queue.ts';
import type { MessageReceipt } from '../protocols/index.ts';
import type { AgentDirectory } from './agent-directory.ts';
import { followUpsOf, markFollowUp, noFollowUp, noteOf, queuedIn, type SentMessage } from './follow-ups.ts';
import { earlierReceipt, messageKey } from './message-receipts.ts';
import { notQueued } from './queued-messages.ts';
import { titleOf } from './title.ts';

export interface IntakeOptions {
  readonly log: EventLog;
  readonly control: RunControl;
  readonly agents: AgentDirectory;
  /** Ends the search for messages that other servers stored. */
  readonly signal?: AbortSignal;
  /** Times that search; by default a system clock that does not keep the process alive. */
  readonly clock?: Clock;
}

/** How often messages that other servers stored are searched, in milliseconds. */
const checkMs = 5_000;

/** How long to wait, and how often, while another process begins or ends a run of the thread. */
const leaseMs = 100;
const leaseTries = 20;

/** Takes in what people say: those of one thread one after the other. */
export class MessageIntake {
  readonly #options: IntakeOptions;
  /** One queue for each thread. */
  readonly #queues = new SerialQueues();
  /** The threads whose next message is delivered when their runs have ended. */
  readonly #waiting = new Set<string>();
  /** Who waits to hear which run a follow-up started, by the id of the follow-up. */
  readonly #awaited = new Map<string, AwaitedRun>();

  constructor(options: IntakeOptions) {
    this.#options = options;
  }

  /**
   * A message goes into the run of the thread that is under way, or starts the agent that was named, else the first.
   * A follow-up waits, kept with the thread, until no run is under way. A message with the id of an earlier one of the
   * thread has no effect: it gets the receipt of that one.
   */
  take(thread: Thread, message: SentMessage): Promise<MessageReceipt> {
    return this.#queues.run(thread.id, async () => {
      pickAgent(this.#options.agents, message.agent);
      return this.#whenFree(() => this.#takeOnce(thread, message));
    });
  }

  /**
   * Takes in a message that starts a run of its own, after those under way; `runId` is known when it starts, and rejects
   * when it never does, as when its thread is deleted. A message with the id of an earlier one has the run of that one.
   */
  takeAlone(thread: Thread, message: SentMessage): Promise<{ runId: Promise<string> }> {
    return this.#queues.run(thread.id, async () => {
      pickAgent(this.#options.agents, message.agent);
      try {
        return await this.#whenFree(() => this.#receiveAlone(thread, message));
      } catch (error) {
        const earlier = await this.#earlier(thread.id, message, error);
        const runId =
          earlier.queued === true ? this.#runOfWaiting(thread.id, message, error) : Promise.resolve(earlier.runId);
        runId.catch(() => {});
        return { runId };
      }
    });
  }

  /**
   * Sends a waiting message into the run that is under way; it is delivered at once when none is. Throws `not_found`
   * when it does not wait any more.
   */
  sendNow(threadId: string, id: string): Promise<MessageReceipt> {
    return this.#queues.run(threadId, async () => {
      const runId = await this.#runningIn(threadId);
      const thread = await this.#options.log.getThread(threadId);
      const queued = thread && queuedIn(thread).find(each => each.id === id);
      if (thread === undefined || queued === undefined) throw notQueued(id);
      const { message } = queued;
      if (runId === undefined) {
        const conditions = { metadata: noFollowUp(id), expectedSeq: thread.seq };
        return { runId: await this.#start(thread, message, conditions) };
      }
      // The note of the request takes the place of the note of the follow-up: both have this id.
      const { content, by } = message;
      const note = noteOf({ ...message, delivery: 'steer' }, runId);
      await this.#request(threadId, runId, { id, content, note, ...defined({ by }) });
      return { runId, steered: true };
    });
  }

  /** Changes what waits in a thread, while nothing of it is delivered here. */
  async changeQueue(threadId: string, change: () => Promise<void>): Promise<void> {
    await this.#queues.run(threadId, change);
    void this.#deliverAfterRuns(threadId);
  }

  /** Removes a thread: nothing is taken in while `remove` works, and what waited is given up afterwards. */
  removeThread(threadId: string, remove: () => Promise<void>): Promise<void> {
    return this.#queues.run(threadId, async () => {
      await remove();
      this.#giveUp(threadId);
    });
  }

  /**
   * Delivers the messages that other processes stored and did not deliver before they ended: now, and from time to time
   * until the signal aborts. Runs were recovered before.
   */
  async resume(): Promise<void> {
    const { log, clock = backgroundClock, signal } = this.#options;
    try {
      for await (const thread of allThreads(log, { followUps: true }))
        if (!this.#waiting.has(thread.id)) await this.#deliver(thread.id);
    } finally {
      if (signal?.aborted !== true) clock.after(checkMs, () => void this.resume().catch(() => {}));
    }
  }

  /** Tries again while another process begins or ends a run of the thread. */
  async #whenFree<Result>(attempt: () => Promise<Result>): Promise<Result> {
    for (let tries = 1; ; tries++)
      try {
        return await attempt();
      } catch (error) {
        if (!SingletreeError.is(error, 'lease_held') || tries >= leaseTries) throw error;
        await this.#delay(leaseMs);
      }
  }

  async #takeOnce(thread: Thread, message: SentMessage): Promise<MessageReceipt> {
    try {
      return await this.#receive(thread, message);
    } catch (error) {
      return this.#earlier(thread.id, message, error);
    }
  }

  /** The receipt of an earlier message with the same id; rejects with the error when there is none. */
  async #earlier(threadId: string, { id }: SentMessage, error: unknown): Promise<MessageReceipt> {
    const earlier = id && (await earlierReceipt(this.#options.log, threadId, id, error));
    if (!earlier) throw error;
    return earlier;
  }

  async #receiveAlone(thread: Thread, message: SentMessage): Promise<{ runId: Promise<string> }> {
    const running = await this.#runningIn(thread.id);
    if (running === undefined) return { runId: Promise.resolve(await this.#start(thread, message, onceOf(message))) };
    checkWaits(message);
    const id = newId();
    await this.#queue(thread.id, { id, message: noteOf(message, running), ...onceOf(message) });
    const runId = new Promise<string>((resolve, reject) =>
      this.#awaited.set(id, { threadId: thread.id, resolve, reject }),
    );
    // A reader that went away hears nothing of it.
    runId.catch(() => {});
    return { runId };
  }

  /** The run of a message that waits, whatever server delivers it; `error` is that of receiving it again. */
  async #runOfWaiting(threadId: string, message: SentMessage, error: unknown): Promise<string> {
    const { control, signal } = this.#options;
    for (;;) {
      await control.idle(threadId, signal);
      const { runId, queued } = await this.#earlier(threadId, message, error);
      if (queued !== true) return runId;
      await this.#delay(leaseMs);
    }
  }

  async #receive(thread: Thread, message: SentMessage): Promise<MessageReceipt> {
    const runId = await this.#runningIn(thread.id);
    if (runId === undefined) return { runId: await this.#start(thread, message, onceOf(message)) };
    checkWaits(message);
    if (message.delivery === 'follow_up') {
      await this.#queue(thread.id, { id: newId(), message: noteOf(message, runId), ...onceOf(message) });
      return { runId, queued: true };
    }
    await this.#steer(thread.id, runId, message);
    return { runId, steered: true };
  }

  /** Stores a message and sends it into a run; it is delivered as a follow-up when the run ends without adding it. */
  async #steer(threadId: string, runId: string, message: SentMessage): Promise<void> {
    const { id = newId(), content, by } = message;
    const note = noteOf(message, runId);
    await this.#request(threadId, runId, { id, content, note, ...onceOf(message), ...defined({ by }) });
  }

  async #request(threadId: string, runId: string, request: Omit<SteerRequest, 'runId'>): Promise<void> {
    const { log, control } = this.#options;
    const { id, content, by } = request;
    await requestSteering(log, threadId, { runId, ...request });
    void this.#deliverAfterRuns(threadId);
    try {
      // A run of this process adds it at once; another process reads it from the log.
      control.steer(runId, content, { requestId: id, ...defined({ by }) });
    } catch (error) {
      if (!SingletreeError.is(error, 'run_not_found')) throw error;
    }
  }

  async #queue(threadId: string, followUp: Parameters<typeof markFollowUp>[2]): Promise<void> {
    await markFollowUp(this.#options.log, threadId, followUp);
    void this.#deliverAfterRuns(threadId);
  }

  #delay(ms: number): Promise<void> {
    const { clock = systemClock } = this.#options;
    return new Promise(resolve => void clock.after(ms, resolve));
  }

  async #deliverAfterRuns(threadId: string): Promise<void> {
    if (this.#waiting.has(threadId)) return;
    this.#waiting.add(threadId);
    // A server that ends leaves it with the thread; another one delivers it.
    await this.#options.control
      .idle(threadId)
      .finally(() => this.#waiting.delete(threadId))
      .then(() => this.#deliver(threadId))
      .catch(() => {});
  }

  /** Starts the oldest follow-up of a thread in which nothing runs; of several servers only one does. */
  async #deliver(threadId: string): Promise<void> {
    await this.#queues.run(threadId, async () => {
      const running = await this.#runningIn(threadId);
      const thread = await this.#options.log.getThread(threadId);
      if (thread === undefined) return this.#giveUp(threadId);
      const [first] = followUpsOf(thread);
      if (first === undefined) return;
      const { clock = backgroundClock } = this.#options;
      const heldMs = Date.parse(first.message.heldUntil ?? '') - clock.now();
      if (heldMs > 0) {
        clock.after(heldMs, () => void this.#deliverAfterRuns(threadId));
        return;
      }
      if (running === undefined)
        try {
          const conditions = { metadata: noFollowUp(first.id), expectedSeq: thread.seq };
          const runId = await this.#start(thread, first.message, conditions);
          this.#settle(first.id, awaited => awaited.resolve(runId));
        } catch (error) {
          if (!SingletreeError.is(error, 'seq_conflict') && !SingletreeError.is(error, 'lease_held')) {
            this.#settle(first.id, awaited => awaited.reject(error));
            throw error;
          }
        }
      void this.#deliverAfterRuns(threadId);
    });
  }

  /** Rejects for those who wait for a follow-up that was deleted with its thread. */
  #giveUp(threadId: string): void {
    for (const [id, awaited] of this.#awaited)
      if (awaited.threadId === threadId) this.#settle(id, ({ reject }) => reject(deleted(threadId)));
  }

  #settle(id: string, settle: (awaited: AwaitedRun) => void): void {
    const awaited = this.#awaited.get(id);
    this.#awaited.delete(id);
    if (awaited !== undefined) settle(awaited);
  }

  async #start(
    thread: Thread,
    message: SentMessage,
    conditions: Pick<StartOptions, 'metadata' | 'expectedSeq' | 'once'> = {},
  ): Promise<string> {
    const { log, control, agents } = this.#options;
    const { id, content, model, mode, edits, by } = message;
    const agent = pickAgent(agents, message.agent);
    checkMode(agent, mode);
    const run = await control.start(thread.id, {
      agent,
      content,
      ...defined({ id, model, mode, edits, by }),
      ...conditions,
    });
    if (thread.title === undefined) await log.updateThread(thread.id, { title: titleOf(content) });
    return run.runId;
  }

  /** The first run that is under way in a thread, in whatever process; one whose process died is taken over first. */
  async #runningIn(threadId: string): Promise<string | undefined> {
    const { here, elsewhere } = await this.#options.control.takeOver(threadId);
    return here[0]?.runId ?? elsewhere[0];
  }
}

/** The key under which a message with an id is stored once. */
function onceOf({ id }: SentMessage): { readonly once?: string } {
  return id === undefined ? {} : { once: messageKey(id) };
}

interface AwaitedRun {
  readonly threadId: string;
  readonly resolve: (runId: string) => void;
  readonly reject: (error: unknown) => void;
}

function deleted(threadId: string): SingletreeError {
  return new SingletreeError('thread_not_found', `The thread "${threadId}" was deleted before the message was sent.`, {
    details: { threadId },
  });
}

/** Throws when a message cannot wait: what it takes the place of may be another by then. */
function checkWaits({ edits }: SentMessage): void {
  if (edits === undefined) return;
  throw new SingletreeError('run_under_way', 'A run is under way: stop it or wait for it before you edit a message.');
}

/** Throws when the agent has no such mode. */
function checkMode({ id, modes = [] }: Agent, mode: string | undefined): void {
  if (mode === undefined || modes.some(known => known.id === mode)) return;
  const known = modes.length === 0 ? 'It has no modes.' : `Its modes: ${modes.map(each => each.id).join(', ')}.`;
  throw new SingletreeError('invalid_argument', `The agent "${id}" has no mode "${mode}". ${known}`);
}

/** The agent that was named, else the first. */
export function pickAgent(agents: AgentDirectory, named: string | undefined) {
  const id = named ?? agents.list()[0]?.id;
  const agent = id === undefined ? undefined : agents.get(id);
  if (agent !== undefined) return agent;
  const known = agents.list().map(each => each.id);
  throw new SingletreeError(
    'agent_not_found',
    id === undefined
      ? 'This server offers no agent.'
      : `There is no agent "${id}". This server offers: ${known.join(', ')}.`,
    { details: { agent: id } },
  );
}
