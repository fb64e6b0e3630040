import * as z from 'zod';
import type { AgentEvent, EventOf } from '../events/vocabulary.ts';
import { errorText } from '../base/error-text.ts';
import { newId } from '../events/ids.ts';
import { SingletreeError } from '../base/singletree-error.ts';
import { optionsCheck, type OptionFields } from '../base/options/check-options.ts';
import { milliseconds, name, text } from '../base/options/option-fields.ts';
import type { Agent, HostParams, InvokeParams } from './contract/agent.ts';
import type { RelayAnswer } from './contract/host.ts';
import type { ConversationParams, RunParams } from './contract/run-params.ts';
import { frozenEvents, unfrozenEvents } from './frozen-events.ts';
import { EventChannel } from './run/event-channel.ts';
import { RelayInbox } from './relay-inbox.ts';

/** The options of `Orchestrator.spawn`. */
export interface SpawnOptions {
  /** The prompt of the run when no `conversation` is set. */
  readonly prompt?: string;
  readonly run?: Partial<Omit<RunParams, 'signal'>>;
  readonly conversation?: ConversationParams;
  readonly host?: Omit<HostParams, 'answers'>;
  /** A run that it belongs to: it ends when that one is killed. */
  readonly under?: string;
}

export interface OrchestratorOptions {
  /** How long a run that is killed may take to end; 2,000 milliseconds when absent. */
  readonly graceMs?: number;
}

interface Run {
  readonly agentId: string;
  readonly under: string | undefined;
  readonly stop: AbortController;
  readonly done: Promise<void>;
}

const checkOptions = optionsCheck<OrchestratorOptions>('createOrchestrator')(() => ({
  graceMs: milliseconds().optional(),
}));

const anything = () => z.unknown().optional();
const checkSpawn = optionsCheck<SpawnOptions>('orchestrator.spawn')(() => ({
  prompt: text().optional(),
  under: name().optional(),
  // The agent uses the fields without a check here as they are.
  run: z
    .strictObject({
      runId: name().optional(),
      threadId: name().optional(),
      resourceId: name().optional(),
      by: name().optional(),
      context: anything(),
      parentId: text().optional(),
      depth: anything(),
      model: text().optional(),
      mode: text().optional(),
      cwd: text().optional(),
      additions: anything(),
      resume: anything(),
    } satisfies OptionFields<NonNullable<SpawnOptions['run']>>)
    .optional(),
  conversation: z
    .strictObject({
      messages: z.array(z.unknown()),
      firstMessageId: anything(),
      previousMessageId: anything(),
      tasks: anything(),
      decided: anything(),
      session: anything(),
      isImported: anything(),
    } satisfies OptionFields<ConversationParams>)
    .optional(),
  host: z
    .strictObject({
      registry: anything(),
      tools: anything(),
      withheldTools: anything(),
      permissions: anything(),
      request: anything(),
      steering: anything(),
      childStops: anything(),
      spending: anything(),
      memory: anything(),
      memoryHost: anything(),
      mcpServers: anything(),
      raw: anything(),
      rawBefore: anything(),
      runMark: anything(),
    } satisfies OptionFields<NonNullable<SpawnOptions['host']>>)
    .optional(),
}));

/** Merges the events of many runs into one stream, without a log. A run continues only while its events are read. */
export class Orchestrator {
  readonly #channel = new EventChannel();
  readonly #runs = new Map<string, Run>();
  readonly #inbox = new RelayInbox();
  readonly #graceMs: number;
  #changed = () => {};
  #read = false;

  constructor(options: OrchestratorOptions = {}) {
    checkOptions(options);
    this.#graceMs = options.graceMs ?? 2_000;
  }

  /** Starts a run and returns its id; the message that it answers is the first event, unless `parentId` names another cause. */
  spawn(agent: Agent, options: SpawnOptions = {}): string {
    checkSpawn(options);
    const { prompt = '', under, run = {}, host } = options;
    const { conversation = { messages: [{ role: 'user', content: prompt }] } } = options;
    const { runId = newId() } = run;
    if (this.#runs.has(runId))
      throw new SingletreeError('invalid_argument', `The run "${runId}" is under way already.`);
    if (under !== undefined && !this.#runs.has(under)) throw notFound(under);
    const stop = new AbortController();
    const request = run.parentId === undefined && run.resume === undefined ? findRequest(conversation) : undefined;
    const params: InvokeParams = {
      run: {
        ...run,
        ...(request !== undefined && { parentId: `${request.runId}:user` }),
        runId,
        signal: stop.signal,
      },
      conversation,
      host: { ...host, answers: this.#inbox },
    };
    if (request !== undefined) void this.#put(request);
    const done = this.#drive(agent, params).then(() => {
      this.#runs.delete(runId);
      this.#changed();
    });
    this.#runs.set(runId, { agentId: agent.id, under, stop, done });
    return runId;
  }

  /** Stops a run and the runs that belong to it; throws `run_not_found` when it is not running. */
  async kill(runId: string): Promise<void> {
    const run = this.#runs.get(runId);
    if (run === undefined) throw notFound(runId);
    const below = [...this.#runs].filter(([, other]) => other.under === runId).map(([id]) => this.kill(id));
    run.stop.abort(new Error('The run was killed.'));
    await Promise.all([...below, run.done]);
  }

  /**
   * Yields the events of all runs as they arrive, and ends when no run remains. Only one reader may read at a time, and
   * runs wait for it.
   */
  async *events(): AsyncGenerator<AgentEvent> {
    if (this.#read) throw new SingletreeError('invalid_argument', 'The events are read already: there is one reader.');
    this.#read = true;
    try {
      yield* frozenEvents(this.#channel.until(this.#idle()));
    } finally {
      this.#read = false;
    }
  }

  /** Answers a relay of a run; the first answer wins. */
  resolveRelay(relayId: string, answer: Omit<RelayAnswer, 'relayId'>): void {
    const { runId } = this.#inbox.pending(relayId);
    void this.#put({ ...answer, type: 'relay_resolved', runId, relayId });
  }

  /** Returns the ids of the running runs. */
  running(): readonly string[] {
    return [...this.#runs.keys()];
  }

  async #idle(): Promise<void> {
    while (this.#runs.size > 0) await new Promise<void>(resolve => (this.#changed = resolve));
  }

  /** Forwards the events of a run, and ensures that it and its subagents have an end event. */
  async #drive(agent: Agent, params: InvokeParams): Promise<void> {
    const { runId, signal } = params.run;
    const open = new Map([[runId, agent.id]]);
    let isOver = false;
    let reason: 'aborted' | 'error' | 'complete' = 'complete';
    const events = unfrozenEvents(agent.invoke(params))[Symbol.asyncIterator]();
    const passOn = async () => {
      for (let next = await events.next(); next.done !== true && !isOver; next = await events.next()) {
        if (next.value.type === 'harness_start') open.set(next.value.runId, next.value.agentId);
        if (next.value.type === 'harness_end') open.delete(next.value.runId);
        await this.#put(next.value);
      }
    };
    try {
      await Promise.race([passOn(), after(signal, this.#graceMs)]);
      if (signal.aborted) reason = 'aborted';
    } catch (error) {
      reason = signal.aborted ? 'aborted' : 'error';
      const message = errorText(error);
      if (!signal.aborted) await this.#put({ type: 'error', runId, message, code: 'agent_failed', fatal: true });
    } finally {
      isOver = true;
      // The outcome is already recorded, so a failure while closing the iterator is ignored.
      void Promise.resolve(events.return?.()).catch(() => {});
    }
    for (const [id, agentId] of [...open].toReversed()) {
      for (const relay of this.#inbox.pendingOf(id))
        await this.#put({ type: 'relay_resolved', runId: id, relayId: relay.id, outcome: 'cancelled' });
      await this.#put({ type: 'harness_end', runId: id, agentId, reason });
    }
  }

  #put(event: AgentEvent): Promise<void> {
    this.#inbox.take(event);
    return this.#channel.put(event);
  }
}

/** Returns the user message that a run answers as an event; undefined when the last message is not from a user. */
function findRequest({ messages }: ConversationParams): EventOf<'user'> | undefined {
  const last = messages.at(-1);
  if (last?.role !== 'user') return undefined;
  const content = typeof last.content === 'string' ? last.content : last.content.map(part => ({ ...part }));
  return { type: 'user', runId: newId(), content };
}

/** Resolves a while after the signal aborted. */
function after(signal: AbortSignal, ms: number): Promise<undefined> {
  return new Promise(resolve => {
    signal.addEventListener('abort', () => setTimeout(() => resolve(undefined), ms).unref(), { once: true });
  });
}

/** Creates an orchestrator. Throws `invalid_argument` for options that are unknown or invalid. */
export function createOrchestrator(options?: OrchestratorOptions): Orchestrator {
  return new Orchestrator(options);
}

function notFound(runId: string): SingletreeError {
  return new SingletreeError('run_not_found', `The run "${runId}" is not under way.`, { details: { runId } });
}
