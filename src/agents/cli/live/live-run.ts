import { toRuleSet } from '../../permissions/check-sources.ts';
import { defined } from '../../../base/defined.ts';
import type { AgentEvent } from '../../../events/vocabulary.ts';
import type { InvokeParams } from '../../contract/agent.ts';
import { systemClock } from '../../clock.ts';
import type { EventChannel } from '../../loop/event-channel.ts';
import { TimeLimit } from '../../loop/time-limit.ts';
import { startEvent } from '../../start-event.ts';
import { withHint } from '../agent/failure-hint.ts';
import type { ProcessExit, ProcessLine } from '../../process/run-process.ts';
import { RunStamp } from '../agent/run-stamp.ts';
import { withCost } from '../agent/usage-cost.ts';
import type { CliAdapter } from '../contract/cli-adapter.ts';
import type { LiveAdapter, LiveRequest, LiveTurnEnd } from '../contract/live-channel.ts';
import { LiveDecisions } from './live-decisions.ts';
import { LiveOutput } from './live-output.ts';
import { firstPrompt, newSessionWarning, type TurnContent } from './live-prompt.ts';
import type { SessionUser } from './live-session.ts';
import { LiveSteps } from './live-steps.ts';
import { closingEvents, type ResumedRun, resumedRun } from './resumed-run.ts';
import { RunLines } from './run-lines.ts';
import { RunProblems } from './run-problems.ts';
import { RunProgram } from './run-program.ts';
import { RunRequests } from './run-requests.ts';
import { RunSteering } from './run-steering.ts';
import { RunStop } from './run-stop.ts';
import type { SessionOpening } from './session-claims.ts';
import { modeOf } from './session-options.ts';
import type { SessionProblem } from './session-problems.ts';
import { TurnMessages } from './turn-messages.ts';
import type { CliAgentOptions } from '../agent/cli-agent.ts';
import type { Semaphore } from '../../semaphore.ts';
import type { SessionPool } from './session-pool.ts';

type TurnResult = LiveTurnEnd | { readonly problem: SessionProblem };

/** The options of an agent that uses its interactive channel. */
type LiveAgentOptions = Omit<CliAgentOptions, 'sessions' | 'semaphore'> & {
  readonly sessions: SessionPool;
  readonly semaphore: Semaphore;
};

export interface LiveRunOptions {
  readonly adapter: CliAdapter;
  readonly live: LiveAdapter;
  readonly options: LiveAgentOptions;
  readonly params: InvokeParams;
  readonly events: EventChannel;
}

/** One run of an external agent over its interactive channel: its turns, from the first prompt to `harness_end`. */
export class LiveRun implements SessionUser {
  readonly #options: LiveRunOptions;
  readonly #output: LiveOutput;
  readonly #stamp: RunStamp;
  readonly #steps: LiveSteps;
  readonly #messages: TurnMessages;
  readonly #limit: TimeLimit;
  readonly #resumed: ResumedRun | undefined;
  readonly #program: RunProgram;
  readonly #problems: RunProblems;
  readonly #lines: RunLines;
  readonly #requests: RunRequests;
  readonly #steering: RunSteering;
  #isPrompted = false;
  readonly #stop: RunStop;
  #endTurn: ((result: TurnResult) => void) | undefined;

  constructor(options: LiveRunOptions) {
    this.#options = options;
    const { adapter, live, params, options: settings } = options;
    const { runId, resume, signal } = params.run;
    const { abilities } = live;
    const { name } = adapter;
    const clock = settings.clock ?? systemClock;
    const put = (event: AgentEvent) => this.#output.put(event);
    const channel = () => this.#program.session?.channel;
    this.#stamp = new RunStamp({
      runId,
      model: params.run.model ?? settings.model,
      now: () => new Date().toISOString(),
    });
    const complete = (event: AgentEvent) => withHint(adapter, withCost(adapter, event));
    this.#output = new LiveOutput(options.events, this.#stamp, complete);
    this.#steps = new LiveSteps(runId, resume?.events);
    this.#messages = new TurnMessages(runId);
    this.#limit = new TimeLimit(settings.timeoutMs ?? Number.POSITIVE_INFINITY, signal, settings.clock);
    this.#resumed = resume && resumedRun(resume);
    this.#program = new RunProgram(options, this.#limit.signal, put);
    this.#problems = new RunProblems({ adapter, cwd: this.#cwd, runId, put });
    this.#lines = new RunLines(options, {
      problems: this.#problems,
      emit: events => this.emit(events),
      receive: (text, number) => channel()?.receive(text, number),
    });
    this.#steering = new RunSteering({
      runId,
      name,
      abilities,
      steering: params.host.steering,
      messages: this.#messages,
      put,
      channel,
      isInTurn: () => this.#endTurn !== undefined,
      isOpening: () => this.#endTurn !== undefined && !this.#isPrompted,
    });
    this.#requests = new RunRequests({
      abilities,
      decisions: this.#decisions(),
      limit: this.#limit,
      put,
      answer: (requestId, answer) => channel()?.answer(requestId, answer),
      inform: (note, way) => this.#steering.inform(note, way),
      failed: error => this.#problems.reportError(error),
      changed: () => this.#stop.watchSilence(),
    });
    this.#stop = new RunStop({
      name,
      idleTimeoutMs: settings.idleTimeoutMs,
      clock,
      limit: this.#limit,
      signal,
      program: this.#program,
      problems: this.#problems,
      isWorking: () => this.#endTurn !== undefined && !this.#requests.areOpen,
      abortRequests: () => this.#requests.abort(),
      endTurn: () => this.#endTurn?.({ reason: 'aborted' }),
    });
  }

  /** Runs everything from the first to the last event. */
  async run(): Promise<void> {
    const { adapter, params, options } = this.#options;
    const { runId } = params.run;
    const { steering } = params.host;
    if (params.run.resume?.endedBy !== undefined) return;
    if (params.run.resume?.agentId === undefined)
      await this.#output.put(
        startEvent(adapter.id, { ...params.run, ...defined({ model: params.run.model ?? options.model }) }, this.#cwd),
      );
    const onAbort = () => this.#stop.stop();
    this.#limit.signal.addEventListener('abort', onAbort, { once: true });
    const unsubscribe = steering?.onMessage?.(() => this.#steering.take());
    let release = () => {};
    let reason: NonNullable<Extract<AgentEvent, { type: 'harness_end' }>['reason']> = 'error';
    try {
      await this.#closeResumed();
      release = await this.#acquire();
      reason = await this.#turns();
    } catch (error) {
      if (this.#stop.reason === undefined) await this.#problems.reportError(error);
    } finally {
      unsubscribe?.();
      this.#limit.signal.removeEventListener('abort', onAbort);
      this.#limit.clear();
      this.#stop.clear();
      this.#requests.abort();
      const isBroken = reason === 'error' && this.#problems.hasExited;
      await this.#program.release({ isBroken, isStopped: this.#stop.reason !== undefined });
      release();
    }
    if (this.#stop.reason === 'timeout') await this.#problems.report(this.#timeout);
    const unread = this.#messages.unread();
    if (unread !== undefined) await this.#output.put(unread);
    await this.#output.put({ type: 'harness_end', runId, agentId: adapter.id, reason: this.#stop.reason ?? reason });
  }

  /** Nobody reads the events any more: stops the run. */
  leave(): void {
    this.#output.leave();
    if (this.#endTurn !== undefined || this.#program.session === undefined) this.#stop.stop();
  }

  async line(line: ProcessLine): Promise<void> {
    this.#stop.watchSilence();
    await this.#lines.add(line);
    await this.#output.flushed;
  }

  emit(events: readonly AgentEvent[]): void {
    this.#stamp.session(events);
    this.#program.report(this.#stamp.sessionId);
    for (const event of events) {
      this.#problems.watch(event);
      void this.#output.put(this.#steps.continued(event));
    }
  }

  request(request: LiveRequest): void {
    this.#requests.add(request);
  }

  withdraw(requestId: string, reason: string): void {
    this.#requests.withdraw(requestId, reason);
  }

  steered(messageId: string, delivery: 'joined' | 'queued'): void {
    this.#steering.steered(messageId, delivery);
  }

  waiting(message: string): void {
    void this.#warn(message, 'waiting');
  }

  turnEnded(end: LiveTurnEnd): void {
    this.#endTurn?.(end);
  }

  failed(problem: SessionProblem): void {
    this.#endTurn?.({ problem });
  }

  exited(exit: ProcessExit): void {
    const problem = this.#problems.exited(exit);
    this.#endTurn?.({ problem });
  }

  get #cwd(): string {
    return this.#options.options.cwd ?? process.cwd();
  }

  get #timeout(): SessionProblem {
    const { adapter, options } = this.#options;
    const limit = `${(options.timeoutMs ?? 0) / 1000} s`;
    return { message: `${adapter.name} ran for ${limit}, which is its limit, and was stopped.`, code: 'timeout' };
  }

  #decisions(): LiveDecisions {
    const { adapter, params, options } = this.#options;
    const { decided = [] } = params.conversation;
    const { permissions = [], answers } = params.host;
    const own = options.permissions;
    return new LiveDecisions({
      agentId: adapter.id,
      cwd: this.#cwd,
      rules: [...(own === undefined ? [] : [toRuleSet(own)]), ...permissions],
      answers,
      signal: this.#limit.signal,
      put: event => this.#output.put(event),
      decided,
      unused: this.#resumed?.unused ?? [],
    });
  }

  /** Waits until the program may run. */
  async #acquire(): Promise<() => void> {
    const { semaphore } = this.#options.options;
    if (semaphore.isFull) await this.#warn(`Waiting: ${semaphore.permits} external agents run already.`, 'waiting');
    return semaphore.acquire(this.#limit.signal);
  }

  /** Closes what the process of the run left open. */
  async #closeResumed(): Promise<void> {
    const resumed = this.#resumed;
    if (resumed === undefined) return;
    const { answers } = this.#options.params.host;
    for await (const event of closingEvents(resumed, answers)) await this.#output.put(event);
    await this.#warn(
      'The process of the agent ended. Its session is resumed, and its model is asked to continue.',
      'resumed',
    );
  }

  /** Runs one turn after another until nothing is left to say to the program; returns the reason of the end. */
  async #turns(): Promise<LiveTurnEnd['reason']> {
    const { adapter, live, options } = this.#options;
    let opening = await this.#program.claim(this.#resumed?.sessionId);
    let content = firstPrompt(this.#options, opening, this.#resumed);
    for (const event of content.events) await this.#output.put(event);
    if (live.warning !== undefined && options.yolo !== true) await this.#warn(live.warning, 'unasked');
    for (;;) {
      const end = await this.#turn(content, opening);
      if (this.#stop.reason !== undefined) {
        if ('reason' in end) this.#messages.endTurn(end.unsent);
        return 'aborted';
      }
      if ('problem' in end) {
        if (end.problem.code !== 'session_unknown' || opening.sessionId === undefined) {
          await this.#problems.report(end.problem);
          return 'error';
        }
        await this.#program.discard();
        // A session that is lost is written again, and one that was written is refused only once.
        opening =
          opening.session?.isNew === true ? defined({ messages: opening.messages }) : await this.#program.handOver();
        if (opening.sessionId === undefined)
          await this.#warn(newSessionWarning(adapter, opening.problem), 'new_session');
        content = firstPrompt(this.#options, opening, undefined);
        continue;
      }
      this.#steering.take();
      this.#messages.endTurn(end.unsent);
      // Nobody stopped the run: a program that breaks off its turn, as some do after a rejection, still reads the reason.
      const isOver = end.reason !== 'complete' && end.reason !== 'aborted';
      const next = isOver ? undefined : this.#messages.next();
      if (next === undefined) {
        if (end.reason === 'error') await this.#problems.reportUnexplained();
        return end.reason;
      }
      for (const event of next.events) await this.#output.put(event);
      content = { content: next.content, events: [] };
    }
  }

  async #turn({ content }: TurnContent, opening: SessionOpening): Promise<TurnResult> {
    const { params, options } = this.#options;
    const ended = new Promise<TurnResult>(resolve => (this.#endTurn = resolve));
    try {
      this.#limit.signal.throwIfAborted();
      const session = await this.#program.start(opening, this);
      const opened = await Promise.race([session.opened, ended]);
      if ('problem' in opened) return { problem: this.#problems.opening(opened.problem) };
      if ('reason' in opened) return { reason: 'aborted' };
      await this.#program.opened(opened);
      if (this.#limit.signal.aborted) return { reason: 'aborted' };
      this.#steps.nextTurn();
      const { runId, model = options.model } = params.run;
      const isNew = opening.sessionId === undefined || opening.session?.isNew === true;
      const usedBefore = isNew ? undefined : params.conversation.session?.used;
      session.prompt({ runId, content, ...defined({ model, mode: modeOf(this.#options), usedBefore }) });
      this.#isPrompted = true;
      this.#stop.watchSilence();
      this.#steering.take();
      return await ended;
    } finally {
      this.#endTurn = undefined;
      this.#isPrompted = false;
      await this.#output.flushed;
    }
  }

  #warn(message: string, code: string): Promise<void> {
    return this.#output.put({ type: 'warning', runId: this.#options.params.run.runId, message, code });
  }
}
