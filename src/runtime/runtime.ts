import { defined } from '../base/defined.ts';
import type { Agent } from '../agents/contract/agent.ts';
import { agentTool } from '../agents/subagents/agent-tool.ts';
import { Conversations } from '../control/conversations/conversations.ts';
import type { RunHandle } from '../control/supervision/run-control.ts';
import { Supervisor } from '../control/supervision/supervisor.ts';
import { newId } from '../events/ids.ts';
import { SingletreeError } from '../base/singletree-error.ts';
import { allThreads } from '../log/all-threads.ts';
import type { EventLog, Thread } from '../log/event-log.ts';
import { MemoryLog } from '../log/memory-log.ts';
import { flowEncoder } from '../protocols/flow/flow-encoder.ts';
import type { FlowEvent } from '../protocols/flow/flow-event.ts';
import { ApprovalPolicy } from './approval-policy.ts';
import {
  findRelay,
  type PendingApproval,
  listPendingApprovals,
  toAnswer,
  type ApprovalAnswer,
  type ApprovalOutcomeName,
} from './approvals.ts';
import { findRequest, type RequestPlace } from './requests.ts';
import { governedAgent, type Place } from './governed-agent.ts';
import { type Plan, plansFold, type PlansState } from './plans/plan-fold.ts';
import { ThreadFolds } from '../control/threads/thread-folds.ts';
import {
  checkAnswer,
  checkPending,
  checkQuery,
  checkSpecialist,
  checkWatch,
  type FlowWatchOptions,
  type QueryOptions,
  type SpecialistOptions,
  listAgents,
  checkRuntimeOptions,
  type RuntimeOptions,
} from './runtime-options.ts';

/** The wire events of one request. It begins when the first is read; to stop reading does not stop the run. */
export type FlowStream = AsyncGenerator<FlowEvent, void, undefined>;

/**
 * Sends requests to agents for one resource, streams their work as wire events, and accepts the decisions of people.
 */
export class Runtime {
  readonly #options: RuntimeOptions;
  readonly #log: EventLog;
  readonly #plans: ThreadFolds<PlansState, readonly Plan[], Thread>;
  readonly #policy: ApprovalPolicy;
  readonly #agents: readonly Agent[];
  readonly #supervisor: Supervisor;
  readonly #conversations: Conversations;
  readonly #closed = new AbortController();
  readonly #plansAtWork = new Set<string>();

  constructor(options: RuntimeOptions) {
    checkRuntimeOptions(options);
    this.#agents = listAgents(options);
    this.#options = options;
    this.#log = options.storage ?? new MemoryLog();
    const startOf = ({ importedSeq: seq = 0 }: Thread) => ({ state: plansFold.initial, seq });
    this.#plans = new ThreadFolds(this.#log, plansFold, { most: 200, startOf });
    this.#policy = new ApprovalPolicy(options.approvals);
    const { specialists = [], graceMs, limits, telemetry, clock, contextOf } = options;
    const agents = [...this.#agents, ...specialists.map(({ agent }) => agent)];
    const find = (agentId: string, threadId = '') => {
      const agent = agents.find(({ id }) => id === agentId);
      return agent && this.#governed(agent, threadId);
    };
    this.#supervisor = new Supervisor({
      log: this.#log,
      resourceId: options.resourceId,
      agents: ({ agentId }, threadId) => find(agentId, threadId),
      ...defined({ graceMs, limits, telemetry, clock, contextOf }),
    });
    this.#conversations = new Conversations({
      log: this.#log,
      control: this.#supervisor,
      agents: { list: () => agents, get: find },
      signal: this.#closed.signal,
    });
    this.#conversations.deliver();
  }

  /** Asks an agent. */
  async *query(prompt: string, options: QueryOptions = {}): FlowStream {
    checkQuery(options);
    const { agent: id } = options;
    yield* this.#ask(pick(this.#agents, id ?? this.#agents[0]?.id), prompt, options);
  }

  /** Asks a specialist, without another agent between. */
  async *runSpecialist(id: string, prompt: string, options: SpecialistOptions = {}): FlowStream {
    checkSpecialist(options);
    const specialists = (this.#options.specialists ?? []).map(({ agent }) => agent);
    yield* this.#ask(pick(specialists, id), prompt, options);
  }

  /** Reads a request of a thread, again or further: its wire events from the first, or after those the reader has. */
  async *watch(threadId: string, options: FlowWatchOptions = {}): FlowStream {
    checkWatch(options);
    const { after = 0, runId, signal } = options;
    const thread = await this.#conversations.find(threadId, this.#options.resourceId);
    const running = this.#running(threadId)[0]?.runId;
    const request = await findRequest(this.#log, thread, runId ?? running);
    yield* this.#stream(threadId, request, { skip: after, signal });
  }

  /** Answers a pending approval; the first answer wins. */
  async respondToApproval(id: string, outcome: ApprovalOutcomeName, answer: ApprovalAnswer = {}): Promise<void> {
    checkAnswer(answer);
    const { resourceId } = this.#options;
    const { thread, entry } = await findRelay({ log: this.#log, books: this.#conversations.inbox }, { id, resourceId });
    await this.#conversations.answer(thread.id, id, toAnswer(entry.relay, outcome, answer));
  }

  /** Returns the pending approvals of one thread, or of all threads of the resource. */
  async pendingApprovals(options: { threadId?: string } = {}): Promise<PendingApproval[]> {
    checkPending(options);
    const { threadId } = options;
    const { resourceId } = this.#options;
    if (threadId !== undefined)
      return listPendingApprovals(
        { log: this.#log, books: this.#conversations.inbox },
        await this.#conversations.find(threadId, resourceId),
      );
    const pending: PendingApproval[] = [];
    for await (const thread of allThreads(this.#log, { resourceId, open: 'relay' }))
      pending.push(...(await listPendingApprovals({ log: this.#log, books: this.#conversations.inbox }, thread)));
    return pending;
  }

  /** Returns the plans of a thread with their status, without imported ones. */
  async plans(threadId: string): Promise<readonly Plan[]> {
    return this.#plans.of(await this.#conversations.find(threadId, this.#options.resourceId));
  }

  /**
   * Aborts the runs of a thread, in any process, and everything they started; resolves when they have ended. Throws
   * `run_not_found` when no run is active.
   */
  async cancel(threadId: string): Promise<void> {
    await this.#conversations.find(threadId, this.#options.resourceId);
    if ((await this.#conversations.abortAll(threadId)).length > 0) return;
    throw new SingletreeError('run_not_found', `No run is under way in the thread "${threadId}".`, {
      details: { threadId },
    });
  }

  /**
   * Resumes the runs of the resource whose process died, and returns them; ends those that cannot be resumed. From then
   * on, until `close`, it does the same whenever an owner dies.
   */
  recover(): Promise<readonly RunHandle[]> {
    return this.#supervisor.recover();
  }

  /** Ends all streams and leaves the runs as they are, to be recovered later. The storage stays open. */
  async close(): Promise<void> {
    this.#closed.abort();
    await this.#supervisor.close();
  }

  async *#ask(agent: Agent, prompt: string, options: SpecialistOptions): FlowStream {
    const { threadId = newId(), model, context, signal } = options;
    if (signal?.aborted === true) return;
    const { resourceId } = this.#options;
    const { seq } = await this.#conversations.findOrCreate({ id: threadId, resourceId }, resourceId);
    const { here, elsewhere } = await this.#supervisor.takeOver(threadId);
    if (here.length + elsewhere.length > 0) throw underWay(threadId);
    const message = { agent: agent.id, content: prompt, model };
    const { runId } = await this.#conversations.start(threadId, message, { context });
    yield* this.#stream(threadId, { runId, after: seq }, { skip: 0, signal });
  }

  /** Yields the wire events of one request from the log, without the first `skip`; its signal ends the stream, not the run. */
  async *#stream(
    threadId: string,
    { runId, after }: RequestPlace,
    { skip, signal: stop }: { skip: number; signal: AbortSignal | undefined },
  ): FlowStream {
    const { resourceId, currency, priceOf } = this.#options;
    const end = this.#closed.signal;
    const signal = stop === undefined ? end : AbortSignal.any([end, stop]);
    const encoder = flowEncoder({ runId, threadId, resourceId, priceOf, currency });
    let unseen = skip;
    for await (const event of this.#log.tail(threadId, after, { signal })) {
      const encoded = encoder.encode(event);
      const ends = encoded.some(({ type }) => type === 'finish' || type === 'error');
      // A reader that receives the end may send the next request at once.
      if (ends) await this.#running(threadId).find(run => run.runId === runId)?.done;
      for (const each of encoded) {
        if (unseen > 0) unseen--;
        else yield each;
      }
      if (ends) return;
    }
  }

  #running(threadId: string): readonly RunHandle[] {
    return this.#supervisor.running().filter(run => run.threadId === threadId);
  }

  #place(threadId: string): Place {
    const { resourceId } = this.#options;
    return { threadId, resourceId, log: this.#log, policy: this.#policy, plansAtWork: this.#plansAtWork };
  }

  /**
   * Returns an agent under the rules of the runtime. Agents can start specialists; specialists cannot start each other.
   */
  #governed(agent: Agent, threadId: string): Agent {
    const { tools = [], specialists = [], memory } = this.#options;
    const shared = { memory, place: this.#place(threadId) };
    if (specialists.length === 0 || !this.#agents.includes(agent)) return governedAgent(agent, { ...shared, tools });
    const agents = specialists.map(({ agent, description }) => ({
      agent: governedAgent(agent, { ...shared, tools }),
      description,
    }));
    return governedAgent(agent, { ...shared, tools: [...tools, agentTool({ agents })] });
  }
}

/** Creates a runtime. Throws `invalid_argument` for options that are unknown, missing, invalid or contradictory. */
export function createRuntime(options: RuntimeOptions): Runtime {
  return new Runtime(options);
}

function pick(agents: readonly Agent[], id: string | undefined): Agent {
  const agent = agents.find(each => each.id === id);
  if (agent !== undefined) return agent;
  const known = agents.map(each => each.id).join(', ') || 'none';
  throw new SingletreeError('agent_not_found', `There is no agent "${id}" here. There are: ${known}.`, {
    details: { agent: id },
  });
}

function underWay(threadId: string): SingletreeError {
  return new SingletreeError(
    'run_under_way',
    `A run is under way in the thread "${threadId}": watch it, answer what it waits for, or cancel it first.`,
    { details: { threadId } },
  );
}
