import { defined } from '../../base/defined.ts';
import type { Agent, RunHost } from '../../agents/contract/agent.ts';
import type { RelayAnswer } from '../../agents/contract/host.ts';
import { checkAgentIds } from '../../agents/agent-ids.ts';
import type { Limits } from '../../agents/limits/limits.ts';
import { SpendingCounter } from '../../agents/limits/spending.ts';
import { runMark } from '../../agents/process/process-marks.ts';
import type { AgentEvent } from '../../events/vocabulary.ts';
import { newId } from '../../events/ids.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import { deriveTraceId, findTrace } from '../../events/trace-context.ts';
import { getRun } from '../../graph/conversation/queries.ts';
import { retryOf, selectMessage } from '../../graph/conversation/operations.ts';
import { changeMode } from '../choice-events.ts';
import { ActiveRun } from './active-run.ts';
import type { ActiveThread, RunRequest } from './active-thread.ts';
import { ActiveThreads, supervisorClosed } from './active-threads.ts';
import { answerRelay, cancelRelays } from './answer-relay.ts';
import { type OpenRun, openRunsOf } from './open-runs.ts';
import { endOrphanedRun } from './orphaned-run.ts';
import { MemoryJobs } from './memory-jobs.ts';
import { SpendingBook } from './spending-book.ts';
import { turnShare } from './turn-share.ts';
import type {
  AbortOptions,
  EndNote,
  RetryRunOptions,
  RunControl,
  RunHandle,
  RunsInThread,
  StartOptions,
} from './run-control.ts';
import { checkAbort, checkAbortAll, checkRetry, checkStart } from './run-options.ts';
import { finished, ignoreFinished, type NewRun, type RunLaunch, usedRunId } from './run-launch.ts';
import { type ContextOf, findOrigin } from './run-context.ts';
import type { RunCounts } from './run-counts.ts';
import { RunObserver } from './run-observer.ts';
import { newRunRecord, readRunRecord } from './run-record.ts';
import { runNotFound, RunOwnership, runUnderWay, type TakeoverResult } from './run-ownership.ts';
import {
  type AgentFinder,
  checkSupervisorOptions,
  type ResolvedOptions,
  resolveOptions,
  type SupervisorOptions,
} from './supervisor-options.ts';
import { sharedThreadMemory } from '../shared-thread-memory.ts';
import { type ThreadMemory, ThreadState } from '../thread-memory.ts';
import { deliveredKey } from './message-keys.ts';
import { endImportedRuns, userEvent } from './turn-events.ts';
import type { WaitingMessage } from '../../projections/message-queue.ts';
import { ownSession } from '../inherited-session.ts';
import { countRawLines, runInputOf } from '../thread-record.ts';
import type { RunResult } from '../../agents/contract/run-result.ts';

/** The only code that invokes agents: appends their events, delivers answers and steering, and ends runs. */
export class Supervisor implements RunControl, RunHost {
  readonly #options: ResolvedOptions;
  readonly #agentOf: AgentFinder;
  readonly #threads: ActiveThreads;
  readonly #runs = new Map<string, ActiveRun>();
  /** Runs that are marked as open and starting here. */
  readonly #starting = new Set<string>();
  /** The threads in which a run is being started that is to be the only one. */
  readonly #reserved = new Set<string>();
  readonly #ownership: RunOwnership;
  readonly #memory: ThreadMemory;
  readonly #memoryJobs: MemoryJobs;
  readonly #limits: Limits | undefined;
  readonly #contextOf: ContextOf | undefined;
  readonly #spending: SpendingBook;
  readonly #closing = new AbortController();
  readonly #runEndListeners = new Set<(threadId: string) => void>();
  readonly #observer: RunObserver;
  readonly counts: RunCounts;
  #watches = false;

  /** Throws `invalid_argument` for options that are unknown, missing or invalid, and for two agents with the same id. */
  constructor(options: SupervisorOptions) {
    checkSupervisorOptions(options);
    const { agents = [], resourceId, limits, contextOf, telemetry, onDiagnostic, onFinish } = options;
    if (typeof agents !== 'function') checkAgentIds('The supervisor', agents);
    this.#limits = limits;
    this.#contextOf = contextOf;
    this.#observer = new RunObserver({ telemetry, onDiagnostic, onFinish });
    this.counts = this.#observer.counts;
    this.#options = resolveOptions(options);
    this.#agentOf = typeof agents === 'function' ? agents : ({ agentId }) => agents.find(({ id }) => id === agentId);
    this.#ownership = new RunOwnership({
      log: options.log,
      clock: this.#options.clock,
      leaseMs: this.#options.leaseMs,
      resourceId,
      signal: this.#closing.signal,
      report: this.#options.report,
      running: threadId => this.#runningIn(threadId),
      isOurs: runId => this.#runs.has(runId) || this.#starting.has(runId),
      takeOver: (threadId, open, note) => this.#takeOver(threadId, open, note),
    });
    this.#memory = options.memory ?? sharedThreadMemory(options.log);
    const { log, owner, leaseMs, clock, report } = this.#options;
    this.#threads = new ActiveThreads({
      log,
      owner,
      leaseMs,
      clock,
      report,
      runsIn: threadId => this.#runningIn(threadId),
      isClosed: () => this.#isClosed,
      onQueue: threadId => void this.steer(threadId).catch(this.#observer.diagnose('steer_failed', threadId)),
    });
    this.#spending = new SpendingBook({ log, clock, resourceId, flush: threadId => this.flush(threadId) });
    this.#memoryJobs = new MemoryJobs({
      log,
      memory: this.#memory,
      owner,
      leaseMs,
      clock,
      flush: threadId => this.flush(threadId),
      onFailure: (threadId, cause) => this.#observer.diagnose('memory_failed', threadId)(cause),
    });
  }

  /** Runs an agent on a prompt, in a new thread or the named one; resolves with the result. */
  async run(agent: Agent, prompt: string, options: Parameters<RunHost['run']>[2] = {}): Promise<RunResult> {
    const { threadId = (await this.#options.log.createThread()).id, signal, ...others } = options;
    signal?.throwIfAborted();
    const { runId, result } = await this.start(threadId, { agent, content: prompt, ...others });
    const abort = () =>
      void this.abort(runId, { threadId }).catch((error: unknown) => {
        // A run that has ended meanwhile need not be aborted.
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
      { agent, parentId: `${event.runId}:user`, model, note, metadata, context, lacksContext, trace, additions },
      {
        event,
        expectedSeq,
        once,
        parallel,
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
    const parentId = retryOf(conversation, messageId);
    return this.#startRun(threadId, { agent, parentId, model, context, trace, additions });
  }

  async select(threadId: string, messageId: string): Promise<void> {
    await this.#checkIdle(threadId);
    const { conversation } = await this.#memory.of(threadId);
    await this.#options.log.append(threadId, [selectMessage(conversation, messageId, { runId: newId() })]);
  }

  async runBeside(threadId: string, runId: string, agent: Agent): Promise<void> {
    const totals = this.#spending.totals(threadId);
    const spending = new SpendingCounter({ runId, limits: this.#limits, totals, resumed: undefined });
    await this.#memoryJobs.runBeside(threadId, runId, { agent, spending });
  }

  async steer(threadId: string): Promise<void> {
    const runs = this.#runningIn(threadId);
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
    const run = this.#runs.get(runId);
    if (run === undefined) return this.#ownership.abort(request, options);
    run.abort(request);
    await run.done;
  }

  async abortAll(threadId: string, options: Omit<AbortOptions, 'threadId'> = {}): Promise<readonly string[]> {
    checkAbortAll(options);
    const thread = await this.#options.log.getThread(threadId);
    const runIds = thread === undefined ? [] : openRunsOf(thread).map(({ runId }) => runId);
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
    const running = this.#runs.get(runId);
    if (running !== undefined) return running;
    const thread = await this.#options.log.getThread(threadId);
    const open = thread && openRunsOf(thread).find(run => run.runId === runId);
    const handle = open && (await this.#ownership.takeOverRun(threadId, open, note));
    if (handle === undefined || handle === 'elsewhere') throw runNotFound(runId);
    return handle;
  }

  running(): readonly RunHandle[] {
    return [...this.#runs.values()];
  }

  /** Detaches its runs, which another process can resume; with a reason each shows why. */
  async close(reason?: string | ((run: RunHandle) => string)): Promise<void> {
    this.#closing.abort();
    const runs = [...this.#runs.values()];
    for (const run of runs) run.detach(typeof reason === 'function' ? reason(run) : reason);
    await Promise.all(runs.map(run => run.done));
    await Promise.all(runs.map(run => this.#settled.get(run) ?? Promise.resolve()));
    await this.#memoryJobs.close();
  }

  readonly #settled = new WeakMap<ActiveRun, Promise<void>>();

  get #isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  #runningIn(threadId: string): readonly ActiveRun[] {
    return [...this.#runs.values()].filter(run => run.threadId === threadId);
  }

  /** Appends the request of a run, and starts it. */
  async #startRun(threadId: string, newRun: NewRun, request: RunRequest = {}): Promise<RunHandle> {
    const { agent, parentId, model, note, context, lacksContext, trace, additions } = newRun;
    if (request.parallel !== true) this.#reserve(threadId);
    let thread: ActiveThread | undefined;
    let runId: string | undefined;
    try {
      await turnShare.next();
      thread = await this.#threads.acquire(threadId);
      // A caller that passes the newest seq has seen the open runs.
      if (request.expectedSeq === undefined) await this.#endOrphans(threadId, thread);
      runId = await this.#newRunId(threadId, request.expectedSeq);
      this.#starting.add(runId);
      const { log, owner } = this.#options;
      const open = { runId, agentId: agent.id, parentId, owner, ...defined({ model }) };
      const ends = await endImportedRuns({ log, memory: this.#memory }, threadId, request.expectedSeq);
      const before = [...ends, ...(request.before ?? [])];
      await thread.appendRequest(open, { ...request, before, metadata: newRun.metadata, additions });
      const launch = { threadId, open, agent, note, isNew: true, context, lacksContext, trace, additions };
      return await this.#launch(thread, launch);
    } catch (error) {
      if (thread !== undefined) await this.#threads.release(threadId, thread);
      throw error;
    } finally {
      if (runId !== undefined) this.#starting.delete(runId);
      if (request.parallel !== true) this.#reserved.delete(threadId);
    }
  }

  /** Throws `run_under_way` while another run of the thread starts or works in this process. */
  #reserve(threadId: string): void {
    const running = this.#runningIn(threadId).find(run => !run.isOver);
    if (this.#reserved.has(threadId) || running !== undefined) throw runUnderWay(threadId, running?.runId);
    this.#reserved.add(threadId);
  }

  /** Ends orphaned runs as interrupted, because a new run replaces them. */
  async #endOrphans(threadId: string, thread: ActiveThread): Promise<void> {
    for (const open of await this.#ownership.orphansIn(threadId))
      await this.#launch(thread, { threadId, open, agent: undefined, note: undefined, isNew: false }).catch(
        ignoreFinished,
      );
  }

  /** Our own ids are unique; custom ids are checked against the thread. */
  async #newRunId(threadId: string, seq = 0): Promise<string> {
    const runId = this.#options.newRunId();
    if (this.#options.newRunId === newId) return runId;
    const { conversation } = await this.#memory.of(threadId, seq);
    if (this.#runs.has(runId) || getRun(conversation, runId) !== undefined) throw usedRunId(threadId, runId);
    return runId;
  }

  /** Resumes or ends an open run, if the lease of its thread is free. */
  async #takeOver(threadId: string, open: OpenRun, note: EndNote | undefined): Promise<TakeoverResult> {
    // The call that starts it owns it.
    if (this.#starting.has(open.runId)) return 'elsewhere';
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
      return await this.#launch(thread, { threadId, open, agent, note, isNew: false });
    } catch (error) {
      await this.#threads.release(threadId, thread);
      // Processes that cannot be ended keep working: the run is not ours.
      return SingletreeError.is(error, 'run_under_way') ? 'elsewhere' : ignoreFinished(error);
    }
  }

  /** Starts or resumes a run from its log; throws `finished` when it has ended. */
  async #launch(
    thread: ActiveThread,
    { threadId, open, agent, note, isNew, context, lacksContext, trace: named, additions: added }: RunLaunch,
  ): Promise<RunHandle> {
    const { log, graceMs, checkOrder } = this.#options;
    const { runId, parentId, model } = open;
    const { state, isAborted, additions } = isNew
      ? { ...newRunRecord, additions: added }
      : await readRunRecord(log, thread, { threadId, open });
    const threadState = await this.#memory.of(threadId, thread.seq);
    const input = runInputOf(open, threadState);
    if (state?.endedBy !== undefined) throw finished;
    if (
      input === undefined ||
      isAborted ||
      agent === undefined ||
      (state !== undefined && agent.abilities?.resumable !== true)
    ) {
      const reason = isAborted ? 'aborted' : 'interrupted';
      await endOrphanedRun(thread, open, { state, reason, isExternal: agent?.abilities?.isExternal });
      if (note !== undefined) await thread.mergeMetadata(note());
      throw finished;
    }
    const { session: last, ...given } = input.conversation;
    const session =
      last && (await ownSession(log, threadId, { session: last, seq: threadState.sessions.seqOf(last.id) }));
    if (!isNew) {
      await thread.append([], { resumes: runId });
      const { lostRequests } = agent.abilities ?? {};
      if (lostRequests !== undefined) await cancelRelays(thread, runId, lostRequests);
    }
    const { conversation } = threadState;
    const { origin, ...late } = await findOrigin(log, this.#contextOf, { threadId, run: open, conversation, context });
    const rawBefore = state && (await countRawLines(log, threadId, state));
    const trace = isNew ? named && { traceId: deriveTraceId(runId), ...named } : findTrace(state?.events ?? []);
    // `close` and the loss of a thread detach the runs that exist: none may begin after it.
    if (this.#isClosed) throw supervisorClosed();
    thread.checkServed();
    const run = new ActiveRun({
      thread,
      threadId,
      agent,
      graceMs,
      checkOrder,
      note,
      lacksContext: lacksContext === true,
      trace,
      observer: this.#observer,
      contexts: threadState.contexts.copy(),
      ...late,
      params: {
        run: { ...origin, ...input.run, runId, parentId, ...defined({ model, additions, resume: state }) },
        conversation: { ...given, ...defined({ session }) },
        host: {
          runMark: runMark(this.#options.owner, threadId, runId),
          memoryHost: this.#memoryJobs.host({ threadId, runId, parentId, messages: given.messages, threadState }),
          spending: new SpendingCounter({
            runId,
            limits: this.#limits,
            totals: this.#spending.totals(threadId),
            resumed: state,
          }),
          raw: line => thread.appendRaw(runId, line),
          ...defined({ rawBefore }),
        },
      },
    });
    this.#runs.set(runId, run);
    this.#observer.telemetry?.follow(run, Math.max(run.seq, threadState.seq));
    if (threadState.queue.length > 0)
      void this.steer(threadId).catch(this.#observer.diagnose('steer_failed', threadId));
    this.#settled.set(run, this.#settle(run, thread));
    return run;
  }

  async #settle(run: ActiveRun, thread: ActiveThread): Promise<void> {
    const outcome = await run.done;
    this.#runs.delete(run.runId);
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
