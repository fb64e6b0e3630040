import type { Agent, InvokeParams, UserMessage } from '../../agents/agent.ts';
import { newId, SingletreeError } from '../../events/index.ts';
import type { EventLog } from '../../log/index.ts';
import { openRunsOf } from '../open-runs.ts';
import type { EndNote, RunHandle } from '../run-control.ts';
import { Supervisor } from '../supervisor.ts';
import type { ThreadMemory } from '../thread-memory.ts';
import { drivenAgent } from './driven-agent.ts';
import type { OpenThread } from './open-thread.ts';
import type { RequestContext } from './request-context.ts';
import { addTokenUsage, type TokenUsage, tokenUsageOf } from './token-usage.ts';
import { traceIdOf, traceIn } from './tracing.ts';
import { newTurn, type Said, type Turn } from './turns.ts';

export interface RunsOptions {
  readonly log: EventLog;
  readonly memory: ThreadMemory;
  readonly newRunId: () => string;
  /** The agent that answers now. */
  readonly agent: () => Agent;
  /** What a run in a thread is given. */
  readonly prepare: (
    params: InvokeParams,
    place: { readonly thread: OpenThread; readonly turn: Turn; readonly requestContext: RequestContext | undefined },
  ) => Promise<Partial<InvokeParams>>;
}

/** The runs of a harness in the thread it has open, through the supervisor. */
export class Runs {
  readonly supervisor: Supervisor;
  readonly #options: RunsOptions;
  /** The agent that runs left open are gone on with. */
  readonly #agents: Agent[] = [];

  constructor(options: RunsOptions) {
    this.#options = options;
    const { log, memory, newRunId } = options;
    this.supervisor = new Supervisor({ log, memory, newRunId, agents: this.#agents });
  }

  /** Starts with the agent that is chosen by then: what was decided elsewhere is heard first. */
  async start(thread: OpenThread, turn: Turn, said: Said): Promise<RunHandle> {
    const { content, id, requestContext } = said;
    const { agent, note } = this.#driven(thread, turn, requestContext);
    const expectedSeq = thread.seq;
    thread.follow();
    try {
      const named = id === undefined ? {} : { id };
      return await this.supervisor.start(thread.id, { agent, content, ...named, note, expectedSeq });
    } catch (error) {
      thread.rest();
      if (!SingletreeError.is(error, 'seq_conflict')) throw error;
      await thread.sync();
      return this.start(thread, turn, said);
    }
  }

  /** Goes on with what a process left open in a thread; a turn when something runs here now. */
  async continue(thread: OpenThread): Promise<Turn | undefined> {
    const { log } = this.#options;
    const stored = await log.getThread(thread.id);
    const open = stored === undefined ? [] : openRunsOf(stored);
    if (open.length === 0) return undefined;
    const turn = newTurn();
    const { agent, note } = this.#driven(thread, turn, undefined);
    this.#agents.splice(0, 1, agent);
    thread.follow();
    const handles: RunHandle[] = [];
    for (const { runId } of open) {
      const handle = await this.#continue(thread.id, runId, note);
      if (handle !== undefined) handles.push(handle);
    }
    await thread.sync();
    thread.rest();
    turn.handles = handles;
    return handles.length === 0 ? undefined : turn;
  }

  /** Stops a run, when it is still under way. */
  async stop(runId: string): Promise<void> {
    try {
      await this.supervisor.abort(runId);
    } catch (error) {
      if (!SingletreeError.is(error, 'run_not_found')) throw error;
    }
  }

  /** Keeps what was said too late for a run that did not end well. */
  async keepUnread(threadId: string, unread: readonly UserMessage[]): Promise<void> {
    const said = unread.map(({ id, content }) => ({
      type: 'user' as const,
      runId: newId(),
      id,
      content: typeof content === 'string' ? content : [...content],
    }));
    if (said.length > 0) await this.#options.log.append(threadId, said);
  }

  async #continue(threadId: string, runId: string, note: EndNote): Promise<RunHandle | undefined> {
    try {
      return await this.supervisor.continue(threadId, runId, { note });
    } catch (error) {
      if (SingletreeError.is(error, 'run_not_found')) return undefined;
      throw error;
    }
  }

  /** The agent as a turn drives it, and what its thread keeps when a run of it ends: the tokens used until then. */
  #driven(thread: OpenThread, turn: Turn, requestContext: RequestContext | undefined) {
    const runs = new Set<string>();
    let tokenUsage: TokenUsage | undefined;
    const agent = drivenAgent(this.#options.agent(), {
      starts: runId => (turn.trace === undefined ? {} : { trace: { traceId: traceIdOf(runId), ...turn.trace } }),
      prepare: async params => {
        runs.add(params.runId);
        // Nobody else runs in the thread by now, and what others ran before is known.
        tokenUsage ??= thread.usage;
        turn.trace ??= traceIn(params.resume?.events ?? []);
        const prepared = await this.#options.prepare(params, { thread, turn, requestContext });
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
