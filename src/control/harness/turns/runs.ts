import type { Limits } from '../../../agents/limits/limits.ts';
import type { Agent, InvokeParams } from '../../../agents/contract/agent.ts';
import { defined } from '../../../base/defined.ts';
import { newId } from '../../../events/ids.ts';
import { SingletreeError } from '../../../base/singletree-error.ts';
import type { EventLog } from '../../../log/event-log.ts';
import { readEvents } from '../../../log/read-events.ts';
import { runsElsewhere } from '../../supervision/active-thread.ts';
import { type OpenRun, listOpenRuns } from '../../supervision/open-runs.ts';
import type { ContextOf } from '../../supervision/run-input.ts';
import type { EndNote, RunFollower, RunHandle } from '../../supervision/run-control.ts';
import { Conversations } from '../../conversations/conversations.ts';
import { Supervisor } from '../../supervision/supervisor.ts';
import { deliveredKey } from '../../supervision/turn-events.ts';
import type { ThreadMemory } from '../../threads/thread-memory.ts';
import { drivenAgent, type RunAddition } from './driven-agent.ts';
import type { LiveTurn } from '../machine/live-turn.ts';
import type { OpenThread } from '../threads/open-thread.ts';
import type { RequestContext } from '../tools/request-context.ts';
import { addTokenUsage, type TokenUsage, toTokenUsage } from '../token-usage.ts';
import { findTrace } from '../../../events/trace-context.ts';
import { toMessage, type UserInput } from '../machine/messages.ts';

export interface RunsOptions {
  readonly log: EventLog;
  readonly memory: ThreadMemory;
  readonly newRunId: () => string;
  readonly limits: Limits | undefined;
  readonly contextOf: ContextOf | undefined;
  readonly telemetry: RunFollower | undefined;
  /** Whether this process has the request context of a waiting message. */
  readonly hasContext: (messageId: string) => boolean;
  /** The agent of the current mode. */
  readonly agent: () => Agent;
  /** Returns the additional parameters of a run. */
  readonly prepare: (
    params: InvokeParams,
    place: {
      readonly thread: OpenThread;
      readonly turn: LiveTurn;
      readonly requestContext: RequestContext | undefined;
      readonly agent: Agent;
    },
  ) => Promise<RunAddition>;
}

export interface ResumeRequest {
  readonly openRuns: readonly OpenRun[];
  readonly requestContext?: RequestContext | undefined;
}

/** Starts and resumes runs of the open thread through the supervisor. */
export class Runs {
  readonly supervisor: Supervisor;
  readonly conversations: Conversations;
  readonly #options: RunsOptions;
  /** The agent that resumes open runs. */
  readonly #agents: Agent[] = [];

  constructor(options: RunsOptions) {
    this.#options = options;
    const { limits, telemetry, log, memory, newRunId, hasContext, contextOf } = options;
    const shared = { log, memory, newRunId, hasContext, ...defined({ limits, telemetry, contextOf }) };
    this.supervisor = new Supervisor({ ...shared, agents: this.#agents });
    const agents = { list: () => this.#agents, get: () => this.#agents[0] };
    this.conversations = new Conversations({ log, control: this.supervisor, agents });
  }

  /**
   * Starts a run with the agent that is chosen once the thread is in sync. An orphaned run is `resumed` instead: it
   * has to receive the input as an injected message.
   */
  async start(thread: OpenThread, turn: LiveTurn, input: UserInput): Promise<'new' | 'resumed'> {
    const { content, id, requestContext, isStored = false } = input;
    if (isStored && !thread.queue.some(message => message.id === id)) {
      await thread.sync();
      if (!thread.queue.some(message => message.id === id))
        throw new SingletreeError('once_conflict', `The message "${id}" does not wait any more.`);
    }
    if (thread.projection.runs.size > 0) {
      await this.resume(thread, turn, { openRuns: await this.openRuns(thread), requestContext });
      if (turn.handles.length > 0) return 'resumed';
    }
    const { agent, note } = this.#driveAgent(thread, turn, requestContext);
    this.#agents.splice(0, 1, agent);
    const expectedSeq = thread.seq;
    thread.follow();
    try {
      const delivery = isStored && id !== undefined ? { once: deliveredKey(id) } : {};
      const run = await this.conversations.start(
        thread.id,
        { content, id, trace: turn.trace },
        {
          note,
          expectedSeq,
          ...delivery,
        },
      );
      turn.handles = [run];
      return 'new';
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
    return stored === undefined ? [] : listOpenRuns(stored);
  }

  /** Resumes open runs within a turn; throws `lease_held` when another process owns them. */
  async resume(thread: OpenThread, turn: LiveTurn, { openRuns, requestContext }: ResumeRequest): Promise<void> {
    if (openRuns.length === 0) return;
    const { agent, note } = this.#driveAgent(thread, turn, requestContext);
    this.#agents.splice(0, 1, agent);
    thread.follow();
    for (const { runId } of openRuns) {
      const handle = await this.#continue(thread.id, runId, note);
      if (handle !== undefined) turn.handles = [...turn.handles, handle];
    }
    await thread.sync();
    // A run that was requested and had not begun has no event yet.
    if (turn.handles.length > 0) return;
    thread.unfollowIfIdle();
    if (thread.projection.runs.size > 0) throw runsElsewhere(thread.id);
  }

  /** Aborts a run if it is still active. */
  async stop(runId: string): Promise<void> {
    try {
      await this.conversations.abort(runId);
    } catch (error) {
      if (!SingletreeError.is(error, 'run_not_found')) throw error;
    }
  }

  /** Aborts the runs of a thread, in any process. */
  async stopAll(thread: OpenThread): Promise<void> {
    thread.follow();
    await this.conversations.abortAll(thread.id, { note: () => ({ tokenUsage: thread.usage }) });
    await thread.sync();
    thread.unfollowIfIdle();
  }

  /** Stores the messages that a thread does not contain; returns whether any was stored. */
  async storeMissing(threadId: string, unread: readonly UserInput[]): Promise<boolean> {
    if (unread.length === 0) return false;
    const stored = new Set<string>();
    // A message without an id was not read by any run.
    if (unread.some(({ id }) => id !== undefined))
      for await (const event of readEvents(this.#options.log, threadId))
        if (event.type === 'user' && event.id !== undefined) stored.add(event.id);
    const missing = unread.filter(({ id }) => id === undefined || !stored.has(id));
    await this.storeUnread(threadId, missing);
    return missing.length > 0;
  }

  /** Stores messages that get no answer. */
  async storeUnread(threadId: string, unread: readonly UserInput[]): Promise<void> {
    const input = unread.map(toMessage).map(({ id, content }) => ({
      type: 'user' as const,
      runId: newId(),
      id,
      content: typeof content === 'string' ? content : [...content],
    }));
    for (const message of input)
      try {
        await this.#options.log.append(threadId, [message], { once: deliveredKey(message.id) });
      } catch (error) {
        // Another process delivered it.
        if (!SingletreeError.is(error, 'once_conflict')) throw error;
      }
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
  #driveAgent(thread: OpenThread, turn: LiveTurn, requestContext: RequestContext | undefined) {
    const runs = new Set<string>();
    let tokenUsage: TokenUsage | undefined;
    const own = this.#options.agent();
    const agent = drivenAgent(own, {
      prepare: async params => {
        await turn.state.ready();
        runs.add(params.run.runId);
        // No other run is active in the thread now, and earlier usage is known.
        tokenUsage ??= thread.usage;
        if (params.run.resume !== undefined) turn.trace = findTrace(params.run.resume.events);
        const prepared = await this.#options.prepare(params, { thread, turn, requestContext, agent: own });
        const { steering: shared } = params.host;
        const steering = {
          // Messages of other processes are read from the log; messages sent here carry their request context.
          take: () => [...(shared?.take() ?? []).filter(({ id }) => !turn.state.isOwn(id)), ...turn.state.read()],
          onMessage: (listener: () => void) => {
            const stops = [turn.onInjected(listener), shared?.onMessage?.(listener)];
            return () => {
              for (const stop of stops) stop?.();
            };
          },
        };
        return { ...prepared, host: { ...prepared.host, steering } };
      },
      endsBefore: () => own.abilities?.carriesOutPlans !== true && turn.state.endsAtStep(),
      onEvent: event => {
        if (event.type === 'usage' && runs.has(event.runId) && tokenUsage !== undefined)
          tokenUsage = addTokenUsage(tokenUsage, toTokenUsage(event));
      },
    });
    return { agent, note: () => ({ tokenUsage: tokenUsage ?? thread.usage }) };
  }
}
