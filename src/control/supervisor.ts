import type { Agent, RelayAnswer } from '../agents/agent.ts';
import { type AgentEvent, type ContentPart, type EventOf, newId, SingletreeError } from '../events/index.ts';
import { editMessage, getRun, retryOf, selectMessage } from '../graph/index.ts';
import type { EventLog, Thread } from '../log/index.ts';
import { endOpenRuns } from '../agents/subagents/child-run.ts';
import type { RunState } from '../projections/run-state.ts';
import { ActiveRun } from './active-run.ts';
import { ActiveThread, type Asking } from './active-thread.ts';
import { answerRelay } from './answer-relay.ts';
import { processOwner } from './process-owner.ts';
import { noOpenRun, type OpenRun, openRunNote, openRunsOf } from './open-runs.ts';
import type { EndNote, RetryOptions, RunControl, RunHandle, StartOptions } from './run-control.ts';
import { ThreadMemory } from './thread-memory.ts';
import { givenTo, readRun } from './thread-record.ts';

export interface SupervisorOptions {
  readonly log: EventLog;
  /** The agents that runs left open by another process may belong to. */
  readonly agents?: readonly Agent[];
  /** Who holds the threads; another name for every supervisor. Made from the process when absent. */
  readonly owner?: string;
  /** How long a thread stays ours after a sign of life, in milliseconds; 15,000 when absent. */
  readonly leaseMs?: number;
  /** How long an agent that was told to stop may take; 2,000 when absent. */
  readonly graceMs?: number;
  /** Makes the ids of runs, each another one: a run with one that its thread has is refused. Ours when absent. */
  readonly newRunId?: () => string;
  /** What is known of the threads; its own when absent. */
  readonly memory?: ThreadMemory;
  /** Warns in the log about events that come in an illegal order; in development mode (`NODE_ENV`) when absent. */
  readonly checkOrder?: boolean;
}

/** How long a thread stays with a process after a sign of life, in milliseconds, when nothing else is said. */
export const usualLeaseMs = 15_000;

/** The only code that invokes agents: it appends what they emit, delivers answers and steering, and ends runs. */
export class Supervisor implements RunControl {
  readonly #options: Required<Omit<SupervisorOptions, 'memory'>>;
  readonly #threads = new Map<string, Promise<ActiveThread>>();
  readonly #runs = new Map<string, ActiveRun>();
  readonly #memory: ThreadMemory;
  #next: ReturnType<typeof setTimeout> | undefined;
  #closed = false;

  constructor(options: SupervisorOptions) {
    this.#options = {
      agents: [],
      owner: processOwner(),
      leaseMs: usualLeaseMs,
      graceMs: 2_000,
      newRunId: newId,
      checkOrder: process.env['NODE_ENV'] === 'development',
      ...options,
    };
    this.#memory = options.memory ?? new ThreadMemory(options.log);
  }

  async start(threadId: string, options: StartOptions): Promise<RunHandle> {
    const { agent, content, id, model, edits, note, expectedSeq } = options;
    const said = typeof content === 'string' ? content : [...content];
    const asked = newId();
    let event: EventOf<'user'> = { type: 'user', runId: asked, content: said, ...(id !== undefined && { id }) };
    if (edits !== undefined) {
      this.#checkIdle(threadId);
      const { conversation } = await this.#memory.of(threadId);
      event = editMessage(conversation, edits, { runId: asked, content: said });
    }
    return this.#begin(threadId, { agent, parentId: `${asked}:user`, model, note }, { event, expectedSeq });
  }

  async retry(threadId: string, { agent, messageId, model }: RetryOptions): Promise<RunHandle> {
    this.#checkIdle(threadId);
    const parentId = retryOf((await this.#memory.of(threadId)).conversation, messageId);
    return this.#begin(threadId, { agent, parentId, model });
  }

  async select(threadId: string, messageId: string): Promise<void> {
    this.#checkIdle(threadId);
    const { conversation } = await this.#memory.of(threadId);
    await this.#options.log.append(threadId, [selectMessage(conversation, messageId, { runId: newId() })]);
  }

  steer(runId: string, content: string | readonly ContentPart[]): void {
    this.#running(runId).steer(content);
  }

  async answer(threadId: string, relayId: string, answer: Omit<RelayAnswer, 'relayId'>): Promise<void> {
    const thread = await this.#threads.get(threadId);
    await thread?.writer.flush();
    const { relays } = await this.#memory.of(threadId);
    await answerRelay(this.#options.log, { threadId, relayId, relays }, answer);
  }

  async abort(runId: string): Promise<void> {
    const run = this.#running(runId);
    run.abort();
    await run.done;
  }

  async recover(): Promise<readonly RunHandle[]> {
    const handles: RunHandle[] = [];
    if (this.#closed) return handles;
    for await (const thread of this.#allThreads())
      for (const open of openRunsOf(thread)) {
        if (this.#runs.has(open.runId)) continue;
        const handle = await this.#continue(thread.id, open);
        if (handle === 'elsewhere') this.#lookAgain();
        else if (handle !== undefined) handles.push(handle);
      }
    return handles;
  }

  /** Goes on with one run, or is already; `run_not_found` when the thread has no such run that is open. */
  async continue(threadId: string, runId: string, { note }: Pick<StartOptions, 'note'> = {}): Promise<RunHandle> {
    const running = this.#runs.get(runId);
    if (running !== undefined) return running;
    const thread = await this.#options.log.getThread(threadId);
    const open = thread && openRunsOf(thread).find(run => run.runId === runId);
    const handle = open && (await this.#continue(threadId, open, note));
    if (handle === undefined || handle === 'elsewhere') throw runNotFound(runId);
    return handle;
  }

  running(): readonly RunHandle[] {
    return [...this.#runs.values()];
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#next);
    const runs = [...this.#runs.values()];
    for (const run of runs) run.leaveOpen();
    await Promise.all(runs.map(run => run.done));
    await Promise.all(runs.map(run => this.#settled.get(run) ?? Promise.resolve()));
  }

  readonly #settled = new WeakMap<ActiveRun, Promise<void>>();

  /** Looks for open runs once more after a while: the process that has them may end. */
  #lookAgain(): void {
    this.#next ??= setTimeout(() => {
      this.#next = undefined;
      void this.recover().catch(() => this.#lookAgain());
    }, this.#options.leaseMs).unref();
  }

  /** Notes the run, appends what asks for it, and starts it. */
  async #begin(threadId: string, wanted: Wanted, asking?: Asking): Promise<RunHandle> {
    const { agent, parentId, model, note } = wanted;
    const thread = await this.#enter(threadId);
    try {
      const open = {
        runId: await this.#newRunId(threadId, asking?.expectedSeq),
        agentId: agent.id,
        parentId,
        ...(model !== undefined && { model }),
      };
      const metadata = openRunNote(open);
      if (asking === undefined) await this.#options.log.updateThread(threadId, { metadata });
      else await thread.ask(asking, metadata);
      return await this.#run(thread, { threadId, open, agent, note, isNew: true });
    } catch (error) {
      await this.#leave(threadId, thread);
      throw error;
    }
  }

  /** Ours are never the same; what others make is compared with what is known of a thread that somebody holds. */
  async #newRunId(threadId: string, seq = 0): Promise<string> {
    const runId = this.#options.newRunId();
    if (this.#options.newRunId === newId) return runId;
    const { conversation } = await this.#memory.of(threadId, seq);
    if (!this.#runs.has(runId) && getRun(conversation, runId) === undefined) return runId;
    throw new SingletreeError(
      'invalid_argument',
      `The run cannot begin: its id "${runId}" was used before. Let the generator of ids give another one each time.`,
      { details: { threadId, runId } },
    );
  }

  /** Undefined when the run is over, `elsewhere` when another process has it. */
  async #continue(threadId: string, open: OpenRun, note?: EndNote): Promise<RunHandle | 'elsewhere' | undefined> {
    let thread: ActiveThread;
    try {
      thread = await this.#enter(threadId);
    } catch (error) {
      if (SingletreeError.is(error, 'lease_held')) return 'elsewhere';
      throw error;
    }
    const agent = this.#options.agents.find(({ id }) => id === open.agentId);
    try {
      return await this.#run(thread, { threadId, open, agent, note, isNew: false });
    } catch (error) {
      await this.#leave(threadId, thread);
      if (error === finished) return undefined;
      throw error;
    }
  }

  /** Starts or goes on with a run, from what the log says about it. */
  async #run(thread: ActiveThread, { threadId, open, agent, note, isNew }: Beginning): Promise<RunHandle> {
    const { log, graceMs, checkOrder } = this.#options;
    const { runId, parentId, model } = open;
    if (!isNew) await thread.expectAnswers();
    const state = isNew ? undefined : await readRun(log, { threadId, runId }, event => thread.inbox.take(event));
    const given = givenTo(open, await this.#memory.of(threadId, thread.seq));
    if (given === undefined || state?.endedBy !== undefined) {
      await log.updateThread(threadId, { metadata: noOpenRun(runId) });
      throw finished;
    }
    if (agent === undefined || (state !== undefined && agent.resumable !== true)) {
      await this.#interrupt(thread, open, state);
      await log.updateThread(threadId, { metadata: Object.assign(noOpenRun(runId), note?.()) });
      throw finished;
    }
    const run = new ActiveRun({
      log,
      thread,
      threadId,
      agent,
      graceMs,
      checkOrder,
      note,
      params: {
        runId,
        parentId,
        ...given,
        raw: line => log.appendRaw(threadId, runId, [line]),
        ...(model !== undefined && { model }),
        ...(state && { resume: state }),
      },
    });
    this.#runs.set(runId, run);
    this.#settled.set(run, this.#settle(run, thread, agent));
    return run;
  }

  async #settle(run: ActiveRun, thread: ActiveThread, agent: Agent): Promise<void> {
    const outcome = await run.done;
    this.#runs.delete(run.runId);
    await this.#deliverUnread(run, thread, outcome === 'complete' ? agent : undefined).catch(() => {});
    await this.#leave(run.threadId, thread);
  }

  /** What was said too late for a run to take in starts the next one, or, when it did not end well, is only kept. */
  async #deliverUnread(run: ActiveRun, thread: ActiveThread, agent: Agent | undefined): Promise<void> {
    const content = run.takeUnread().flatMap(message => partsOf(message.content));
    if (content.length === 0) return;
    if (agent !== undefined && !this.#closed) await this.start(run.threadId, { agent, content });
    else await thread.writer.write({ type: 'user', runId: newId(), content });
  }

  async #interrupt(thread: ActiveThread, { runId, agentId }: OpenRun, state?: RunState): Promise<void> {
    const message = `The process that ran "${agentId}" ended, and the run cannot be continued.`;
    await thread.writer.write({ type: 'warning', runId, message, code: 'interrupted' });
    const put = (event: AgentEvent) => thread.writer.write(event);
    if (state === undefined) await put({ type: 'harness_end', runId, agentId, reason: 'interrupted' });
    else await endOpenRuns({ ...state, agentId }, put);
  }

  async #enter(threadId: string): Promise<ActiveThread> {
    if (this.#closed) throw new SingletreeError('log_closed', 'The supervisor is closed: make a new one.');
    let opening = this.#threads.get(threadId);
    if (opening === undefined) {
      const { log, owner, leaseMs } = this.#options;
      opening = ActiveThread.open({ log, threadId, owner, leaseMs, onLost: () => this.#lost(threadId) });
      this.#threads.set(threadId, opening);
      opening.catch(() => this.#threads.delete(threadId));
    }
    const thread = await opening;
    thread.enter();
    return thread;
  }

  async #leave(threadId: string, thread: ActiveThread): Promise<void> {
    if (!thread.exit()) return;
    this.#threads.delete(threadId);
    await thread.close();
  }

  /** Another process has the thread now: what runs here is let go. */
  #lost(threadId: string): void {
    for (const run of this.#runs.values()) if (run.threadId === threadId) run.leaveOpen();
  }

  #checkIdle(threadId: string): void {
    for (const run of this.#runs.values())
      if (run.threadId === threadId)
        throw new SingletreeError('run_under_way', 'A run is under way in this thread: stop it or wait for it first.', {
          details: { threadId, runId: run.runId },
        });
  }

  #running(runId: string): ActiveRun {
    const run = this.#runs.get(runId);
    if (run === undefined) throw runNotFound(runId);
    return run;
  }

  async *#allThreads(): AsyncGenerator<Thread> {
    const limit = 200;
    for (let after: Thread | undefined; ; ) {
      const page = await this.#options.log.listThreads({ limit, ...(after && { after }) });
      yield* page;
      if (page.length < limit) return;
      after = page.at(-1);
    }
  }
}

/** A run that somebody wants. */
interface Wanted {
  readonly agent: Agent;
  readonly parentId: string;
  readonly model: string | undefined;
  readonly note?: EndNote | undefined;
}

/** A run that is about to begin, or to go on. */
interface Beginning {
  readonly threadId: string;
  readonly open: OpenRun;
  readonly agent: Agent | undefined;
  readonly note: EndNote | undefined;
  readonly isNew: boolean;
}

function partsOf(content: string | readonly ContentPart[]): readonly ContentPart[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

const finished = new Error('The run is over.');

function runNotFound(runId: string): SingletreeError {
  return new SingletreeError('run_not_found', `The run "${runId}" is not under way here.`, { details: { runId } });
}

/** Goes on with a run that a process left open, in this process. */
export function continueRun(
  agent: Agent,
  log: EventLog,
  { threadId, runId }: { threadId: string; runId: string },
): Promise<RunHandle> {
  return new Supervisor({ log, agents: [agent] }).continue(threadId, runId);
}
