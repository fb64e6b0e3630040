import { defined } from '../events/defined.ts';
import type { Agent } from '../agents/agent.ts';
import { backgroundClock, type Clock } from '../control/supervision/clock.ts';
import type { RunControl, StartOptions } from '../control/supervision/run-control.ts';
import { requestSteering } from '../control/supervision/steer-request.ts';
import { newId, SingletreeError } from '../events/index.ts';
import { allThreads, type EventLog, type Thread } from '../log/index.ts';
import { SerialQueues } from '../events/serial-queue.ts';
import type { MessageReceipt } from '../protocols/index.ts';
import type { AgentDirectory } from './agent-directory.ts';
import { followUpsOf, markFollowUp, noFollowUp, type SentMessage } from './follow-ups.ts';
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
   * A follow-up waits, kept with the thread, until no run is under way.
   */
  take(thread: Thread, message: SentMessage): Promise<MessageReceipt> {
    return this.#queues.run(thread.id, async () => {
      pickAgent(this.#options.agents, message.agent);
      const running = await this.#runningIn(thread.id);
      if (running !== undefined && (message.delivery === 'follow_up' || !running.isHere)) checkWaits(message);
      if (running !== undefined && message.delivery === 'follow_up') {
        await this.#queue(thread.id, newId(), message);
        return { runId: running.runId, queued: true };
      }
      if (running?.isHere === false) return this.#steerElsewhere(thread.id, running.runId, message);
      const steered = message.edits === undefined ? this.#steer(thread.id, message) : undefined;
      return steered === undefined ? { runId: await this.#start(thread, message) } : { runId: steered, steered: true };
    });
  }

  /**
   * Takes in a message that starts a run of its own, after those under way; `runId` is known when it starts, and rejects
   * when it never does, as when its thread is deleted.
   */
  takeAlone(thread: Thread, message: SentMessage): Promise<{ runId: Promise<string> }> {
    return this.#queues.run(thread.id, async () => {
      pickAgent(this.#options.agents, message.agent);
      if ((await this.#runningIn(thread.id)) === undefined)
        return { runId: Promise.resolve(await this.#start(thread, message)) };
      checkWaits(message);
      const id = newId();
      const runId = new Promise<string>((resolve, reject) =>
        this.#awaited.set(id, { threadId: thread.id, resolve, reject }),
      );
      // A reader that went away hears nothing of it.
      runId.catch(() => {});
      await this.#queue(thread.id, id, message);
      return { runId };
    });
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

  /** Sends a message into a run of another process; it is delivered as a follow-up when the run ends without adding it. */
  async #steerElsewhere(threadId: string, runId: string, message: SentMessage): Promise<MessageReceipt> {
    const { content, by } = message;
    await requestSteering(this.#options.log, threadId, {
      runId,
      id: newId(),
      content,
      note: message,
      ...defined({ by }),
    });
    void this.#deliverAfterRuns(threadId);
    return { runId, steered: true };
  }

  async #queue(threadId: string, id: string, message: SentMessage): Promise<void> {
    await markFollowUp(this.#options.log, threadId, id, message);
    void this.#deliverAfterRuns(threadId);
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
      if (running === undefined)
        try {
          const once = { metadata: noFollowUp(first.id), expectedSeq: thread.seq };
          const runId = await this.#start(thread, first.message, once);
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
    once: Pick<StartOptions, 'metadata' | 'expectedSeq'> = {},
  ): Promise<string> {
    const { log, control, agents } = this.#options;
    const { content, model, mode, edits, by } = message;
    const agent = pickAgent(agents, message.agent);
    checkMode(agent, mode);
    const run = await control.start(thread.id, {
      agent,
      content,
      ...defined({ model, mode, edits, by }),
      ...once,
    });
    if (thread.title === undefined) await log.updateThread(thread.id, { title: titleOf(content) });
    return run.runId;
  }

  /** The first run that is under way in a thread, in whatever process; one whose process died is taken over first. */
  async #runningIn(threadId: string): Promise<{ readonly runId: string; readonly isHere: boolean } | undefined> {
    const { here, elsewhere } = await this.#options.control.takeOver(threadId);
    if (here[0] !== undefined) return { runId: here[0].runId, isHere: true };
    return elsewhere[0] === undefined ? undefined : { runId: elsewhere[0], isHere: false };
  }

  /** The run that takes the message in, or undefined when none is under way. */
  #steer(threadId: string, { content, by }: SentMessage): string | undefined {
    for (const { runId } of this.#options.control.running().filter(run => run.threadId === threadId))
      try {
        this.#options.control.steer(runId, content, defined({ by }));
        return runId;
      } catch (error) {
        if (!SingletreeError.is(error, 'run_not_found')) throw error;
      }
    return undefined;
  }
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
