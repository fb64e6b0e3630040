import type { Agent, InvokeParams, UserMessage } from '../agents/agent.ts';
import { type AgentEvent, type ContentPart, errorText, newId, OrderChecker, SingletreeError } from '../events/index.ts';
import { ThreadWriter } from '../log/index.ts';
import type { RunState } from '../projections/run-state.ts';
import type { ActiveThread } from './active-thread.ts';
import { cancelRelays } from './answer-relay.ts';
import { noOpenRun } from './open-runs.ts';
import type { EndNote, RunHandle, RunOutcome } from './run-control.ts';

export interface ActiveRunOptions {
  readonly thread: ActiveThread;
  readonly threadId: string;
  readonly agent: Agent;
  readonly params: Omit<InvokeParams, 'signal' | 'answers' | 'steering'>;
  /** How long an agent that was told to stop may take before it is left alone. */
  readonly graceMs: number;
  /** Warns in the log about events that come in an illegal order. */
  readonly checkOrder: boolean;
  readonly note: EndNote | undefined;
}

/** One invocation of an agent: appends what it emits, and makes sure that the run has an end. */
export class ActiveRun implements RunHandle {
  readonly threadId: string;
  readonly runId: string;
  readonly done: Promise<RunOutcome>;
  readonly #options: ActiveRunOptions;
  readonly #stop = new AbortController();
  readonly #letGo: Promise<'let go'>;
  readonly #letGoNow: (how: 'let go') => void;
  readonly #order: OrderChecker | undefined;
  /** The runs that the agent started and that have not ended, by their agents. */
  readonly #below = new Map<string, string>();
  #steering: UserMessage[] = [];
  #leftOpen = false;
  /** Whether the run has its end: what the agent emits after it is not written. */
  #isOver = false;

  constructor(options: ActiveRunOptions) {
    this.threadId = options.threadId;
    this.runId = options.params.runId;
    this.#options = options;
    this.#order = options.checkOrder ? new OrderChecker() : undefined;
    const { resume } = options.params;
    if (resume !== undefined) this.#followBefore(resume);
    if (resume !== undefined && this.#order !== undefined)
      for (const { seq: _, ...event } of eventsOf(resume)) this.#order.check(event);
    const { promise, resolve } = withResolve<'let go'>();
    this.#letGo = promise;
    this.#letGoNow = resolve;
    this.done = this.#drive();
  }

  get seq(): number {
    return this.#options.thread.seq ?? 0;
  }

  /** Whether the run was left as it is, to be continued by another process. */
  get leftOpen(): boolean {
    return this.#leftOpen;
  }

  steer(content: string | readonly ContentPart[]): void {
    this.#steering.push({ id: newId(), content });
  }

  /** What was said to the run and not taken in by it. */
  takeUnread(): readonly UserMessage[] {
    return this.#steering.splice(0);
  }

  /** Signals the agent to stop, and abandons one that does not after a while; `request` is put into the log first. */
  abort(request?: AgentEvent): void {
    if (this.#stop.signal.aborted || this.#isOver) return;
    if (request !== undefined) this.mark(request);
    this.#stop.abort(new Error('The run was aborted.'));
    setTimeout(() => this.#letGoNow('let go'), this.#options.graceMs).unref();
  }

  /** Puts an event about the run into its log. */
  mark(event: AgentEvent): void {
    void this.#options.thread.writer.write(event).catch(() => {});
  }

  /** Lets go of the run without ending it. */
  leaveOpen(): void {
    this.#leftOpen = true;
    this.#letGoNow('let go');
    this.#stop.abort(new Error('The process is shutting down.'));
  }

  async #drive(): Promise<RunOutcome> {
    const { agent, params, thread } = this.#options;
    const invoked = agent.invoke({
      ...params,
      signal: this.#stop.signal,
      answers: thread.answers,
      steering: { take: () => this.#steering.splice(0) },
    });
    const events = invoked[Symbol.asyncIterator]();
    try {
      // Raced once, not for each event: what a promise that stays is raced with stays too.
      const consumed = await Promise.race([this.#consume(events), this.#letGo]);
      if (this.#leftOpen) return 'interrupted';
      this.#isOver = true;
      return await (consumed === 'let go' ? this.#end('aborted') : this.#end(consumed.reason, consumed.event));
    } catch (error) {
      return await this.#fail(error);
    } finally {
      this.#isOver = true;
      void Promise.resolve(events.return?.()).catch(() => {});
    }
  }

  /** Appends what the agent emits until it ends, or until nobody waits for it any more; tells how it ended. */
  async #consume(events: AsyncIterator<AgentEvent>): Promise<{ reason: RunOutcome; event?: AgentEvent }> {
    const { writer } = this.#options.thread;
    for (;;) {
      const next = await events.next();
      if (this.#isOver || this.#leftOpen || next.done === true) return { reason: 'aborted' };
      const event = next.value;
      if (isEndOf(event, this.runId)) return { reason: event.reason ?? 'complete', event };
      if (event.runId !== this.runId) await this.#follow(event);
      if (event.type === 'relay') await this.#options.thread.expectAnswers();
      const written = writer.pass(event);
      if (written !== ThreadWriter.accepted) await written;
      if (this.#order !== undefined) await this.#warnOfOrder(event);
    }
  }

  /** Takes up the runs that were open below when the process before ended. */
  #followBefore(state: RunState): void {
    for (const child of [...state.children.values()].flat()) {
      if (child.endedBy === undefined) this.#below.set(child.runId, child.agentId ?? 'unknown');
      this.#followBefore(child);
    }
  }

  /** Knows which runs below are open; one that ends takes back what it asked. */
  async #follow(event: AgentEvent): Promise<void> {
    if (event.type === 'harness_start') this.#below.set(event.runId, event.agentId);
    if (event.type !== 'harness_end') return;
    this.#below.delete(event.runId);
    await cancelRelays(this.#options.thread, event.runId);
  }

  async #warnOfOrder(event: AgentEvent): Promise<void> {
    for (const { message } of this.#order?.check(event) ?? [])
      await this.#options.thread.writer.write({ type: 'warning', runId: this.runId, code: 'illegal_order', message });
  }

  async #end(outcome: RunOutcome, event?: AgentEvent): Promise<RunOutcome> {
    const reason = event === undefined && !this.#stop.signal.aborted ? 'complete' : outcome;
    const { thread, agent } = this.#options;
    for (const [runId, agentId] of [...this.#below].toReversed()) {
      await cancelRelays(thread, runId);
      await thread.writer.write({ type: 'harness_end', runId, agentId, reason: 'aborted' });
    }
    await cancelRelays(thread, this.runId);
    const end = event ?? { type: 'harness_end' as const, runId: this.runId, agentId: agent.id, reason };
    await thread.writer.write(end, Object.assign(noOpenRun(this.runId), this.#options.note?.()));
    return reason;
  }

  /** An agent that throws has failed; a log that fails leaves the run open, for whoever can write again. */
  async #fail(error: unknown): Promise<RunOutcome> {
    const message = errorText(error);
    const code = SingletreeError.is(error) ? error.code : 'agent_failed';
    try {
      await this.#options.thread.writer.write({ type: 'error', runId: this.runId, message, code, fatal: true });
      return await this.#end('error', {
        type: 'harness_end',
        runId: this.runId,
        agentId: this.#options.agent.id,
        reason: 'error',
      });
    } catch {
      this.#leftOpen = true;
      return 'interrupted';
    }
  }
}

/** What a run and those below it have in the log, in its order. */
function eventsOf({ events, children }: RunState): readonly AgentEvent[] {
  if (children.size === 0) return events;
  const all = [...events, ...[...children.values()].flat().flatMap(eventsOf)];
  return all.toSorted((a, b) => (a.seq ?? 0) - (b.seq ?? 0));
}

function isEndOf(event: AgentEvent, runId: string): event is Extract<AgentEvent, { type: 'harness_end' }> {
  return event.type === 'harness_end' && event.runId === runId;
}

function withResolve<Value>(): { readonly promise: Promise<Value>; readonly resolve: (value: Value) => void } {
  let resolve: (value: Value) => void = () => {};
  const promise = new Promise<Value>(settle => (resolve = settle));
  return { promise, resolve };
}
