import type { LanguageModelV3 } from '@ai-sdk/provider';
import { type AgentEvent, type EventOf, SingletreeError } from '../../events/index.ts';
import { foldRun, type RunState } from '../../projections/run-state.ts';
import { Transcript } from '../../projections/transcript.ts';
import type { Agent, InvokeParams } from '../agent.ts';
import { type ModelSource, resolveModel } from '../model/model-source.ts';
import { modelStep } from '../model/model-step.ts';
import { toPrompt } from '../model/prompt.ts';
import type { ModelRegistry } from '../model/registry.ts';
import { type RetryOptions, RetryPolicy } from '../model/retry.ts';
import type { PermissionRules } from '../permissions/index.ts';
import { CallRunner } from './call-runner.ts';
import { EventChannel } from './event-channel.ts';
import { describeTool, type Tool } from './tool.ts';

export interface LoopAgentOptions {
  /** `loop` when absent. */
  readonly id?: string;
  /** A model, or its `provider/model` id. */
  readonly model: ModelSource;
  /** What the model is told first. */
  readonly instructions?: string;
  readonly tools?: readonly Tool[];
  /** What may run without asking; everything is asked when absent. */
  readonly permissions?: PermissionRules;
  /** How many times the model is called before it has to conclude; 50 when absent. */
  readonly maxIterations?: number;
  /** How many tools execute at once; 8 when absent. */
  readonly parallel?: number;
  /** The longest run of a tool in milliseconds; 10 minutes when absent. */
  readonly toolTimeoutMs?: number;
  /** Outputs longer than this many characters are shortened for the model; 30,000 when absent. */
  readonly maxOutputLength?: number;
  readonly retry?: RetryOptions;
  /** Where model ids are looked up; the environment's when absent. */
  readonly registry?: ModelRegistry;
}

type EndReason = NonNullable<EventOf<'harness_end'>['reason']>;

const conclude = 'You have used all steps you may take. Answer now with what you have, without tools.';

/** An agent that calls a model, executes the tools it asks for, and goes on until it has an answer. */
export function loopAgent(options: LoopAgentOptions): Agent {
  const { id = 'loop' } = options;
  const tools = new Map((options.tools ?? []).map(tool => [tool.name, tool]));
  if (tools.size !== (options.tools ?? []).length)
    throw new SingletreeError('invalid_argument', `The agent "${id}" has two tools of the same name.`);
  (options.tools ?? []).forEach(describeTool);

  async function* invoke(params: InvokeParams): AsyncGenerator<AgentEvent> {
    const { runId, parentId } = params;
    if (params.resume === undefined)
      yield { type: 'harness_start', runId, agentId: id, ...(parentId !== undefined && { parentId }) };
    const stop = new AbortController();
    const signal = AbortSignal.any([params.signal, stop.signal]);
    try {
      const reason = yield* new Loop(options, tools, { ...params, signal }).run();
      yield { type: 'harness_end', runId, agentId: id, reason };
    } finally {
      stop.abort();
    }
  }
  return { id, resumable: true, invoke };
}

/** One run of the loop. */
class Loop {
  readonly #options: LoopAgentOptions;
  readonly #params: InvokeParams;
  readonly #transcript: Transcript;
  readonly #calls: CallRunner;
  readonly #retry: RetryPolicy;

  constructor(options: LoopAgentOptions, tools: ReadonlyMap<string, Tool>, params: InvokeParams) {
    this.#options = options;
    this.#params = params;
    this.#retry = new RetryPolicy(options.retry);
    this.#transcript = new Transcript({ history: params.messages, maxOutputLength: options.maxOutputLength ?? 30_000 });
    this.#calls = new CallRunner({
      runId: params.runId,
      tools,
      rules: options.permissions ?? { rules: [] },
      answers: params.answers,
      signal: params.signal,
      parallel: options.parallel ?? 8,
      timeoutMs: options.toolTimeoutMs ?? 600_000,
    });
  }

  async *run(): AsyncGenerator<AgentEvent, EndReason> {
    const { signal, resume } = this.#params;
    const { maxIterations = 50 } = this.#options;
    let model: LanguageModelV3;
    try {
      model = await resolveModel(this.#params.model ?? this.#options.model, this.#options.registry);
    } catch (error) {
      return yield* this.#fail(
        error instanceof Error ? error.message : String(error),
        SingletreeError.is(error) ? error.code : 'model_error',
      );
    }
    let step = 0;
    if (resume !== undefined) {
      const next = yield* this.#resume(resume);
      if (next === undefined) return signal.aborted ? 'aborted' : resume.step >= maxIterations ? 'max_iterations' : 'complete';
      step = next;
    }
    for (; ; step++) {
      if (signal.aborted) return 'aborted';
      yield* this.#takeSteering();
      const last = step >= maxIterations;
      const result = yield* this.#step(model, step, last);
      if (result.ended === 'aborted') return 'aborted';
      if (result.ended === 'failed')
        return yield* this.#fail(result.failure.message, result.failure.code, result.failure.retryable);
      if (last) return 'max_iterations';
      if (result.calls.length === 0) {
        const steered = yield* this.#takeSteering();
        if (!steered) return 'complete';
      } else yield* this.#runCalls(foldRun([...result.calls], this.#params.runId));
    }
  }

  /** Goes on with the step the run was in; returns the number of the next step, or undefined when the run is over. */
  async *#resume(state: RunState): AsyncGenerator<AgentEvent, number | undefined> {
    const attempt = state.events.findLastIndex(event => event.type === 'step_start');
    const lasting = state.stepComplete || attempt < 0 ? state.events : state.events.slice(0, attempt);
    for (const event of lasting) this.#transcript.add(event);
    this.#calls.remember(state.relays.values());
    if (!state.stepComplete) return Math.max(0, state.step);
    if (state.calls.size === 0) return undefined;
    yield* this.#runCalls(state);
    return state.step + 1;
  }

  async *#step(model: LanguageModelV3, step: number, last: boolean) {
    const messages = this.#transcript.messages();
    if (last) messages.push({ role: 'user', content: conclude });
    const stream = modelStep({
      runId: this.#params.runId,
      step,
      model,
      prompt: toPrompt(messages, this.#options.instructions),
      ...(!last && { tools: (this.#options.tools ?? []).map(describeTool) }),
      signal: this.#params.signal,
      retry: this.#retry,
    });
    for (let next = await stream.next(); ; next = await stream.next()) {
      if (next.done) return next.value;
      this.#transcript.add(next.value);
      yield next.value;
    }
  }

  async *#runCalls(state: RunState): AsyncGenerator<AgentEvent> {
    const channel = new EventChannel();
    const work = this.#calls.run(state.calls.values(), state.relays, channel).finally(() => channel.close());
    for await (const event of channel) {
      this.#transcript.add(event);
      yield event;
    }
    await work;
  }

  /** Takes in what people said meanwhile; tells whether there was something. */
  async *#takeSteering(): AsyncGenerator<AgentEvent, boolean> {
    const messages = this.#params.steering?.take() ?? [];
    for (const { id, content } of messages) {
      const event: AgentEvent = {
        type: 'user',
        runId: this.#params.runId,
        id,
        content: typeof content === 'string' ? content : [...content],
      };
      this.#transcript.add(event);
      yield event;
    }
    return messages.length > 0;
  }

  async *#fail(message: string, code: string, retryable = false): AsyncGenerator<AgentEvent, EndReason> {
    yield { type: 'error', runId: this.#params.runId, message, code, retryable, fatal: true };
    return 'error';
  }
}
