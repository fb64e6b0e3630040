import type { Agent, RunHost } from '../../agents/contract/agent.ts';
import type { RelayAnswer } from '../../agents/contract/host.ts';
import { checkAgentIds } from '../../agents/agent-ids.ts';
import { defined } from '../../base/defined.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import { newId } from '../../events/ids.ts';
import type { AgentEvent } from '../../events/vocabulary.ts';
import { getRetryTarget, selectMessage } from '../../graph/conversation/operations.ts';
import { getRun } from '../../graph/conversation/queries.ts';
import type { EventLog } from '../../log/event-log.ts';
import { changeMode } from '../threads/choice-events.ts';
import { sharedThreadMemory, type ThreadMemory, ThreadState } from '../threads/thread-memory.ts';
import type { ActiveRun } from './active-run.ts';
import { type ActiveThread, ActiveThreads, type RunRequest } from './active-thread.ts';
import { MemoryJobs } from './memory-jobs.ts';
import { type OpenRun, listOpenRuns } from './open-runs.ts';
import { answerRelay } from './resolve-relay.ts';
import {
  type AbortOptions,
  checkAbort,
  checkAbortAll,
  checkRetry,
  checkStart,
  type EndNote,
  type RetryRunOptions,
  type RunControl,
  type RunHandle,
  type RunsInThread,
  type StartOptions,
} from './run-control.ts';
import type { RunCounts } from './run-counts.ts';
import { findOrigin } from './run-input.ts';
import { type LaunchParts, launchRun, type RunLaunch } from './run-launch.ts';
import { RunObserver } from './run-observer.ts';
import { LocalRuns, runNotFound, RunOwnership, runUnderWay, type TakeoverResult } from './run-ownership.ts';
import { SpendingBook } from './spending-book.ts';
import {
  type AgentFinder,
  checkSupervisorOptions,
  type ResolvedOptions,
  resolveOptions,
  type SupervisorOptions,
} from './supervisor-options.ts';
import type { WaitingMessage } from '../../projections/message-queue.ts';
import type { RunResult } from '../../agents/contract/run-result.ts';
import { deliveredKey, endImportedRuns, userEvent } from './turn-events.ts';
import { turnShare } from './turn-share.ts';

/** A run to start. */
type NewRun = Pick<RunLaunch, 'note' | 'context' | 'lacksContext' | 'trace' | 'additions'> & {
  readonly agent: Agent;
  readonly parentId: string;
  readonly model: string | undefined;
};

/** The only code that invokes agents: appends their events, delivers answers and steering, and ends runs. */
export class Supervisor implements RunControl, RunHost {
  readonly #options: ResolvedOptions;
  readonly #agentOf: AgentFinder;
  readonly #threads: ActiveThreads;
  readonly #runs = new LocalRuns();
  /** The threads in which a run is being started that is to be the only one. */
  readonly #reserved = new Set<string>();
  readonly #ownership: RunOwnership;
  readonly #memory: ThreadMemory;
  readonly #memoryJobs: MemoryJobs;
  readonly #spending: SpendingBook;
  readonly #launchParts: LaunchParts;
  readonly #closing = new AbortController();
  readonly #runEndListeners = new Set<(threadId: string) => void>();
  readonly #settled = new WeakMap<ActiveRun, Promise<void>>();
  readonly #observer: RunObserver;
  readonly counts: RunCounts;
  #watches = false;

  /** Throws `invalid_argument` for options that are unknown, missing or invalid, and for two agents with the same id. */
  constructor(options: SupervisorOptions) {
    checkSupervisorOptions(options);
    const { agents = [], resourceId, limits, contextOf, telemetry, onDiagnostic, onFinish } = options;
    if (typeof agents !== 'function') checkAgentIds('The supervisor', agents);
    this.#observer = new RunObserver({ telemetry, onDiagnostic, onFinish });
    this.counts = this.#observer.counts;
    this.#options = resolveOptions(options);
    this.#agentOf = typeof agents === 'function' ? agents : ({ agentId }) => agents.find(({ id }) => id === agentId);
    this.#memory = options.memory ?? sharedThreadMemory(options.log);
    const { log, owner, leaseMs, clock, report } = this.#options;
    const shared = { log, owner, leaseMs, clock };
    const { signal } = this.#closing;
    const flush = (threadId: string) => this.flush(threadId);
    this.#ownership = new RunOwnership({
      ...shared,
      resourceId,
      signal,
      report,
      runs: this.#runs,
      takeOver: (threadId, open, note) => this.#takeOver(threadId, open, note),
    });
    this.#threads = new ActiveThreads({
      ...shared,
      report,
      signal,
      onQueue: threadId => void this.steer(threadId).catch(this.#observer.diagnose('steer_failed', threadId)),
    });
    this.#spending = new SpendingBook({ log, clock, limits, resourceId, flush });
    this.#memoryJobs = new MemoryJobs({
      ...shared,
      memory: this.#memory,
      flush,
      onFailure: (threadId, cause) => this.#observer.diagnose('memory_failed', threadId)(cause),
    });
    this.#launchParts = {
      options: this.#options,
      contextOf,
      memory: this.#memory,
      memoryJobs: this.#memoryJobs,
      spending: this.#spending,
      observer: this.#observer,
      runs: this.#runs,
      signal,
    };
  }

  /** Runs an agent on a prompt, in a new thread or the named one; resolves with the result. */
  async run(agent: Agent, prompt: string, options: Parameters<RunHost['run']>[2] = {}): Promise<RunResult> {
    const { threadId = (await this.#options.log.createThread()).id, signal, ...others } = options;
    signal?.throwIfAborted();
    const { runId, result } = await this.start(threadId, { agent, content: prompt, ...others });
    const abort = () =>
      void this.abort(runId, { threadId }).catch((error: unknown) => {
        // A run that has ended in the meantime need not be aborted.
        if (!SingletreeError.is(error, 'run_not_found')) this.#observer.diagnose('abort_failed', threadId)(error);
      });
    signal?.addEventListener('abort', abort, { once: true });
    if (signal?.aborted === true) abort();
    return result.finally(() => signal?.removeEventListener('abort', abort));
  }

  async start<Output>(threadId: string, options: StartOptions<Output>): Promise<RunHandle<Output>> {
    checkStart(options);
    const { agent, id, model, mode, folder, edits, note, expectedSeq, once, parallel, metadata } = options;
    const { context, trace, additions } = options;
    if (edits !== undefined) await this.#checkIdle(threadId);
    const needsState = edits !== undefined || mode !== undefined || (id !== undefined && once === deliveredKey(id));
    const state = needsState ? await this.#memory.of(threadId) : new ThreadState();
    const event = userEvent(options, state.conversation);
    const lacksContext = state.queue.some(message => message.id === id && this.#lacksContext(message));
    const run = await this.#startRun(
      threadId,
      { agent, parentId: `${event.runId}:user`, model, note, context, lacksContext, trace, additions },
      {
        event,
        expectedSeq,
        once,
        parallel,
        metadata,
        before: mode === undefined ? [] : changeMode(mode, state.mode),
        after: folder === undefined ? [] : [{ type: 'folder_changed', runId: newId(), ...folder }],
      },
    );
    return run as RunHandle<Output>;
  }

  #lacksContext({ id, hasContext }: WaitingMessage): boolean {
    return hasContext === true && !this.#options.hasContext(id);
  }

  async retry(threadId: string, options: RetryRunOptions): Promise<RunHandle> {
    checkRetry(options);
    const { agent, messageId, model, context, trace, additions } = options;
    await this.#checkIdle(threadId);
    const { conversation } = await this.#memory.of(threadId);
    const parentId = getRetryTarget(conversation, messageId);
    return this.#startRun(threadId, { agent, parentId, model, context, trace, additions });
  }

  async select(threadId: string, messageId: string): Promise<void> {
    await this.#checkIdle(threadId);
    const { conversation } = await this.#memory.of(threadId);
    await this.#options.log.append(threadId, [selectMessage(conversation, messageId, { runId: newId() })]);
  }

  async runBeside(threadId: string, runId: string, agent: Agent): Promise<void> {
    await this.#memoryJobs.runBeside(threadId, runId, { agent, spending: this.#spending.open(threadId, runId) });
  }

  async steer(threadId: string): Promise<void> {
    const runs = this.#runs.listIn(threadId);
    if (runs.length === 0) return;
    const { queue } = await this.#memory.of(threadId);
    for (const message of queue)
      if (message.delivery === 'steer')
        (runs.find(({ runId }) => runId === message.waitsFor) ?? runs[0])?.steer(message, this.#lacksContext(message));
  }

  onRunEnd(listener: (threadId: string) => void): () => void {
    this.#runEndListeners.add(listener);
    return () => void this.#runEndListeners.delete(listener);
  }

  async answer(threadId: string, relayId: string, answer: Omit<RelayAnswer, 'relayId'>): Promise<void> {
    // The process of the run may have ended: then the run resumes first, which closes requests that ended with it.
    if (this.#watches && !this.#threads.has(threadId))
      await this.takeOver(threadId).catch(this.#observer.diagnose('takeover_failed', threadId));
    await this.flush(threadId);
    const { relays } = await this.#memory.of(threadId);
    await answerRelay(this.#options.log, { threadId, relayId, relays }, answer);
  }

  /** Resolves when everything that runs of this process wrote to a thread is in the log. */
  async flush(threadId: string): Promise<void> {
    await this.#threads.flush(threadId);
  }

  async abort(runId: string, options: AbortOptions = {}): Promise<void> {
    checkAbort(options);
    const { by } = options;
    const request: AgentEvent = { type: 'abort_requested', runId, ...defined({ by }) };
    const run = this.#runs.active.get(runId);
    if (run === undefined) return this.#ownership.abort(request, options);
    run.abort(request);
    await run.done;
  }

  async abortAll(threadId: string, options: Omit<AbortOptions, 'threadId'> = {}): Promise<readonly string[]> {
    checkAbortAll(options);
    const thread = await this.#options.log.getThread(threadId);
    const runIds = thread === undefined ? [] : listOpenRuns(thread).map(({ runId }) => runId);
    const stopped = runIds.map(runId =>
      this.abort(runId, { ...options, threadId }).catch(error => {
        if (!SingletreeError.is(error, 'run_not_found')) throw error;
      }),
    );
    await Promise.all(stopped);
    return runIds;
  }

  takeOver(threadId: string): Promise<RunsInThread> {
    return this.#ownership.takeOver(threadId);
  }

  idle(threadId: string, signal: AbortSignal = this.#closing.signal): Promise<void> {
    return this.#ownership.idle(threadId, signal);
  }

  async recover(): Promise<readonly RunHandle[]> {
    if (this.#isClosed) return [];
    this.#watches = true;
    return this.#ownership.watch();
  }

  /** Resumes one run, or returns it when it runs here; throws `run_not_found` when the run is not open. */
  async continue(threadId: string, runId: string, { note }: Pick<StartOptions, 'note'> = {}): Promise<RunHandle> {
    const running = this.#runs.active.get(runId);
    if (running !== undefined) return running;
    const thread = await this.#options.log.getThread(threadId);
    const open = thread && listOpenRuns(thread).find(run => run.runId === runId);
    const handle = open && (await this.#ownership.takeOverRun(threadId, open, note));
    if (handle === undefined || handle === 'elsewhere') throw runNotFound(runId);
    return handle;
  }

  running(): readonly RunHandle[] {
    return [...this.#runs.active.values()];
  }

  /** Detaches its runs, which another process can resume; with a reason each shows why. */
  async close(reason?: string | ((run: RunHandle) => string)): Promise<void> {
    this.#closing.abort();
    const runs = [...this.#runs.active.values()];
    for (const run of runs) run.detach(typeof reason === 'function' ? reason(run) : reason);
    await Promise.all(runs.map(run => run.done));
    await Promise.all(runs.map(run => this.#settled.get(run) ?? Promise.resolve()));
    await this.#memoryJobs.close();
  }

  get #isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  /** Appends the request of a run, and starts it. */
  async #startRun(threadId: string, newRun: NewRun, request: RunRequest = {}): Promise<RunHandle> {
    const { agent, parentId, model, ...given } = newRun;
    if (request.parallel !== true) this.#reserve(threadId);
    let thread: ActiveThread | undefined;
    let runId: string | undefined;
    try {
      await turnShare.next();
      thread = await this.#threads.acquire(threadId);
      // A caller that passes the newest seq has seen the open runs.
      if (request.expectedSeq === undefined) await this.#endOrphans(threadId, thread);
      runId = await this.#newRunId(threadId, request.expectedSeq);
      this.#runs.starting.add(runId);
      const { log, owner } = this.#options;
      const open = { runId, agentId: agent.id, parentId, owner, ...defined({ model }) };
      const ends = await endImportedRuns({ log, memory: this.#memory }, threadId, request.expectedSeq);
      const before = [...ends, ...(request.before ?? [])];
      await thread.appendRequest(open, { ...request, before, additions: given.additions });
      const run = await this.#launch(thread, { ...given, threadId, open, agent, isNew: true });
      if (run === undefined) throw new Error('The run is over.');
      return run;
    } catch (error) {
      if (thread !== undefined) await this.#threads.release(threadId, thread);
      throw error;
    } finally {
      if (runId !== undefined) this.#runs.starting.delete(runId);
      if (request.parallel !== true) this.#reserved.delete(threadId);
    }
  }

  /** Throws `run_under_way` while another run of the thread starts or works in this process. */
  #reserve(threadId: string): void {
    const running = this.#runs.listIn(threadId).find(run => !run.isOver);
    if (this.#reserved.has(threadId) || running !== undefined) throw runUnderWay(threadId, running?.runId);
    this.#reserved.add(threadId);
  }

  /** Ends orphaned runs as interrupted, because a new run replaces them. */
  async #endOrphans(threadId: string, thread: ActiveThread): Promise<void> {
    for (const open of await this.#ownership.orphansIn(threadId))
      await this.#launch(thread, { threadId, open, isNew: false });
  }

  /** Our own ids are unique; custom ids are checked against the thread. */
  async #newRunId(threadId: string, seq = 0): Promise<string> {
    const runId = this.#options.newRunId();
    if (this.#options.newRunId === newId) return runId;
    const { conversation } = await this.#memory.of(threadId, seq);
    if (!this.#runs.active.has(runId) && getRun(conversation, runId) === undefined) return runId;
    throw new SingletreeError(
      'invalid_argument',
      `The run id "${runId}" was already used. Make sure that the id generator returns unique ids.`,
      { details: { threadId, runId } },
    );
  }

  /** Resumes or ends an open run, if the lease of its thread is free. */
  async #takeOver(threadId: string, open: OpenRun, note: EndNote | undefined): Promise<TakeoverResult> {
    // The call that starts it owns it.
    if (this.#runs.starting.has(open.runId)) return 'elsewhere';
    let thread: ActiveThread;
    try {
      thread = await this.#threads.acquire(threadId);
    } catch (error) {
      if (SingletreeError.is(error, 'lease_held')) return 'elsewhere';
      throw error;
    }
    try {
      const { conversation } = await this.#memory.of(threadId);
      const { origin } = await findOrigin(this.#options.log, undefined, { threadId, run: open, conversation });
      const agent = this.#agentOf(open, threadId, origin);
      const run = await this.#launch(thread, { threadId, open, agent, note, isNew: false });
      if (run === undefined) await this.#threads.release(threadId, thread);
      return run;
    } catch (error) {
      await this.#threads.release(threadId, thread);
      // Processes that cannot be ended keep working, so the run is not taken over.
      if (SingletreeError.is(error, 'run_under_way')) return 'elsewhere';
      throw error;
    }
  }

  /** Starts or resumes a run and passes it the waiting messages; undefined when it has ended. */
  async #launch(thread: ActiveThread, launch: RunLaunch): Promise<ActiveRun | undefined> {
    const launched = await launchRun(this.#launchParts, thread, launch);
    if (launched === undefined) return undefined;
    const { run, hasWaiting } = launched;
    if (hasWaiting) void this.steer(run.threadId).catch(this.#observer.diagnose('steer_failed', run.threadId));
    this.#settled.set(run, this.#settle(run, thread));
    return run;
  }

  async #settle(run: ActiveRun, thread: ActiveThread): Promise<void> {
    const outcome = await run.done;
    this.#runs.active.delete(run.runId);
    thread.runs.delete(run);
    const finished = run.isDetached ? undefined : this.#observer.finish(outcome, run);
    await this.#threads.release(run.threadId, thread);
    if (!this.#isClosed) for (const listener of this.#runEndListeners) listener(run.threadId);
    await finished;
  }

  /** Throws `run_under_way` while a run is active in any process. */
  async #checkIdle(threadId: string): Promise<void> {
    const { here, elsewhere } = await this.takeOver(threadId);
    const runId = here[0]?.runId ?? elsewhere[0];
    if (runId !== undefined) throw runUnderWay(threadId, runId);
  }
}

/** Resumes an open run in this process. */
export function continueRun(
  agent: Agent,
  log: EventLog,
  { threadId, runId }: { threadId: string; runId: string },
): Promise<RunHandle> {
  return new Supervisor({ log, agents: [agent] }).continue(threadId, runId);
}
