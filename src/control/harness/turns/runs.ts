import type { Limits } from '../../../agents/limits/limits.ts';
import type { Agent, InvokeParams, UserMessage } from '../../../agents/agent.ts';
import { newId, SingletreeError } from '../../../events/index.ts';
import type { EventLog } from '../../../log/index.ts';
import { runsElsewhere } from '../../supervision/active-thread.ts';
import { type OpenRun, openRunsOf } from '../../supervision/open-runs.ts';
import type { EndNote, RunHandle } from '../../supervision/run-control.ts';
import { Supervisor } from '../../supervision/supervisor.ts';
import type { ThreadMemory } from '../../thread-memory.ts';
import { drivenAgent } from './driven-agent.ts';
import type { OpenThread } from '../threads/open-thread.ts';
import type { RequestContext } from '../tools/request-context.ts';
import { addTokenUsage, type TokenUsage, tokenUsageOf } from '../token-usage.ts';
import { traceIdOf, traceIn } from './tracing.ts';
import { newTurn, type UserInput, steeringMessage, type Turn } from './turns.ts';

export interface RunsOptions {
  readonly log: EventLog;
  readonly memory: ThreadMemory;
  readonly newRunId: () => string;
  readonly limits: Limits | undefined;
  /** The agent of the current mode. */
  readonly agent: () => Agent;
  /** Returns the additional parameters of a run. */
  readonly prepare: (
    params: InvokeParams,
    place: {
      readonly thread: OpenThread;
      readonly turn: Turn;
      readonly requestContext: RequestContext | undefined;
      readonly agent: Agent;
    },
  ) => Promise<Partial<InvokeParams>>;
}

export interface ResumeRequest {
  readonly openRuns: readonly OpenRun[];
  readonly requestContext?: RequestContext | undefined;
}

/** Starts and resumes runs of the open thread through the supervisor. */
export class Runs {
  readonly supervisor: Supervisor;
  readonly #options: RunsOptions;
  /** The agent that resumes open runs. */
  readonly #agents: Agent[] = [];

  constructor(options: RunsOptions) {
    this.#options = options;
    const { log, memory, newRunId, limits } = options;
    this.supervisor = new Supervisor({ log, memory, newRunId, agents: this.#agents, ...(limits && { limits }) });
  }

  /**
   * Starts a run with the agent that is chosen once the thread is in sync. An orphaned run is resumed instead, and
   * receives the input.
   */
  async start(thread: OpenThread, turn: Turn, input: UserInput): Promise<void> {
    const { content, id, requestContext } = input;
    if (thread.projection.runs.size > 0) {
      await this.resume(thread, turn, { openRuns: await this.openRuns(thread), requestContext });
      if (turn.handles.length > 0) return void turn.steering.unshift(steeringMessage(input));
    }
    const { agent, note } = this.#driveAgent(thread, turn, requestContext);
    const expectedSeq = thread.seq;
    thread.follow();
    try {
      const named = id === undefined ? {} : { id };
      turn.handles = [await this.supervisor.start(thread.id, { agent, content, ...named, note, expectedSeq })];
    } catch (error) {
      thread.unfollowIfIdle();
      if (!SingletreeError.is(error, 'seq_conflict')) throw error;
      await thread.sync();
      return this.start(thread, turn, input);
    }
  }

  /** The open runs of a thread, in any process. */
  async openRuns(thread: OpenThread): Promise<readonly OpenRun[]> {
    const stored = await this.#options.log.getThread(thread.id);
    return stored === undefined ? [] : openRunsOf(stored);
  }

  /** Resumes open runs within a turn; throws `lease_held` when another process owns them. */
  async resume(thread: OpenThread, turn: Turn, { openRuns, requestContext }: ResumeRequest): Promise<void> {
    if (openRuns.length === 0) return;
    const { agent, note } = this.#driveAgent(thread, turn, requestContext);
    this.#agents.splice(0, 1, agent);
    thread.follow();
    for (const { runId } of openRuns) {
      const handle = await this.#continue(thread.id, runId, note);
      if (handle !== undefined) turn.handles = [...turn.handles, handle];
    }
    await thread.sync();
    thread.unfollowIfIdle();
    if (turn.handles.length === 0 && thread.projection.runs.size > 0) throw runsElsewhere(thread.id);
  }

  /** Aborts a run if it is still active. */
  async stop(runId: string): Promise<void> {
    try {
      await this.supervisor.abort(runId);
    } catch (error) {
      if (!SingletreeError.is(error, 'run_not_found')) throw error;
    }
  }

  /** Aborts the runs of a thread, whichever process owns them. */
  async stopAll(thread: OpenThread): Promise<void> {
    const { note } = this.#driveAgent(thread, newTurn(), undefined);
    thread.follow();
    await this.supervisor.abortAll(thread.id, { note });
    await thread.sync();
    thread.unfollowIfIdle();
  }

  /** Stores messages that a failed or aborted run did not read. */
  async storeUnread(threadId: string, unread: readonly UserMessage[]): Promise<void> {
    const input = unread.map(({ id, content }) => ({
      type: 'user' as const,
      runId: newId(),
      id,
      content: typeof content === 'string' ? content : [...content],
    }));
    if (input.length > 0) await this.#options.log.append(threadId, input);
  }

  async #continue(threadId: string, runId: string, note: EndNote): Promise<RunHandle | undefined> {
    try {
      return await this.supervisor.continue(threadId, runId, { note });
    } catch (error) {
      if (SingletreeError.is(error, 'run_not_found')) return undefined;
      throw error;
    }
  }

  /** The agent as a turn drives it, and the metadata to store when its run ends: the tokens used. */
  #driveAgent(thread: OpenThread, turn: Turn, requestContext: RequestContext | undefined) {
    const runs = new Set<string>();
    let tokenUsage: TokenUsage | undefined;
    const own = this.#options.agent();
    const agent = drivenAgent(own, {
      startFields: runId => (turn.trace === undefined ? {} : { trace: { traceId: traceIdOf(runId), ...turn.trace } }),
      prepare: async params => {
        runs.add(params.runId);
        // No other run is active in the thread now, and earlier usage is known.
        tokenUsage ??= thread.usage;
        if (params.resume !== undefined) turn.trace = traceIn(params.resume.events);
        const prepared = await this.#options.prepare(params, { thread, turn, requestContext, agent: own });
        return { ...prepared, steering: { take: () => turn.steering.splice(0) } };
      },
      endsBefore: () => turn.endsAtStep,
      onEvent: event => {
        if (event.type === 'usage' && runs.has(event.runId) && tokenUsage !== undefined)
          tokenUsage = addTokenUsage(tokenUsage, tokenUsageOf(event));
      },
    });
    return { agent, note: () => ({ tokenUsage: tokenUsage ?? thread.usage }) };
  }
}
