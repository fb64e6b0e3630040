import { defined } from '../../../base/defined.ts';
import type { AgentEvent, EventOf } from '../../../events/vocabulary.ts';
import { systemClock } from '../../clock.ts';
import { TimeLimit } from '../../run/time-limit.ts';
import { toRuleSet } from '../../permissions/check-sources.ts';
import { lineText } from '../../process/line-reader.ts';
import type { ProcessExit, ProcessLine } from '../../process/run-process.ts';
import { RunDetached } from '../../run-detached.ts';
import { startEvent } from '../../start-event.ts';
import { stderrMessage } from '../agent/output-tail.ts';
import type { LiveChannel, LiveRequest, LiveTurnEnd, SessionProblem } from '../contract/live-channel.ts';
import { LiveDecisions } from './live-decisions.ts';
import { LiveOutput } from './live-output.ts';
import { firstPrompt, newSessionWarning } from './live-prompt.ts';
import type { SessionUser } from './live-session.ts';
import { closingEvents, type ResumedRun, resumedRun } from './resumed-run.ts';
import { RunFailure, toProblem } from './run-failure.ts';
import { RunProgram, type SessionOpening } from './run-program.ts';
import { type LiveRunOptions, getMode } from './session-options.ts';
import { type NextPrompt, TurnMessages } from './turn-messages.ts';

type TurnResult = LiveTurnEnd | { readonly problem: SessionProblem };

/** How long a program may take to settle after an interrupt before it is ended, in milliseconds. */
const settleMs = 5_000;

/**
 * One run of an external agent over its interactive channel, from the first prompt to `harness_end`.
 *
 *     run ─▶ claim a session ─▶ turn: open, prompt ─▶ lines ─▶ channel ─▶ emit, request, steered ─▶ turnEnded
 *                                 ▲                                                                  │
 *                                 └─────────── a message to the program remains, or its session is lost ┘
 */
export class LiveRun implements SessionUser {
  readonly #options: LiveRunOptions;
  readonly #runId: string;
  readonly #limit: TimeLimit;
  readonly #output: LiveOutput;
  readonly #messages: TurnMessages;
  readonly #failure: RunFailure;
  readonly #program: RunProgram;
  readonly #decisions: LiveDecisions;
  readonly #resumed: ResumedRun | undefined;
  /** Ends the open turn; undefined between turns. */
  #endTurn: ((result: TurnResult) => void) | undefined;
  /** Whether the program has the prompt of the open turn. */
  #isPrompted = false;
  /** Why the run was stopped before its end. */
  #stopReason: 'aborted' | 'timeout' | undefined;
  #cancelSettling = () => {};
  #cancelSilence = () => {};
  #lineCount: number;

  constructor(options: LiveRunOptions) {
    this.#options = options;
    const { adapter, params, options: settings, events } = options;
    const { runId, resume, signal, model = settings.model } = params.run;
    const { permissions = [], answers, rawBefore = 0 } = params.host;
    const put = (event: AgentEvent) => this.#output.put(event);
    this.#runId = runId;
    this.#lineCount = rawBefore;
    this.#limit = new TimeLimit(settings.timeoutMs ?? Number.POSITIVE_INFINITY, signal, settings.clock);
    this.#output = new LiveOutput({ adapter, events, runId, model, before: resume?.events });
    this.#messages = new TurnMessages(runId);
    this.#failure = new RunFailure({ adapter, cwd: this.#cwd, runId });
    this.#program = new RunProgram(options, this.#limit.signal, put);
    this.#resumed = resume && resumedRun(resume);
    const own = settings.permissions;
    this.#decisions = new LiveDecisions({
      agentId: adapter.id,
      cwd: this.#cwd,
      rules: [...(own === undefined ? [] : [toRuleSet(own)]), ...permissions],
      answers,
      signal: this.#limit.signal,
      put,
      decided: params.conversation.decided ?? [],
      unused: this.#resumed?.unused ?? [],
    });
  }

  /** Runs everything from the first to the last event. */
  async run(): Promise<void> {
    const { adapter, params, options } = this.#options;
    const { run, host } = params;
    if (run.resume?.endedBy !== undefined) return;
    if (run.resume?.agentId === undefined)
      await this.#output.put(
        startEvent(adapter.id, { ...run, ...defined({ model: run.model ?? options.model }) }, this.#cwd),
      );
    const onAbort = () => this.#stop(this.#limit.over ? 'timeout' : 'aborted');
    this.#limit.signal.addEventListener('abort', onAbort, { once: true });
    const unsubscribe = host.steering?.onMessage?.(() => this.#takeMessages());
    let release = () => {};
    let reason: NonNullable<EventOf<'harness_end'>['reason']> = 'error';
    try {
      await this.#closeResumed();
      release = await this.#acquire();
      reason = await this.#turns();
    } catch (error) {
      if (this.#stopReason === undefined) await this.#report(toProblem(error));
    } finally {
      unsubscribe?.();
      this.#limit.signal.removeEventListener('abort', onAbort);
      this.#limit.clear();
      this.#cancelSettling();
      this.#cancelSilence();
      this.#decisions.abort();
      const isBroken = reason === 'error' && this.#failure.hasExited;
      await this.#program.release({ isBroken, isStopped: this.#stopReason !== undefined });
      release();
    }
    if (this.#stopReason === 'timeout') {
      const limit = `${(options.timeoutMs ?? 0) / 1000} s`;
      const message = `${adapter.name} ran for ${limit}, which is its limit, and was stopped.`;
      await this.#report({ message, code: 'timeout' });
    }
    const unread = this.#messages.unread();
    if (unread !== undefined) await this.#output.put(unread);
    const ended = this.#stopReason ?? reason;
    await this.#output.put({ type: 'harness_end', runId: this.#runId, agentId: adapter.id, reason: ended });
  }

  /** Stops the run because its consumer no longer reads the events. */
  leave(): void {
    this.#output.leave();
    if (this.#endTurn !== undefined || this.#program.session === undefined)
      this.#stop(this.#limit.over ? 'timeout' : 'aborted');
  }

  /** Stores a line unchanged, and handles it as a message of the program or as a warning. */
  async line({ stream, kind, bytes }: ProcessLine): Promise<void> {
    this.#watchSilence();
    const { adapter, params, options } = this.#options;
    const n = ++this.#lineCount;
    const raw = { n, ts: new Date().toISOString(), stream, line: bytes };
    try {
      await params.host.raw?.(raw);
      await options.onRaw?.(this.#runId, raw);
    } catch (error) {
      await this.#report(toProblem(error));
    }
    const text = lineText(kind === 'long' ? bytes.subarray(0, 4096) : bytes);
    const warning = stream === 'stderr' && kind === 'line' ? stderrMessage(adapter, text) : undefined;
    if (kind === 'long')
      this.emit([{ type: 'unknown', runId: this.#runId, raw: { truncated: true, stream, beginning: text }, line: n }]);
    else if (kind === 'line' && stream === 'stdout') this.#channel?.receive(text, n);
    else if (warning !== undefined) {
      this.#failure.addPrinted(warning.message);
      // An unknown session is written again, or a warning says that it is not.
      if (adapter.session?.isUnknown?.test(text) !== true)
        this.emit([{ type: 'warning', runId: this.#runId, ...warning, line: n }]);
    }
    await this.#output.flushed;
  }

  emit(events: readonly AgentEvent[]): void {
    this.#program.report(this.#output.takeSession(events));
    for (const event of events) {
      this.#failure.watch(event);
      this.#output.putReported(event);
    }
  }

  /** Decides on a request and answers it; the time limit of the run pauses until then. */
  request(request: LiveRequest): void {
    const settling = this.#limit.pauseFor(this.#decisions.settle(request, this.#options.live.abilities));
    this.#watchSilence();
    void settling.then(async settled => {
      if (settled?.error !== undefined) await this.#report(toProblem(settled.error));
      if (settled?.note?.way === 'next_prompt') this.#messages.wait({ note: settled.note.text });
      else if (settled?.note !== undefined) this.#channel?.steer(this.#messages.steer({ note: settled.note.text }));
      if (settled !== undefined) this.#channel?.answer(request.id, settled.answer);
      this.#watchSilence();
    });
  }

  withdraw(requestId: string, reason: string): void {
    this.#decisions.withdraw(requestId, reason).catch(error => this.#report(toProblem(error)));
  }

  steered(messageId: string, delivery: 'joined' | 'queued'): void {
    const isSteered = this.#messages.isSteered(messageId);
    const message = delivery === 'joined' ? this.#messages.joined(messageId) : undefined;
    if (message !== undefined) void this.#output.put(message);
    else if (delivery === 'queued' && isSteered)
      void this.#warn(`${this.#options.adapter.name} reads the message when it has finished what it is writing.`);
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
    const problem = this.#failure.exited(exit);
    this.#endTurn?.({ problem });
  }

  get #cwd(): string {
    return this.#options.options.cwd ?? process.cwd();
  }

  /** The channel of the program, while it runs. */
  get #channel(): LiveChannel | undefined {
    return this.#program.session?.channel;
  }

  /** Waits until the program may run. */
  async #acquire(): Promise<() => void> {
    const { semaphore } = this.#options.options;
    if (semaphore.isFull) await this.#warn(`Waiting: ${semaphore.permits} external agents run already.`, 'waiting');
    return semaphore.acquire(this.#limit.signal);
  }

  /** Closes the calls, relays and subagents that the process of the run left open. */
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

  /** Runs turns until no message to the program remains; returns the reason of the end. */
  async #turns(): Promise<LiveTurnEnd['reason']> {
    const { adapter, live, options } = this.#options;
    let opening = await this.#program.claim(this.#resumed?.sessionId);
    let content = firstPrompt(this.#options, opening, this.#resumed);
    for (const event of content.events) await this.#output.put(event);
    if (live.warning !== undefined && options.yolo !== true) await this.#warn(live.warning, 'unasked');
    for (;;) {
      const end = await this.#turn(content, opening);
      if (this.#stopReason !== undefined) {
        if ('reason' in end) this.#messages.endTurn(end.unsent);
        return 'aborted';
      }
      if ('problem' in end) {
        if (end.problem.code !== 'session_unknown' || opening.sessionId === undefined) {
          await this.#report(end.problem);
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
      this.#takeMessages();
      this.#messages.endTurn(end.unsent);
      // The run was not stopped: a program that aborts its turn, as some do after a rejection, still reads the reason.
      const isOver = end.reason !== 'complete' && end.reason !== 'aborted';
      const next = isOver ? undefined : this.#messages.next();
      if (next === undefined) {
        if (end.reason === 'error') await this.#report(this.#failure.describeTurn());
        return end.reason;
      }
      for (const event of next.events) await this.#output.put(event);
      content = { content: next.content, events: [] };
    }
  }

  async #turn({ content }: NextPrompt, opening: SessionOpening): Promise<TurnResult> {
    const { params, options } = this.#options;
    const ended = new Promise<TurnResult>(resolve => (this.#endTurn = resolve));
    try {
      this.#limit.signal.throwIfAborted();
      const session = await this.#program.start(opening, this);
      const opened = await Promise.race([session.opened, ended]);
      if ('problem' in opened) return { problem: this.#failure.describeOpening(opened.problem) };
      if ('reason' in opened) return { reason: 'aborted' };
      await this.#program.opened(opened);
      if (this.#limit.signal.aborted) return { reason: 'aborted' };
      this.#output.nextTurn();
      const { runId, model = options.model } = params.run;
      const isNew = opening.sessionId === undefined || opening.session?.isNew === true;
      const usedBefore = isNew ? undefined : params.conversation.session?.used;
      session.prompt({ runId, content, ...defined({ model, mode: getMode(this.#options), usedBefore }) });
      this.#isPrompted = true;
      this.#watchSilence();
      this.#takeMessages();
      return await ended;
    } finally {
      this.#endTurn = undefined;
      this.#isPrompted = false;
      await this.#output.flushed;
    }
  }

  /** Sends new user messages to the program; one that it cannot accept now waits for the end of the turn. */
  #takeMessages(): void {
    const { adapter, live, params } = this.#options;
    const isInTurn = this.#endTurn !== undefined;
    // Messages that arrive while the session opens are handled after the prompt.
    if (isInTurn ? !this.#isPrompted : this.#channel === undefined) return;
    for (const message of params.host.steering?.take() ?? []) {
      if (isInTurn && live.abilities.steer === 'joins') this.#channel?.steer(this.#messages.steer(message));
      else {
        this.#messages.wait(message);
        if (isInTurn)
          void this.#warn(`${adapter.name} takes no messages during a turn: it receives the message after it.`);
      }
    }
  }

  /**
   * Stops the run before its end. Ends the program when it does not settle, when its session is not open yet, or when
   * the run continues in another process.
   */
  #stop(reason: 'aborted' | 'timeout'): void {
    if (this.#stopReason !== undefined) return;
    this.#stopReason = reason;
    const { params, options } = this.#options;
    const endProgram = () => {
      void this.#program.session?.dispose();
      this.#endTurn?.({ reason: 'aborted' });
    };
    this.#decisions.abort();
    if (!this.#program.isOpen || params.run.signal.reason instanceof RunDetached) return endProgram();
    this.#channel?.interrupt();
    this.#cancelSettling = (options.clock ?? systemClock).after(settleMs, endProgram);
  }

  /** Restarts the idle timer of the program; only stops it while a user is asked. */
  #watchSilence(): void {
    const { adapter, options } = this.#options;
    const { clock = systemClock, idleTimeoutMs } = options;
    this.#cancelSilence();
    if (idleTimeoutMs === undefined || this.#endTurn === undefined || this.#decisions.areOpen) return;
    this.#cancelSilence = clock.after(idleTimeoutMs, () => {
      const message = `${adapter.name} was silent for ${idleTimeoutMs / 1000} s, which is its limit, and was stopped.`;
      void this.#report({ message, code: 'timeout' });
      this.#stop('timeout');
    });
  }

  /** Emits the failure of the run, unless one was reported. */
  async #report(problem: SessionProblem): Promise<void> {
    const event = this.#failure.toEvent(problem);
    if (event !== undefined) await this.#output.put(event);
  }

  #warn(message: string, code = 'steer_queued'): Promise<void> {
    return this.#output.put({ type: 'warning', runId: this.#runId, message, code });
  }
}
