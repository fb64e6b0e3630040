import type { Limits } from '../../../agents/limits/limits.ts';
import type { Agent, MemoryHost } from '../../../agents/contract/agent.ts';
import { ResultFold, type RunResult } from '../../../agents/contract/run-result.ts';
import { defined } from '../../../base/defined.ts';
import type { AgentEvent, LoggedEvent } from '../../../events/vocabulary.ts';
import { newId } from '../../../events/ids.ts';
import { SingletreeError } from '../../../base/singletree-error.ts';
import type { EventLog, Thread } from '../../../log/event-log.ts';
import { readEvents } from '../../../log/read-events.ts';
import { listOpenRuns } from '../../supervision/open-runs.ts';
import { RunDetached } from '../../../agents/run-detached.ts';
import type { EndNote, RunFollower, RunHandle } from '../../supervision/run-control.ts';
import { Supervisor } from '../../supervision/supervisor.ts';
import type { ThreadMemory } from '../../threads/thread-memory.ts';
import type { HarnessSubagent } from '../harness-config.ts';
import { harnessDestroyed } from '../machine/harness-errors.ts';
import { toolOutcome } from '../messages/tool-outcome.ts';
import type { ForkView } from '../projection/subagent-events.ts';
import { TaskBoard } from '../../../agents/tasks/task-board.ts';
import { type TaskItemSnapshot, toTasks } from '../../../agents/tasks/assign-task-ids.ts';
import { addTokenUsage, emptyTokenUsage, toTokenUsage } from '../token-usage.ts';
import { drivenAgent, type RunAddition } from '../turns/driven-agent.ts';
import type { ForkPlace } from './fork-context.ts';
import { createFork, endParentRuns, findFork, type ForkOrigin } from './fork-thread.ts';

interface ForksOptions {
  readonly log: EventLog;
  readonly memory: ThreadMemory;
  /** Generates the ids of fork threads and their runs. */
  readonly newOwnId: () => string;
  readonly limits?: Limits | undefined;
  readonly telemetry?: RunFollower | undefined;
  /** Stores everything that runs of this process have written to a thread. */
  readonly flush: (threadId: string) => Promise<void>;
}

/** The run that a fork continues. */
interface ForkParent {
  /** The agent of the run, which runs the fork, too. */
  readonly agent: Agent;
  readonly modelId: string;
  readonly tasks: readonly TaskItemSnapshot[];
  /** The memory of the run: a fork is sent the same observations of other threads. */
  readonly memoryHost?: MemoryHost | undefined;
  /** Returns the parameters of the run for a fork of it. */
  readonly prepare: (fork: ForkPlace) => Required<RunAddition>;
  /** Receives the events of the fork's thread. Returns the view after them. */
  readonly takeFork: (view: ForkView, event: LoggedEvent) => ForkView;
}

export interface ForkRequest {
  readonly origin: ForkOrigin;
  readonly parent: ForkParent;
  readonly subagent: Pick<HarnessSubagent, 'id' | 'name'>;
  readonly task: string;
  readonly signal: AbortSignal;
  /** Whether the call was started before its process ended. */
  readonly isRepeated: boolean;
}

export interface ForkResult extends RunResult {
  /** Empty when it ended before its first step. */
  readonly modelId: string;
  readonly toolCalls: { readonly name: string; readonly isError: boolean }[];
}

/** A fork and the run in it. */
interface StartedFork {
  readonly thread: Thread;
  readonly runId: string;
  /** Absent when the run has ended, or another process owns it. */
  readonly handle: RunHandle | undefined;
}

/**
 * Runs forked subagents: each continues a branch of its parent's thread with the parent's agent, as a separate run.
 * After a crash the repeated call resumes its fork. The parent's thread is not written.
 */
export class Forks {
  readonly #options: ForksOptions;
  readonly #supervisor: Supervisor;
  /** The agents of active forks, by thread. */
  readonly #agents = new Map<string, Agent>();
  readonly #closing = new AbortController();

  constructor(options: ForksOptions) {
    this.#options = options;
    const { log, memory, newOwnId: newRunId, limits, telemetry } = options;
    const agents = (_: unknown, id: string) => this.#agents.get(id);
    this.#supervisor = new Supervisor({ log, memory, newRunId, agents, ...defined({ limits, telemetry }) });
  }

  /** Resolves with the result of the fork; rejects when it cannot start, or is detached. */
  async run(request: ForkRequest): Promise<ForkResult> {
    request.signal.throwIfAborted();
    const thread = await this.#openThread(request);
    const own = await this.#ownEvents(thread);
    try {
      const started = await this.#start(thread, own, request);
      return await this.#result(started, request);
    } finally {
      this.#agents.delete(thread.id);
    }
  }

  /** Detaches all forks: the next process resumes them. */
  async close(): Promise<void> {
    this.#closing.abort(harnessDestroyed());
    await this.#supervisor.close();
  }

  /** Returns the fork of a call: the one it made before, or a new one. */
  async #openThread({ origin, subagent, isRepeated }: ForkRequest): Promise<Thread> {
    const { log, newOwnId, flush } = this.#options;
    const found = isRepeated ? await findFork(log, origin) : undefined;
    if (found !== undefined) return found;
    // The branch is created from the events in the log, with or without the newest fragments.
    await flush(origin.threadId).catch(() => {});
    return createFork(log, origin, { id: newOwnId(), title: `Fork: ${subagent.name} subagent` });
  }

  async #ownEvents({ id, branchedFrom }: Thread): Promise<readonly LoggedEvent[]> {
    const events: LoggedEvent[] = [];
    for await (const event of readEvents(this.#options.log, id, branchedFrom?.seq)) events.push(event);
    return events;
  }

  async #start(thread: Thread, own: readonly LoggedEvent[], request: ForkRequest): Promise<StartedFork> {
    if (own.length === 0) await endParentRuns(this.#options.log, thread, request.origin);
    const { agent, note } = this.#drive(thread.id, own, request);
    this.#agents.set(thread.id, agent);
    const asked = own.findIndex(({ type }) => type === 'user');
    if (asked < 0) {
      const handle = await this.#supervisor.start(thread.id, { agent, content: request.task, note });
      return { thread, runId: handle.runId, handle };
    }
    const [open] = listOpenRuns(thread);
    if (open === undefined) return { thread, runId: own[asked + 1]?.runId ?? '', handle: undefined };
    const handle = await this.#supervisor.continue(thread.id, open.runId, { note }).catch(error => {
      if (!SingletreeError.is(error, 'run_not_found')) throw error;
      return undefined;
    });
    return { thread, runId: open.runId, handle };
  }

  /** The parent's agent as it runs the fork, and the tokens used to store when its run ends. */
  #drive(threadId: string, own: readonly LoggedEvent[], { parent }: ForkRequest) {
    const board = new TaskBoard(newestTasks(own) ?? parent.tasks);
    const writeTasks: ForkPlace['writeTasks'] = async tasks => {
      const list = tasks.map(task => ({ ...task }));
      await this.#options.log.append(threadId, [{ type: 'tasks', runId: runId ?? newId(), tasks: list }]);
    };
    let tokenUsage = emptyTokenUsage();
    let runId: string | undefined;
    const count = (event: AgentEvent) => {
      if (event.type === 'usage' && event.runId === runId) tokenUsage = addTokenUsage(tokenUsage, toTokenUsage(event));
    };
    const agent = drivenAgent(parent.agent, {
      prepare: async ({ run, host: { memoryHost: own } }) => {
        runId = run.runId;
        for (const event of run.resume?.events ?? []) count(event);
        const { memoryHost: above } = parent;
        const prepared = parent.prepare({ threadId, board, signal: run.signal, writeTasks });
        return {
          ...prepared,
          host: {
            ...prepared.host,
            // Its requests start with those of its parent, so it uses the parent's view of other threads.
            ...(own !== undefined && above !== undefined && { memoryHost: { ...own, others: () => above.others() } }),
          },
        };
      },
      onEvent: count,
    });
    const note: EndNote = () => ({ tokenUsage });
    return { agent, note };
  }

  async #result(fork: StartedFork, request: ForkRequest): Promise<ForkResult> {
    const { signal } = request;
    const stop = () => void this.#stop(fork, signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    try {
      return await this.#follow(fork, request);
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  /** Aborts a fork with its parent; the fork of a detached parent continues. */
  async #stop({ thread, runId }: StartedFork, reason: unknown): Promise<void> {
    if (this.#closing.signal.aborted || reason instanceof RunDetached) return;
    await this.#supervisor.abort(runId, { threadId: thread.id }).catch(() => {});
  }

  /** Reads the fork's thread until its run has ended. */
  async #follow({ thread, runId, handle }: StartedFork, request: ForkRequest): Promise<ForkResult> {
    const { id: threadId, branchedFrom } = thread;
    const { parent, subagent, task, origin } = request;
    const outcome = new ResultFold(runId);
    const toolCalls: ForkResult['toolCalls'] = [];
    const about = { threadId, runId, toolCallId: origin.toolCallId, agentType: subagent.id, task };
    let view: ForkView = { ...about, modelId: parent.modelId, inputs: new Map() };
    const lost = new AbortController();
    const signal = AbortSignal.any([this.#closing.signal, lost.signal]);
    void handle?.done.then(reason => {
      if (reason === 'interrupted') void this.#checkEnd(threadId, runId, lost);
    });
    for await (const event of this.#options.log.tail(threadId, branchedFrom?.seq, { signal })) {
      view = parent.takeFork(view, event);
      outcome.take(event);
      if (event.runId !== runId) continue;
      if (event.type === 'tool_result')
        toolCalls.push({ name: event.name, isError: toolOutcome(event.output).isError });
      if (event.type === 'harness_end') return { ...outcome.result(), modelId: view.modelId, toolCalls };
    }
    throw signal.reason;
  }

  /** Stops reading a fork whose run was detached because its log cannot be written. */
  async #checkEnd(threadId: string, runId: string, lost: AbortController): Promise<void> {
    const thread = await this.#options.log.getThread(threadId).catch(() => undefined);
    if (thread !== undefined && !listOpenRuns(thread).some(run => run.runId === runId)) return;
    lost.abort(new Error('Its run was interrupted and can be resumed.'));
  }
}

function newestTasks(events: readonly LoggedEvent[]): readonly TaskItemSnapshot[] | undefined {
  const newest = events.findLast(event => event.type === 'tasks');
  return newest === undefined ? undefined : toTasks(newest);
}
