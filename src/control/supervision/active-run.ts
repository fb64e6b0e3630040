import type { Agent } from '../../agents/contract/agent.ts';
import type { Answers } from '../../agents/contract/host.ts';
import type { UserMessage } from '../../agents/contract/host.ts';
import type { ConversationParams, RunParams } from '../../agents/contract/run-params.ts';
import type { HostParams } from '../../agents/contract/agent.ts';
import { defined } from '../../base/defined.ts';
import { errorText } from '../../base/error-text.ts';
import type { AgentEvent, EventOf } from '../../events/vocabulary.ts';
import { OrderChecker } from '../../events/order.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import type { RunTrace } from '../../events/trace-context.ts';
import { ThreadWriter } from '../../log/thread-writer.ts';
import type { StoredContexts } from '../threads/stored-contexts.ts';
import type { RunState } from '../../projections/run-state.ts';
import type { ActiveThread } from './active-thread.ts';
import { cancelRelays } from './resolve-relay.ts';
import { limitReached } from '../../agents/limits/limits.ts';
import { listEvents, LostCalls } from './lost-calls.ts';
import { unfrozenEvents } from '../../agents/frozen-events.ts';
import { RunDetached } from '../../agents/run-detached.ts';
import { ResultFold, type RunResult } from '../../agents/contract/run-result.ts';
import { deliveredKey } from './turn-events.ts';
import { runInTrace } from '../../agents/trace-scope.ts';
import type { RunOutcome } from './run-counts.ts';
import type { RunObserver } from './run-observer.ts';
import { turnShare } from './turn-share.ts';
import type { EndNote, FinishedRun, RunHandle } from './run-control.ts';

export interface ActiveRunOptions {
  readonly thread: ActiveThread;
  readonly threadId: string;
  readonly agent: Agent;
  readonly params: {
    readonly run: Omit<RunParams, 'signal'>;
    readonly conversation: ConversationParams;
    readonly host: Omit<HostParams, 'answers' | 'steering' | 'childStops'>;
  };
  /** How long an agent may take to stop before it is abandoned, in milliseconds. */
  readonly graceMs: number;
  /** Writes a warning into the log for events in an illegal order. */
  readonly checkOrder: boolean;
  readonly note: EndNote | undefined;
  /** Whether the message that it answers was sent with a request context that this process does not have. */
  readonly lacksContext: boolean;
  /** Makes the context of the run, for which none was passed. */
  readonly makeContext?: () => Promise<unknown>;
  /** The contexts that the thread had stored when the run was launched. */
  readonly contexts: StoredContexts;
  /** The trace that the caller named, which its first event carries. */
  readonly trace: RunTrace | undefined;
  readonly observer: RunObserver;
}

/** How a run ends, and the event that reports it. */
interface RunEnd {
  readonly reason: RunOutcome;
  readonly event?: AgentEvent;
}

/** One invocation of an agent: appends its events, and guarantees that the run ends. */
export class ActiveRun implements RunHandle {
  readonly threadId: string;
  readonly runId: string;
  readonly done: Promise<RunOutcome>;
  readonly result: Promise<RunResult>;
  readonly #fold: ResultFold;
  readonly #options: ActiveRunOptions;
  readonly #stop = new AbortController();
  readonly #abandoned: Promise<'abandoned'>;
  readonly #abandon: (how: 'abandoned') => void;
  readonly #order: OrderChecker | undefined;
  /** The open child runs, with their agents. */
  readonly #childRuns = new Map<string, string>();
  /** The ids of the waiting messages that it was handed. */
  readonly #handedOver = new Set<string>();
  /** Those of them that were sent with a request context which this process does not have. */
  readonly #withoutContext = new Set<string>();
  readonly #steering: UserMessage[] = [];
  /** The open calls of an external agent. */
  readonly #lostCalls: LostCalls | undefined;
  readonly #steeringListeners = new Set<() => void>();
  /** The abort controllers of its subagents, by run id. */
  readonly #children = new Map<string, AbortController>();
  #isDetached = false;
  /** Whether the run has ended: later events of the agent are ignored. */
  #isOver = false;

  constructor(options: ActiveRunOptions) {
    this.threadId = options.threadId;
    this.runId = options.params.run.runId;
    this.#options = options;
    this.#order = options.checkOrder ? new OrderChecker() : undefined;
    const { resume } = options.params.run;
    this.#lostCalls = options.agent.abilities?.isExternal === true ? new LostCalls(resume) : undefined;
    if (resume !== undefined) this.#trackResumedChildren(resume);
    if (resume !== undefined && this.#order !== undefined)
      for (const { seq: _, ...event } of listEvents(resume)) this.#order.check(event);
    const { promise, resolve } = withResolve<'abandoned'>();
    this.#abandoned = promise;
    this.#abandon = resolve;
    this.#fold = new ResultFold(this.runId, resume);
    const { trace, observer } = options;
    this.done = runInTrace(observer.traceparent(this.runId, trace), () => this.#drive());
    this.result = this.done.then(reason => this.#fold.result(reason));
  }

  get seq(): number {
    return this.#options.thread.seq ?? 0;
  }

  /** Whether it has ended or was detached, though its last events may not be stored yet. */
  get isOver(): boolean {
    return this.#isOver || this.#isDetached;
  }

  /** Resolves with the run and its result when its last event is in the log. */
  async finished(): Promise<FinishedRun> {
    const { agent, params } = this.#options;
    const { resourceId, by } = params.run;
    return { ...(await this.result), threadId: this.threadId, agentId: agent.id, ...defined({ resourceId, by }) };
  }

  get isDetached(): boolean {
    return this.#isDetached;
  }

  /** Hands a waiting message to the agent, once; it waits until the agent adds it. */
  steer(message: UserMessage, lacksContext: boolean): void {
    if (this.#handedOver.has(message.id)) return;
    if (lacksContext) this.#withoutContext.add(message.id);
    this.#handedOver.add(message.id);
    this.#steering.push(message);
    for (const listener of this.#steeringListeners) listener();
  }

  /** Aborts the agent after logging `request`, and abandons it after the grace period. */
  abort(request?: AgentEvent): void {
    if (this.#stop.signal.aborted || this.#isOver) return;
    if (request !== undefined) this.mark(request);
    this.#stop.abort(new Error('The run was aborted.'));
    // Relays are cancelled at once, even if the agent takes long to stop.
    this.#cancelAllRelays().catch(this.#diagnose('cancel_failed'));
    setTimeout(() => this.#abandon('abandoned'), this.#options.graceMs).unref();
  }

  /** Stops one of its subagents; returns whether it has one with this id. */
  stopChild(runId: string): boolean {
    const stop = this.#children.get(runId);
    stop?.abort(new Error('The subagent was stopped.'));
    return stop !== undefined;
  }

  /** Appends an event about the run to its log. */
  mark(event: AgentEvent): void {
    this.#options.thread.writer.write(event).catch(this.#diagnose('mark_failed'));
  }

  /** Detaches the run without ending it; a reason is a warning of the run. */
  detach(reason?: string): void {
    if (reason !== undefined) this.mark({ type: 'warning', runId: this.runId, message: reason, code: 'detached' });
    this.#isDetached = true;
    this.#abandon('abandoned');
    this.#stop.abort(new RunDetached());
  }

  get #answers(): Answers | undefined {
    const { agent, thread } = this.#options;
    return agent.abilities?.asksNobody === true ? undefined : thread.answers;
  }

  async #drive(): Promise<RunOutcome> {
    const { params, makeContext } = this.#options;
    const invoked = makeContext === undefined ? this.#invoke(params.run.context) : this.#invokeWith(makeContext);
    const events = invoked[Symbol.asyncIterator]();
    try {
      // Raced once, not per event: a pending promise retains every promise it is raced with.
      const consumed = await Promise.race([this.#consume(events), this.#abandoned]);
      if (this.#isDetached) return 'interrupted';
      this.#isOver = true;
      return await (consumed === 'abandoned' ? this.#end('aborted') : this.#end(consumed.reason, consumed.event));
    } catch (error) {
      return await this.#fail(error);
    } finally {
      this.#isOver = true;
      Promise.resolve(events.return?.()).catch(this.#diagnose('agent_return_failed'));
    }
  }

  async *#invokeWith(makeContext: () => Promise<unknown>): AsyncGenerator<AgentEvent> {
    yield* this.#invoke(await makeContext());
  }

  #invoke(context: unknown): AsyncIterable<AgentEvent> {
    const { agent, params } = this.#options;
    const invoked = agent.invoke({
      run: { ...params.run, ...defined({ context }), signal: this.#stop.signal },
      conversation: params.conversation,
      host: {
        ...params.host,
        ...defined({ answers: this.#answers }),
        childStops: {
          signalFor: runId => {
            const stop = this.#children.get(runId) ?? new AbortController();
            this.#children.set(runId, stop);
            return stop.signal;
          },
        },
        steering: {
          take: () => this.#steering.splice(0),
          onMessage: listener => {
            this.#steeringListeners.add(listener);
            return () => this.#steeringListeners.delete(listener);
          },
        },
      },
    });
    return unfrozenEvents(invoked);
  }

  /** Appends the agent's events until it ends or the run is over; returns how it ended. */
  async #consume(events: AsyncIterator<AgentEvent>): Promise<RunEnd> {
    const { contexts, thread, params } = this.#options;
    const { writer } = thread;
    let hasBegun = params.run.resume !== undefined;
    let end = hasBegun ? await this.#checkLimits() : undefined;
    while (end === undefined) {
      const next = await events.next();
      // A result is stored at once: the run may be lost while it waits for its turn.
      const turn = next.value?.type === 'tool_result' ? undefined : turnShare.next();
      if (turn !== undefined) await turn;
      if (this.#isOver || this.#isDetached || next.done === true) return { reason: 'aborted' };
      const stored = contexts.toStored(next.value);
      if (stored === undefined) continue;
      const event = this.#withTrace(stored);
      this.#fold.take(event);
      this.#options.observer.counts.take(event);
      if (isRunEnd(event, this.runId)) return { reason: event.reason ?? 'complete', event };
      this.#lostCalls?.take(event);
      if (event.runId !== this.runId) await this.#trackChild(event);
      if (event.type === 'usage') params.host.spending?.count(event);
      if (event.type === 'relay') await thread.startListening();
      const written = this.#isDelivery(event) ? this.#deliver(event) : writer.pass(event);
      if (written !== ThreadWriter.accepted) await written;
      if (event.type === 'mode_changed') await thread.append([], { metadata: { currentModeId: event.modeId } });
      if (event.type === 'harness_start' && event.runId === this.runId && this.#options.lacksContext)
        await writer.write(contextLost(this.runId));
      if (this.#order !== undefined) await this.#warnOfOrder(event);
      // An agent that emitted its first event does nothing before its second one is requested.
      if (!hasBegun) end = await this.#checkLimits();
      hasBegun = true;
    }
    return end;
  }

  /** Adds the trace that the caller named to the first event of the run. */
  #withTrace(event: AgentEvent): AgentEvent {
    const { trace } = this.#options;
    if (trace === undefined || event.type !== 'harness_start' || event.runId !== this.runId) return event;
    return { ...event, trace };
  }

  #diagnose(code: string): (cause: unknown) => void {
    return this.#options.observer.diagnose(code, this.threadId);
  }

  /** Delivers a waiting message that the agent added; one that another process delivered is not added again. */
  async #deliver(event: EventOf<'user'> & { readonly id: string }): Promise<void> {
    const { thread } = this.#options;
    await thread.writer.flush();
    try {
      const warnings = this.#withoutContext.has(event.id) ? [contextLost(this.runId)] : [];
      await thread.append([event, ...warnings], { once: deliveredKey(event.id) });
    } catch (error) {
      if (!SingletreeError.is(error, 'once_conflict')) throw error;
    }
  }

  /** Whether an event adds a waiting message that the agent was handed. */
  #isDelivery(event: AgentEvent): event is EventOf<'user'> & { readonly id: string } {
    return event.type === 'user' && event.id !== undefined && this.#handedOver.has(event.id);
  }

  async #cancelAllRelays(): Promise<void> {
    for (const runId of [this.runId, ...this.#childRuns.keys()]) await cancelRelays(this.#options.thread, runId);
  }

  /** Returns how the run ends when a limit forbids it to call a model, after asking a person if the limit asks. */
  async #checkLimits(): Promise<RunEnd | undefined> {
    const { agent, params, thread } = this.#options;
    const { runId } = params.run;
    const { signal } = this.#stop;
    const put = async (relay: AgentEvent) => {
      await thread.startListening();
      await thread.writer.write(relay);
    };
    const message = await params.host.spending?.reached({ runId, answers: this.#answers, signal, put });
    if (signal.aborted) return { reason: 'aborted' };
    if (message === undefined) return undefined;
    await this.#writeError({ message, code: limitReached });
    return { reason: limitReached, event: { type: 'harness_end', runId, agentId: agent.id, reason: limitReached } };
  }

  /** Tracks the child runs that were open when the previous process ended. */
  #trackResumedChildren(state: RunState): void {
    for (const child of [...state.children.values()].flat()) {
      if (child.endedBy === undefined) this.#childRuns.set(child.runId, child.agentId ?? 'unknown');
      this.#trackResumedChildren(child);
    }
  }

  /** Tracks open child runs; cancels the relays of one that ends. */
  async #trackChild(event: AgentEvent): Promise<void> {
    if (event.type === 'harness_start') this.#childRuns.set(event.runId, event.agentId);
    if (event.type !== 'harness_end') return;
    this.#childRuns.delete(event.runId);
    await cancelRelays(this.#options.thread, event.runId);
    await this.#closeCalls(event.runId, event.reason ?? 'complete');
  }

  async #warnOfOrder(event: AgentEvent): Promise<void> {
    for (const { message } of this.#order?.check(event) ?? [])
      await this.#options.thread.writer.write({ type: 'warning', runId: this.runId, code: 'illegal_order', message });
  }

  async #end(outcome: RunOutcome, event?: AgentEvent): Promise<RunOutcome> {
    const reason = event === undefined && !this.#stop.signal.aborted ? 'complete' : outcome;
    const { thread, agent } = this.#options;
    for (const [runId, agentId] of [...this.#childRuns].toReversed()) {
      await cancelRelays(thread, runId);
      await this.#closeCalls(runId, 'aborted');
      await thread.writer.write({ type: 'harness_end', runId, agentId, reason: 'aborted' });
    }
    await cancelRelays(thread, this.runId);
    await this.#closeCalls(this.runId, reason);
    const end = event ?? { type: 'harness_end' as const, runId: this.runId, agentId: agent.id, reason };
    await thread.writer.write(end, this.#options.note?.());
    return reason;
  }

  async #closeCalls(runId: string, reason: RunOutcome): Promise<void> {
    for (const event of this.#lostCalls?.close(runId, reason) ?? []) await this.#options.thread.writer.write(event);
  }

  async #writeError(problem: { readonly message: string; readonly code: string }): Promise<void> {
    const error = { type: 'error' as const, runId: this.runId, ...problem, fatal: true };
    this.#fold.take(error);
    await this.#options.thread.writer.write(error);
  }

  /** An agent that throws ends with an error; a log that fails leaves the run open for another process. */
  async #fail(error: unknown): Promise<RunOutcome> {
    const message = errorText(error);
    const code = SingletreeError.is(error) ? error.code : 'agent_failed';
    try {
      await this.#writeError({ message, code });
      return await this.#end('error', {
        type: 'harness_end',
        runId: this.runId,
        agentId: this.#options.agent.id,
        reason: 'error',
      });
    } catch (cause) {
      this.#diagnose('run_detached')(cause);
      this.detach();
      return 'interrupted';
    }
  }
}

function contextLost(runId: string): AgentEvent {
  const message =
    'This message was sent with a request context, which stays in the process that accepted it: another process delivers the message without.';
  return { type: 'warning', runId, message, code: 'context_lost' };
}

function isRunEnd(event: AgentEvent, runId: string): event is Extract<AgentEvent, { type: 'harness_end' }> {
  return event.type === 'harness_end' && event.runId === runId;
}

function withResolve<Value>(): { readonly promise: Promise<Value>; readonly resolve: (value: Value) => void } {
  let resolve: (value: Value) => void = () => {};
  const promise = new Promise<Value>(settle => (resolve = settle));
  return { promise, resolve };
}
