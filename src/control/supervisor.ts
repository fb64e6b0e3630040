import * as z from 'zod';
import type { Agent, RelayAnswer } from '../agents/agent.ts';
import { endOrphanedProcesses } from '../agents/process/orphaned-processes.ts';
import { runMark } from '../agents/process/process-marks.ts';
import {
  type AgentEvent,
  type ContentPart,
  type EventOf,
  type LoggedEvent,
  newId,
  SingletreeError,
} from '../events/index.ts';
import { optionsCheck } from '../events/options/check-options.ts';
import {
  agent,
  callback,
  clock,
  eventLog,
  field,
  flag,
  having,
  milliseconds,
  name,
} from '../events/options/option-fields.ts';
import { editMessage, getRun, retryOf, selectMessage } from '../graph/index.ts';
import type { EventLog } from '../log/index.ts';
import { ActiveRun } from './active-run.ts';
import { ActiveThread, type Asking } from './active-thread.ts';
import { answerRelay } from './answer-relay.ts';
import { backgroundClock, type Clock } from './clock.ts';
import { noOpenRun, type OpenRun, openRunNote, openRunsOf } from './open-runs.ts';
import { endOrphanedRun } from './orphaned-run.ts';
import { OutageReports } from './outage-reports.ts';
import { processOwner } from './process-owner.ts';
import type {
  AbortOptions,
  EndNote,
  RetryOptions,
  RunControl,
  RunHandle,
  RunsInThread,
  StartOptions,
} from './run-control.ts';
import { runNotFound, RunOwnership, type TakenOver } from './run-ownership.ts';
import { sharedThreadMemory } from './shared-thread-memory.ts';
import type { ThreadMemory } from './thread-memory.ts';
import { givenTo, readRun } from './thread-record.ts';

export interface SupervisorOptions {
  readonly log: EventLog;
  /** The agents that open runs of a process that ended may belong to, or what finds the agent of such a run. */
  readonly agents?: readonly Agent[] | AgentFinder;
  /** Takes over only runs of this resource; of all when absent. */
  readonly resourceId?: string;
  /** Who holds the threads; another name for every supervisor. Made from the process when absent. */
  readonly owner?: string;
  /** How long a thread stays ours after a sign of life, in milliseconds; 15,000 when absent. */
  readonly leaseMs?: number;
  /** How long an agent that was told to stop may take; 2,000 when absent. */
  readonly graceMs?: number;
  /** Makes the ids of runs, each another one: a run with one that its thread has is refused. Ours when absent. */
  readonly newRunId?: () => string;
  /** The cache of what the threads contain; the one that everything on this log shares when absent. */
  readonly memory?: ThreadMemory;
  /** Warns in the log about events that come in an illegal order; in development mode (`NODE_ENV`) when absent. */
  readonly checkOrder?: boolean;
  /** Times the look for runs without an owner; the system's clock, which keeps no process alive, when absent. */
  readonly clock?: Clock;
  /** Reports in one line that the log cannot be written, or can again; to stderr when absent. */
  readonly report?: (line: string) => void;
}

/** Finds the agent that resumes an open run; undefined when the run cannot be resumed. */
export type AgentFinder = (run: OpenRun, threadId: string) => Agent | undefined;

/** How long a thread stays with a process after a sign of life, in milliseconds, when nothing else is said. */
export const usualLeaseMs = 15_000;

const checkOptions = optionsCheck(
  'new Supervisor',
  () =>
    ({
      log: eventLog(),
      agents: z
        .union([z.array(agent()), callback()], { error: 'expected a list of agents, or a function that finds one' })
        .optional(),
      resourceId: name().optional(),
      owner: name().optional(),
      leaseMs: field(value => typeof value === 'number' && value > 0, 'milliseconds, more than 0').optional(),
      graceMs: milliseconds().optional(),
      newRunId: callback().optional(),
      memory: having(['of', 'hold'], 'a `new ThreadMemory(log)`').optional(),
      checkOrder: flag().optional(),
      clock: clock().optional(),
      report: callback().optional(),
    }) satisfies Record<keyof SupervisorOptions, z.ZodType>,
);

/** The only code that invokes agents: it appends what they emit, delivers answers and steering, and ends runs. */
export class Supervisor implements RunControl {
  readonly #options: Required<Omit<SupervisorOptions, 'memory' | 'resourceId' | 'agents'>>;
  readonly #agentOf: AgentFinder;
  readonly #threads = new Map<string, Promise<ActiveThread>>();
  readonly #runs = new Map<string, ActiveRun>();
  /** Runs that are noted as open and about to start here. */
  readonly #starting = new Set<string>();
  readonly #ownership: RunOwnership;
  readonly #outages: OutageReports;
  readonly #memory: ThreadMemory;
  readonly #closing = new AbortController();
  #watches = false;

  /** Throws `invalid_argument` for options that are unknown, missing or invalid. */
  constructor(options: SupervisorOptions) {
    checkOptions(options);
    const { agents = [], resourceId, ...others } = options;
    this.#options = {
      owner: processOwner(),
      leaseMs: usualLeaseMs,
      graceMs: 2_000,
      newRunId: newId,
      checkOrder: process.env['NODE_ENV'] === 'development',
      clock: backgroundClock,
      report: line => void process.stderr.write(`singletree: ${line}\n`),
      ...others,
    };
    this.#agentOf = typeof agents === 'function' ? agents : ({ agentId }) => agents.find(({ id }) => id === agentId);
    this.#ownership = new RunOwnership({
      log: options.log,
      clock: this.#options.clock,
      leaseMs: this.#options.leaseMs,
      resourceId,
      signal: this.#closing.signal,
      running: threadId => this.#runningIn(threadId),
      isOurs: runId => this.#runs.has(runId) || this.#starting.has(runId),
      takeOver: (threadId, open, note) => this.#takeOver(threadId, open, note),
    });
    this.#outages = new OutageReports({
      report: this.#options.report,
      mark: (threadId, event) => {
        for (const run of this.#runningIn(threadId)) run.mark(event(run.runId));
      },
    });
    this.#memory = options.memory ?? sharedThreadMemory(options.log);
  }

  async start(threadId: string, options: StartOptions): Promise<RunHandle> {
    const { agent, content, id, model, edits, note, expectedSeq, metadata } = options;
    const said = typeof content === 'string' ? content : [...content];
    const asked = newId();
    let event: EventOf<'user'> = { type: 'user', runId: asked, content: said, ...(id !== undefined && { id }) };
    if (edits !== undefined) {
      await this.#checkIdle(threadId);
      const { conversation } = await this.#memory.of(threadId);
      event = editMessage(conversation, edits, { runId: asked, content: said });
    }
    return this.#begin(threadId, { agent, parentId: `${asked}:user`, model, note, metadata }, { event, expectedSeq });
  }

  async retry(threadId: string, { agent, messageId, model }: RetryOptions): Promise<RunHandle> {
    await this.#checkIdle(threadId);
    const { conversation, seq } = await this.#memory.of(threadId);
    return this.#begin(threadId, { agent, parentId: retryOf(conversation, messageId), model, startAfter: seq });
  }

  async select(threadId: string, messageId: string): Promise<void> {
    await this.#checkIdle(threadId);
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
    // The run that asked may have lost its process: then it resumes with the answer.
    if (this.#watches && !this.#threads.has(threadId)) void this.takeOver(threadId).catch(() => {});
  }

  async abort(runId: string, options: AbortOptions = {}): Promise<void> {
    const { by } = options;
    const request: AgentEvent = { type: 'abort_requested', runId, ...(by !== undefined && { by }) };
    const run = this.#runs.get(runId);
    if (run === undefined) return this.#ownership.abort(request, options);
    run.abort(request);
    await run.done;
  }

  async abortAll(threadId: string, options: Omit<AbortOptions, 'threadId'> = {}): Promise<readonly string[]> {
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

  /** Resumes one run, unless it runs here already; `run_not_found` when the thread has no such open run. */
  async continue(threadId: string, runId: string, { note }: Pick<StartOptions, 'note'> = {}): Promise<RunHandle> {
    const running = this.#runs.get(runId);
    if (running !== undefined) return running;
    const thread = await this.#options.log.getThread(threadId);
    const open = thread && openRunsOf(thread).find(run => run.runId === runId);
    const handle = open && (await this.#ownership.continue(threadId, open, note));
    if (handle === undefined || handle === 'elsewhere') throw runNotFound(runId);
    return handle;
  }

  running(): readonly RunHandle[] {
    return [...this.#runs.values()];
  }

  async close(): Promise<void> {
    this.#closing.abort();
    const runs = [...this.#runs.values()];
    for (const run of runs) run.leaveOpen();
    await Promise.all(runs.map(run => run.done));
    await Promise.all(runs.map(run => this.#settled.get(run) ?? Promise.resolve()));
  }

  readonly #settled = new WeakMap<ActiveRun, Promise<void>>();

  get #isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  #runningIn(threadId: string): readonly ActiveRun[] {
    return [...this.#runs.values()].filter(run => run.threadId === threadId);
  }

  /** Notes the run, appends what asks for it, and starts it. */
  async #begin(threadId: string, wanted: Wanted, asking?: Asking): Promise<RunHandle> {
    const { agent, parentId, model, note, startAfter } = wanted;
    const thread = await this.#enter(threadId);
    let runId: string | undefined;
    try {
      // A caller that names the newest event has seen what is open.
      if (asking?.expectedSeq === undefined) await this.#endOrphans(threadId, thread);
      runId = await this.#newRunId(threadId, asking?.expectedSeq);
      this.#starting.add(runId);
      const { owner } = this.#options;
      const open = { runId, agentId: agent.id, parentId, owner, ...(model !== undefined && { model }) };
      const metadata = Object.assign(openRunNote(open), wanted.metadata);
      if (asking === undefined) await this.#options.log.updateThread(threadId, { metadata });
      else await thread.ask(asking, metadata);
      if (startAfter !== undefined) thread.startAfter(startAfter);
      return await this.#run(thread, { threadId, open, agent, note, isNew: true });
    } catch (error) {
      await this.#leave(threadId, thread);
      throw error;
    } finally {
      if (runId !== undefined) this.#starting.delete(runId);
    }
  }

  /** A new run takes the place of those whose process ended: they end as interrupted. */
  async #endOrphans(threadId: string, thread: ActiveThread): Promise<void> {
    for (const open of await this.#ownership.orphansIn(threadId))
      await this.#run(thread, { threadId, open, agent: undefined, note: undefined, isNew: false }).catch(isFinished);
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

  /** Resumes or ends an open run, when the lease of its thread can be had. */
  async #takeOver(threadId: string, open: OpenRun, note: EndNote | undefined): Promise<TakenOver> {
    // Its owner is the call that starts it.
    if (this.#starting.has(open.runId)) return 'elsewhere';
    let thread: ActiveThread;
    try {
      thread = await this.#enter(threadId);
    } catch (error) {
      if (SingletreeError.is(error, 'lease_held')) return 'elsewhere';
      throw error;
    }
    try {
      const agent = this.#agentOf(open, threadId);
      return await this.#run(thread, { threadId, open, agent, note, isNew: false });
    } catch (error) {
      await this.#leave(threadId, thread);
      // Processes that cannot be ended work on: the run is not ours.
      return SingletreeError.is(error, 'run_under_way') ? 'elsewhere' : isFinished(error);
    }
  }

  /** Starts or resumes a run, from what the log says about it; throws `finished` when it is over. */
  async #run(thread: ActiveThread, { threadId, open, agent, note, isNew }: Beginning): Promise<RunHandle> {
    const { log, graceMs, checkOrder } = this.#options;
    const { runId, parentId, model } = open;
    let isAborted = false;
    if (!isNew) await endOrphanedProcesses(runMark(open.owner, threadId, runId));
    if (!isNew) await thread.expectAnswers();
    const visit = (event: LoggedEvent) => {
      thread.inbox.take(event);
      if (event.type === 'abort_requested' && event.runId === runId) isAborted = true;
    };
    const state = isNew ? undefined : await readRun(log, { threadId, runId }, visit);
    const given = givenTo(open, await this.#memory.of(threadId, thread.seq));
    if (given === undefined || state?.endedBy !== undefined) {
      await thread.note(noOpenRun(runId));
      throw finished;
    }
    if (isAborted || agent === undefined || (state !== undefined && agent.resumable !== true)) {
      await endOrphanedRun(thread, open, { state, reason: isAborted ? 'aborted' : 'interrupted' });
      await thread.note(Object.assign(noOpenRun(runId), note?.()));
      throw finished;
    }
    if (!isNew) await thread.note(openRunNote({ ...open, owner: this.#options.owner }));
    const run = new ActiveRun({
      thread,
      threadId,
      agent,
      graceMs,
      checkOrder,
      note,
      params: {
        runId,
        parentId,
        runMark: runMark(this.#options.owner, threadId, runId),
        ...given,
        raw: line => thread.appendRaw(runId, line),
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
    if (agent !== undefined && !this.#isClosed) await this.start(run.threadId, { agent, content });
    else await thread.writer.write({ type: 'user', runId: newId(), content });
  }

  async #enter(threadId: string): Promise<ActiveThread> {
    if (this.#isClosed) throw new SingletreeError('log_closed', 'The supervisor is closed: make a new one.');
    let opening = this.#threads.get(threadId);
    if (opening === undefined) {
      const { log, owner, leaseMs } = this.#options;
      opening = ActiveThread.open({
        log,
        threadId,
        owner,
        leaseMs,
        onLost: () => this.#lost(threadId),
        onAbort: runId => this.#runs.get(runId)?.abort(),
        onOutage: error => this.#outages.begin(threadId, error),
        onOutageEnd: (error, ms) => this.#outages.end(threadId, error, ms),
      });
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
    this.#outages.close(threadId);
  }

  /** Another process owns the thread now: what runs here is detached. */
  #lost(threadId: string): void {
    for (const run of this.#runningIn(threadId)) run.leaveOpen();
  }

  /** Throws `run_under_way` while a run is, in whatever process. */
  async #checkIdle(threadId: string): Promise<void> {
    const { here, elsewhere } = await this.takeOver(threadId);
    const runId = here[0]?.runId ?? elsewhere[0];
    if (runId === undefined) return;
    throw new SingletreeError('run_under_way', 'A run is under way in this thread: stop it or wait for it first.', {
      details: { threadId, runId },
    });
  }

  #running(runId: string): ActiveRun {
    const run = this.#runs.get(runId);
    if (run === undefined) throw runNotFound(runId);
    return run;
  }
}

/** A run that somebody wants. */
interface Wanted {
  readonly agent: Agent;
  readonly parentId: string;
  readonly model: string | undefined;
  readonly note?: EndNote | undefined;
  readonly metadata?: StartOptions['metadata'] | undefined;
  /** The newest event of the thread, when nothing is appended that asks for the run. */
  readonly startAfter?: number;
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

/** Throws every error but the one that says that a run is over. */
function isFinished(error: unknown): undefined {
  if (error !== finished) throw error;
}

/** Goes on with a run that a process left open, in this process. */
export function continueRun(
  agent: Agent,
  log: EventLog,
  { threadId, runId }: { threadId: string; runId: string },
): Promise<RunHandle> {
  return new Supervisor({ log, agents: [agent] }).continue(threadId, runId);
}
