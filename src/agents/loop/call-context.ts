import { defined } from '../../base/defined.ts';
import type { AgentEvent } from '../../events/vocabulary.ts';
import { newId } from '../../events/ids.ts';
import type { RelayState, RunState } from '../../projections/run-state.ts';
import type { Agent, SubagentRequest, ToolCall } from '../contract/agent.ts';
import { askPerson } from '../ask-person.ts';
import type { RunResult } from '../contract/run-result.ts';
import { runChild, settledChild } from '../subagents/child-run.ts';
import type { InheritedParams } from '../subagents/inherited-params.ts';
import type { Lineage } from '../contract/lineage.ts';
import type { RequestPaths, PathAccess } from '../contract/permissions.ts';
import type { Background } from '../subagents/background.ts';
import type { EventChannel } from '../run/event-channel.ts';
import type { ToolEvent, ToolQuestion, ToolReturn } from '../contract/tool-values.ts';
import type { TimeLimit } from '../run/time-limit.ts';
import type { ToolOutput } from '../../events/tools.ts';

/** The state that all calls of a run share. */
export interface CallScope {
  readonly channel: EventChannel;
  readonly lineage: Lineage;
  /** The settings that a subagent inherits from its parent. */
  readonly inherited: InheritedParams;
  readonly background: Background;
  /** The contexts of the tools that have a schema for it, by name. */
  readonly contexts: ReadonlyMap<string, unknown>;
}

/** The state of one call. */
interface CallPlace {
  readonly runId: string;
  readonly id: string;
  readonly name: string;
  /** Stops the call; the time that a user takes to answer does not count. */
  readonly limit: Pick<TimeLimit, 'pauseFor' | 'signal'>;
  /** The questions and subagents of the call before its process ended, in order. */
  readonly asked: readonly RelayState[];
  readonly children: readonly RunState[];
  readonly paths: RequestPaths | undefined;
  readonly access: readonly PathAccess[] | undefined;
  readonly isGuarded: ToolCall['isGuarded'] | undefined;
}

/**
 * The call of a tool: what it receives with its input. After a crash it replays the questions and subagents of the call in
 * the same order.
 */
export class CallContext implements ToolCall {
  readonly runId: string;
  readonly toolCallId: string;
  readonly paths?: RequestPaths;
  readonly access?: readonly PathAccess[];
  readonly isGuarded?: NonNullable<ToolCall['isGuarded']>;
  readonly #scope: CallScope;
  readonly #place: CallPlace;
  #reports = 0;
  #questions = 0;
  readonly #running: Promise<unknown>[] = [];
  #runs = 0;
  #open = true;

  constructor(scope: CallScope, place: CallPlace) {
    this.#scope = scope;
    this.#place = place;
    this.runId = place.runId;
    this.toolCallId = place.id;
    if (place.paths !== undefined) this.paths = place.paths;
    if (place.access !== undefined) this.access = place.access;
    if (place.isGuarded !== undefined) this.isGuarded = place.isGuarded;
  }

  get signal(): AbortSignal {
    return this.#place.limit.signal;
  }

  get threadId(): string | undefined {
    return this.#scope.inherited.run.threadId;
  }

  get resourceId(): string | undefined {
    return this.#scope.inherited.run.resourceId;
  }

  get by(): string | undefined {
    return this.#scope.inherited.run.by;
  }

  get context(): unknown {
    const { contexts, inherited } = this.#scope;
    const { name } = this.#place;
    return contexts.has(name) ? contexts.get(name) : inherited.run.context;
  }

  get request(): unknown {
    return this.#scope.inherited.host.request;
  }

  get runMark(): string | undefined {
    return this.#scope.inherited.host.runMark;
  }

  get asked(): number {
    return this.#place.asked.length;
  }

  get lineage(): Lineage {
    return this.#scope.lineage;
  }

  /**
   * Closes the context once the call has its result or was abandoned: a tool that is still running can no longer emit,
   * ask or start anything.
   */
  end(): void {
    this.#open = false;
  }

  readonly progress = (content: unknown): void => {
    if (!this.#open) return;
    const { runId, toolCallId } = this;
    const id = `${toolCallId}:progress-${++this.#reports}`;
    const { name } = this.#place;
    this.#scope.channel.report({ type: 'tool_progress', runId, id, toolCallId, name, content: asJson(content) });
  };

  readonly emit = async (event: ToolEvent): Promise<void> => {
    if (!this.#open) return;
    const { runId, toolCallId } = this;
    await this.#scope.channel.put({ ...(event.type === 'file_registered' && { toolCallId }), ...event, runId });
  };

  readonly ask = async (question: ToolQuestion) => {
    const { answers } = this.#scope.inherited.host;
    if (answers === undefined || !this.#open) return undefined;
    const { runId, toolCallId, signal } = this;
    const before = this.#place.asked[this.#questions++];
    const put = (event: AgentEvent) => this.#scope.channel.put(event);
    const toRelay = (id: string) => ({ ...question, type: 'relay' as const, runId, id, toolCallId });
    return this.#place.limit.pauseFor(askPerson({ answers, signal, put }, toRelay, before));
  };

  readonly run = (agent: Agent, request: SubagentRequest): Promise<RunResult> => {
    if (!this.#open) return Promise.reject(isOver(this.#place.name));
    const running = this.#start(agent, request, { ...this.#nextChild(request), signal: this.signal });
    this.#running.push(running);
    return running;
  };

  readonly runLater = (agent: Agent, request: SubagentRequest): string => {
    if (!this.#open) throw isOver(this.#place.name);
    const { before, runId } = this.#nextChild(request);
    this.#scope.background.add({
      agentId: agent.id,
      runId,
      start: signal => this.#start(agent, request, { before, runId, signal }),
    });
    return runId;
  };

  readonly waitUntil = (work: Promise<unknown>): void => {
    if (this.#open) this.#running.push(work);
  };

  /** Resolves when the subagents and pending work of the call have ended; undefined without any. */
  settled(): Promise<unknown> | undefined {
    return this.#running.length === 0 ? undefined : Promise.allSettled(this.#running);
  }

  /** Returns the next run that the call starts: a resumed one, or a new one. */
  #nextChild({ budget = {} }: SubagentRequest): Pick<ChildStart, 'before' | 'runId'> {
    const before = this.#place.children[this.#runs++];
    if (before === undefined) this.#scope.lineage.countRun(budget);
    return { before, runId: before?.runId ?? newId() };
  }

  async #start(agent: Agent, request: SubagentRequest, child: ChildStart): Promise<RunResult> {
    const { channel, inherited, lineage } = this.#scope;
    const { before, runId, signal } = child;
    if (before !== undefined && (before.endedBy !== undefined || agent.abilities?.resumable !== true))
      return settledChild(before, event => channel.put(event));
    const stop = new AbortController();
    const stopped = inherited.host.childStops?.signalFor(runId);
    const { task, model, tools, budget = {} } = request;
    const result = await runChild(
      agent,
      {
        run: {
          ...inherited.run,
          runId,
          parentId: this.toolCallId,
          signal: AbortSignal.any([signal, stop.signal, ...(stopped === undefined ? [] : [stopped])]),
          depth: lineage.depth + 1,
          ...defined({ model, resume: before }),
        },
        conversation: { ...inherited.conversation, messages: [{ role: 'user', content: task }] },
        host: { ...inherited.host, ...defined({ tools }) },
      },
      {
        put: event => {
          lineage.count(event, runId);
          const handled = channel.put(event);
          if (event.type !== 'usage') return handled;
          return handled.then(() => {
            if (lineage.exhausted({ ...budget, runs: Infinity }) !== undefined) stop.abort();
          });
        },
        pass: event => channel.pass(event),
        report: event => channel.report(event),
      },
    );
    if (signal.aborted) return result;
    if (stopped?.aborted === true)
      return { ...result, error: { code: 'aborted', message: 'A person stopped this subagent.' } };
    if (!stop.signal.aborted) return result;
    const message = 'It was stopped: the budget for subagents is used up.';
    return { ...result, error: { code: 'limit_reached', message } };
  }
}

function isOver(name: string): Error {
  return new Error(`The call of ${name} has ended and cannot start a subagent.`);
}

interface ChildStart {
  readonly before: RunState | undefined;
  readonly runId: string;
  readonly signal: AbortSignal;
}

/** Returns a tool's return value in the form that the log stores; throws when it is not JSON. */
export function toolOutput(value: ToolReturn): ToolOutput {
  if (typeof value === 'object' && value !== null && 'context' in value) {
    const { context, result = context } = value;
    return { context: asJson(context), result: asJson(result) };
  }
  const both = asJson(value);
  return { context: both, result: both };
}

/** The longest value that a tool may return or report, in characters of JSON: an event with two of them fits into a log. */
const maxLength = 2 * 1024 * 1024;

/** Returns a JSON copy of a value; undefined becomes `null`. Throws when JSON cannot carry it, or it is too long. */
function asJson(value: unknown): unknown {
  if (typeof value === 'string') return checkLength(value);
  return JSON.parse(checkLength(toJson(value)));
}

function toJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? 'null';
  } catch (error) {
    throw new TypeError(`The tool returned what JSON cannot carry: ${(error as Error).message}`, { cause: error });
  }
}

function checkLength(text: string): string {
  if (text.length <= maxLength) return text;
  throw new RangeError(
    `The tool returned ${text.length} characters; at most ${maxLength} are kept. Ask it for less, or for a part.`,
  );
}
