import { defined } from '../../../events/defined.ts';
import { type AgentEvent, errorText, newId } from '../../../events/index.ts';
import type { InvokeParams, UserMessage } from '../../agent.ts';
import { TimeLimit } from '../../loop/time-limit.ts';
import type { EventChannel } from '../../loop/event-channel.ts';
import { RunDetached } from '../../run-detached.ts';
import { startEvent } from '../../start-event.ts';
import { withHint } from '../agent/failure-hint.ts';
import { lineText } from '../agent/line-reader.ts';
import { OutputTail, stderrMessage } from '../agent/output-tail.ts';
import type { ProcessExit, ProcessLine } from '../agent/run-process.ts';
import { RunStamp } from '../agent/run-stamp.ts';
import { withCost } from '../agent/usage-cost.ts';
import type { CliAdapter } from '../contract/cli-adapter.ts';
import type { LiveAdapter, LiveRequest, LiveTurnEnd } from '../contract/live-channel.ts';
import type { LiveAgentOptions } from './live-options.ts';
import { LiveDecisions } from './live-decisions.ts';
import { LiveOutput } from './live-output.ts';
import { firstPrompt, newSessionWarning, type TurnContent } from './live-prompt.ts';
import { LiveSession, type SessionUser } from './live-session.ts';
import { LiveSteps } from './live-steps.ts';
import { revisionNote, rejectionNote } from './live-notes.ts';
import { SessionClaims, type SessionOpening } from './session-claims.ts';
import { notRun, type ResumedRun, resumedRun } from './resumed-run.ts';
import { codeOf, exitProblem, type SessionProblem, unexplained } from './session-problems.ts';
import { modeOf, sessionKey, sessionOptions } from './session-options.ts';
import { TurnMessages } from './turn-messages.ts';

/** How long a program may take to settle after an interrupt before it is ended, in milliseconds. */
const settleMs = 5_000;

/** The number of times that a run goes on because a rule, not a person, rejected a call. */
const mostRuleNotes = 10;

type TurnResult = LiveTurnEnd | { readonly problem: SessionProblem };

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
  readonly #decisions: LiveDecisions;
  readonly #stderr = new OutputTail();
  readonly #claims: SessionClaims;
  /** The requests that are being decided. */
  readonly #requests = new Map<string, AbortController>();
  #session: LiveSession | undefined;
  /** The session that the program resumes or reported when it opened. */
  #sessionId: string | undefined;
  #endTurn: ((result: TurnResult) => void) | undefined;
  #exit: ProcessExit | undefined;
  #stopped: 'aborted' | 'timeout' | undefined;
  #settleTimer: ReturnType<typeof setTimeout> | undefined;
  #idleTimer: ReturnType<typeof setTimeout> | undefined;
  #lines: number;
  #ruleNotes = 0;
  #hasFailed = false;

  constructor(options: LiveRunOptions) {
    this.#options = options;
    const { adapter, params, options: settings } = options;
    const { runId, resume, signal, permissions = [], decided = [] } = params;
    this.#lines = params.rawBefore ?? 0;
    this.#stamp = new RunStamp({
      runId,
      model: params.model ?? settings.model,
      now: () => new Date().toISOString(),
    });
    const complete = (event: AgentEvent) => withHint(adapter, withCost(adapter, event));
    this.#output = new LiveOutput(options.events, this.#stamp, complete);
    this.#steps = new LiveSteps(runId, resume?.events);
    this.#messages = new TurnMessages(runId);
    this.#limit = new TimeLimit(settings.timeoutMs ?? Number.POSITIVE_INFINITY, signal);
    this.#resumed = resume && resumedRun(resume);
    this.#claims = new SessionClaims(options);
    const own = settings.permissions;
    this.#decisions = new LiveDecisions({
      agentId: adapter.id,
      cwd: this.#cwd,
      rules: own === undefined && permissions.length > 0 ? permissions : [own ?? { rules: [] }, ...permissions],
      answers: params.answers,
      signal: this.#limit.signal,
      put: event => this.#output.put(event),
      decided,
      unused: this.#resumed?.unused ?? [],
    });
  }

  /** Runs everything from the first to the last event. */
  async run(): Promise<void> {
    const { adapter, params, options } = this.#options;
    const { runId, steering } = params;
    if (params.resume?.endedBy !== undefined) return;
    if (params.resume?.agentId === undefined)
      await this.#output.put(
        startEvent(adapter.id, { ...params, ...defined({ model: params.model ?? options.model }) }, this.#cwd),
      );
    const onAbort = () => this.#stop();
    this.#limit.signal.addEventListener('abort', onAbort, { once: true });
    const unsubscribe = steering?.onMessage?.(() => this.#takeSteering());
    let release = () => {};
    let reason: NonNullable<Extract<AgentEvent, { type: 'harness_end' }>['reason']> = 'error';
    try {
      await this.#closeResumed();
      release = await this.#acquire();
      reason = await this.#turns();
    } catch (error) {
      if (this.#stopped === undefined) await this.#fail({ message: errorText(error), code: codeOf(error) });
    } finally {
      unsubscribe?.();
      this.#limit.signal.removeEventListener('abort', onAbort);
      this.#limit.clear();
      clearTimeout(this.#settleTimer);
      clearTimeout(this.#idleTimer);
      for (const request of this.#requests.values()) request.abort();
      await this.#release(reason);
      this.#claims.release();
      release();
    }
    if (this.#stopped === 'timeout')
      await this.#fail({
        message: `${adapter.name} ran for ${(options.timeoutMs ?? 0) / 1000} s, which is its limit, and was stopped.`,
        code: 'timeout',
      });
    for (const event of this.#messages.next()?.events ?? []) await this.#output.put(event);
    await this.#output.put({ type: 'harness_end', runId, agentId: adapter.id, reason: this.#stopped ?? reason });
  }

  /** Nobody reads the events any more: stops the run. */
  leave(): void {
    this.#output.leave();
    if (this.#endTurn !== undefined || this.#session === undefined) this.#stop();
  }

  async line({ stream, kind, bytes }: ProcessLine): Promise<void> {
    const { params, options, adapter } = this.#options;
    const { runId } = params;
    const raw = { n: ++this.#lines, ts: new Date().toISOString(), stream, line: bytes };
    this.#watchIdle();
    try {
      await params.raw?.(raw);
      await options.onRaw?.(runId, raw);
    } catch (error) {
      await this.#fail({ message: errorText(error), code: codeOf(error) });
    }
    if (kind === 'rest') return;
    const text = lineText(kind === 'long' ? bytes.subarray(0, 4096) : bytes);
    if (kind === 'long')
      this.emit([{ type: 'unknown', runId, raw: { truncated: true, stream, beginning: text }, line: raw.n }]);
    else if (stream === 'stdout') this.#session?.channel.receive(text, raw.n);
    else {
      const warning = stderrMessage(adapter, text);
      if (warning !== undefined) {
        this.#stderr.add(warning.message);
        this.emit([{ type: 'warning', runId, ...warning, line: raw.n }]);
      }
    }
    await this.#output.flushed;
  }

  emit(events: readonly AgentEvent[]): void {
    this.#stamp.session(events);
    if (this.#stamp.sessionId !== undefined) this.#claims.add(this.#stamp.sessionId);
    for (const event of events) {
      if (event.type === 'error' && event.fatal === true && event.runId === this.#options.params.runId)
        this.#hasFailed = true;
      void this.#output.put(this.#steps.continued(event));
    }
  }

  request(request: LiveRequest): void {
    const stop = new AbortController();
    this.#requests.set(request.id, stop);
    const signal = AbortSignal.any([stop.signal, this.#limit.signal]);
    clearTimeout(this.#idleTimer);
    void this.#limit
      .pauseFor(this.#decide(request, signal))
      .catch(async error => {
        if (signal.aborted) return;
        await this.#fail({ message: errorText(error), code: codeOf(error) });
        this.#session?.channel.answer(request.id, { outcome: 'cancelled', feedback: notRun });
      })
      .finally(() => {
        this.#requests.delete(request.id);
        this.#watchIdle();
      });
  }

  withdraw(requestId: string, reason: string): void {
    this.#requests.get(requestId)?.abort();
    void this.#decisions.withdraw(requestId, reason).catch(() => {});
  }

  steered(messageId: string, delivery: 'joined' | 'queued'): void {
    const { adapter, params } = this.#options;
    if (delivery === 'joined') {
      const said = this.#messages.joined(messageId);
      if (said !== undefined) void this.#output.put(said);
    } else if (this.#messages.isSteered(messageId))
      void this.#output.put({
        type: 'warning',
        runId: params.runId,
        message: `${adapter.name} reads the message when it has finished what it is writing.`,
        code: 'steer_queued',
      });
  }

  waiting(message: string): void {
    void this.#output.put({ type: 'warning', runId: this.#options.params.runId, message, code: 'waiting' });
  }

  turnEnded(end: LiveTurnEnd): void {
    this.#endTurn?.(end);
  }

  failed(problem: SessionProblem): void {
    this.#endTurn?.({ problem });
  }

  exited(exit: ProcessExit): void {
    this.#exit = exit;
    this.#endTurn?.({ problem: this.#exitProblem(exit) });
  }

  /** Waits until the program may run. */
  async #acquire(): Promise<() => void> {
    const { options, params } = this.#options;
    const { semaphore } = options;
    const message = `Waiting: ${semaphore.permits} external agents run already.`;
    if (semaphore.isFull) await this.#output.put({ type: 'warning', runId: params.runId, message, code: 'waiting' });
    return semaphore.acquire(this.#limit.signal);
  }

  get #cwd(): string {
    return this.#options.options.cwd ?? process.cwd();
  }

  /** Runs one turn after another until nothing is left to say to the program; returns the reason of the end. */
  async #turns(): Promise<LiveTurnEnd['reason']> {
    const { params, adapter, live } = this.#options;
    const resumedId = this.#resumed?.sessionId;
    let opening =
      resumedId === undefined
        ? this.#claims.open(params.session?.id, params.session?.fork === true)
        : await this.#claims.reopen(resumedId);
    let content = firstPrompt(this.#options, { sessionId: opening.sessionId, resumed: this.#resumed });
    for (const event of content.events) await this.#output.put(event);
    if (live.warning !== undefined && this.#options.options.yolo !== true)
      await this.#output.put({ type: 'warning', runId: params.runId, message: live.warning, code: 'unasked' });
    for (;;) {
      const end = await this.#turn(content, opening);
      if (this.#stopped !== undefined) return 'aborted';
      if ('problem' in end) {
        if (end.problem.code !== 'session_unknown' || opening.sessionId === undefined) {
          await this.#fail(end.problem);
          return 'error';
        }
        await this.#discardSession();
        opening = {};
        const message = newSessionWarning(adapter);
        await this.#output.put({ type: 'warning', runId: params.runId, message, code: 'new_session' });
        content = firstPrompt(this.#options, { sessionId: undefined, resumed: undefined });
        continue;
      }
      this.#takeSteering();
      this.#messages.endTurn(end.unsent);
      // Nobody stopped the run: a program that breaks off its turn, as some do after a rejection, still reads the reason.
      const isOver = end.reason !== 'complete' && end.reason !== 'aborted';
      const next = isOver ? undefined : this.#messages.next();
      if (next === undefined) {
        if (end.reason === 'error' && !this.#hasFailed)
          await this.#fail(this.#exit === undefined ? unexplained(adapter) : this.#exitProblem(this.#exit));
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
      this.#session ??= await this.#open(opening);
      const opened = await Promise.race([this.#session.opened, ended]);
      if ('problem' in opened) return { problem: this.#openingProblem(opened.problem) };
      if (this.#limit.signal.aborted) return { reason: 'aborted' };
      if ('sessionId' in opened) this.#sessionId = opened.sessionId;
      if (this.#sessionId !== undefined) this.#claims.add(this.#sessionId);
      this.#steps.nextTurn();
      const { runId, model = options.model, session } = params;
      const usedBefore = opening.sessionId === undefined ? undefined : session?.used;
      this.#session.prompt({ runId, content, ...defined({ model, mode: modeOf(this.#options), usedBefore }) });
      this.#watchIdle();
      this.#takeSteering();
      return await ended;
    } finally {
      this.#endTurn = undefined;
      await this.#output.flushed;
    }
  }

  async #open({ sessionId, fork }: SessionOpening): Promise<LiveSession> {
    const { options, params } = this.#options;
    const ownId = fork === true ? undefined : sessionId;
    this.#sessionId = ownId;
    const warm = ownId === undefined ? undefined : options.sessions.take(sessionKey(this.#options, ownId));
    if (warm !== undefined) {
      warm.enter(this);
      return warm;
    }
    return LiveSession.open(sessionOptions(this.#options, { sessionId, fork, runMark: params.runMark }), this);
  }

  /** Closes what the process of the run left open. */
  async #closeResumed(): Promise<void> {
    const resumed = this.#resumed;
    if (resumed === undefined) return;
    const { params } = this.#options;
    const { runId, answers } = params;
    for (const relay of resumed.openRelays)
      if (answers?.cancel !== undefined) await answers.cancel(relay, notRun);
      else
        await this.#output.put({
          type: 'relay_resolved',
          runId: relay.runId,
          relayId: relay.id,
          outcome: 'cancelled',
          feedback: notRun,
        });
    for (const event of resumed.closing) await this.#output.put(event);
    const message = 'The process of the agent ended. Its session is resumed, and its model is asked to continue.';
    await this.#output.put({ type: 'warning', runId, message, code: 'resumed' });
  }

  async #decide(request: LiveRequest, signal: AbortSignal): Promise<void> {
    const { abilities } = this.#options.live;
    const { answer, byPerson } = await this.#decisions.decide(request, signal);
    signal.throwIfAborted();
    if (answer.outcome === 'approve' && request.kind === 'permission')
      await this.#output.put({ type: 'tool_start', runId: request.runId, id: request.toolCallId, name: request.tool });
    signal.throwIfAborted();
    if (answer.outcome === 'approve' && answer.input !== undefined && request.kind === 'permission')
      this.#inform(revisionNote(request, answer.input), abilities.steer === 'joins' ? 'steer' : 'next_prompt');
    if (answer.outcome === 'reject' && answer.feedback !== undefined && abilities.reason !== 'answer')
      if (byPerson || abilities.reason === 'steer' || (abilities.rejectEndsTurn && this.#ruleNotes++ < mostRuleNotes))
        this.#inform(rejectionNote(request, answer.feedback), abilities.reason);
    this.#session?.channel.answer(request.id, answer);
  }

  /** Gives the model a note of the driver: into the turn, or as the next prompt. */
  #inform(note: string, way: 'steer' | 'next_prompt'): void {
    if (way === 'next_prompt') {
      this.#messages.note(note);
      return;
    }
    const id = newId();
    this.#messages.steerNote(id, note);
    this.#session?.channel.steer({ id, content: note });
  }

  /** Passes on what people said since; a message that the program cannot take now waits for the end of the turn. */
  #takeSteering(): void {
    const { params, live, adapter } = this.#options;
    if (this.#endTurn === undefined && this.#session === undefined) return;
    for (const message of params.steering?.take() ?? []) {
      if (this.#endTurn !== undefined && live.abilities.steer === 'joins') this.#steer(message);
      else {
        this.#messages.wait(message);
        if (this.#endTurn !== undefined)
          void this.#output.put({
            type: 'warning',
            runId: params.runId,
            message: `${adapter.name} takes no messages during a turn: it receives the message after it.`,
            code: 'steer_queued',
          });
      }
    }
  }

  #steer(message: UserMessage): void {
    this.#messages.steer(message);
    this.#session?.channel.steer(message);
  }

  /** Interrupts the turn; ends the program when it does not settle, or the run continues in another process. */
  #stop(): void {
    if (this.#stopped !== undefined) return;
    this.#stopped = this.#limit.over ? 'timeout' : 'aborted';
    const session = this.#session;
    for (const request of this.#requests.values()) request.abort();
    if (session === undefined || this.#options.params.signal.reason instanceof RunDetached) {
      void session?.dispose();
      this.#endTurn?.({ reason: 'aborted' });
      return;
    }
    session.channel.interrupt();
    this.#settleTimer = setTimeout(() => {
      void session.dispose();
      this.#endTurn?.({ reason: 'aborted' });
    }, settleMs);
  }

  #watchIdle(): void {
    const { idleTimeoutMs } = this.#options.options;
    clearTimeout(this.#idleTimer);
    if (idleTimeoutMs === undefined || this.#requests.size > 0 || this.#endTurn === undefined) return;
    this.#idleTimer = setTimeout(() => {
      const { adapter } = this.#options;
      const message = `${adapter.name} was silent for ${idleTimeoutMs / 1000} s, which is its limit, and was stopped.`;
      void this.#fail({ message, code: 'timeout' });
      this.#stop();
      this.#stopped = 'timeout';
    }, idleTimeoutMs);
  }

  /** Keeps the program for the next turn of its session, or ends it. */
  async #release(reason: string): Promise<void> {
    const session = this.#session;
    if (session === undefined) return;
    const sessionId = this.#stamp.sessionId ?? this.#sessionId;
    if (sessionId === undefined || !session.isUsable || (reason === 'error' && this.#exit !== undefined)) {
      await this.#discardSession();
      return;
    }
    session.leave();
    this.#options.options.sessions.keep(sessionKey(this.#options, sessionId), session);
  }

  async #discardSession(): Promise<void> {
    const session = this.#session;
    this.#session = undefined;
    session?.leave();
    await session?.dispose();
  }

  async #fail({ message, code }: SessionProblem): Promise<void> {
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    const { runId } = this.#options.params;
    await this.#output.put({ type: 'error', runId, message, code, fatal: true });
  }

  /** A program that ended while it opened its session explains why on stderr. */
  #openingProblem(problem: SessionProblem): SessionProblem {
    if (this.#exit !== undefined && problem.code === 'exit_code') return this.#exitProblem(this.#exit);
    const printed = this.#stderr.text;
    return problem.code === 'open_timeout' && printed !== ''
      ? { ...problem, message: `${problem.message} It printed: ${printed}` }
      : problem;
  }

  #exitProblem(exit: ProcessExit): SessionProblem {
    return exitProblem(this.#options.adapter, exit, { cwd: this.#cwd, printed: this.#stderr.text });
  }
}
