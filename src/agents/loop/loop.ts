import type { Spending } from '../contract/spending.ts';
import { defined } from '../../base/defined.ts';
import { RunInput } from '../../projections/model-input/run-input.ts';
import type { LanguageModelV3 } from '@ai-sdk/provider';
import { errorText } from '../../base/error-text.ts';
import type { EventOf } from '../../events/vocabulary.ts';
import { newId } from '../../events/ids.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import { foldRun, type RunState } from '../../projections/run-state.ts';
import type { ModelRequest } from '../contract/abilities.ts';
import { toRunOrigin } from '../contract/invoke-params.ts';
import type { InvokeParams, Tool } from '../contract/agent.ts';
import type { RunOrigin } from '../contract/run-params.ts';
import { CallIds } from '../model/call/call-ids.ts';
import { endedBy, failureEvent } from '../model/call/failure.ts';
import { resolveModel } from '../model/registry/model-source.ts';
import { EmittedContexts, type RequestRecord } from '../model/call/model-context.ts';
import { type ModelStepResult, modelStep } from '../model/call/model-step.ts';
import { RetryPolicy } from '../model/call/retry.ts';
import { checkSources, toRuleSet } from '../permissions/check-sources.ts';
import { inheritParams } from '../subagents/inherited-params.ts';
import { Lineage } from '../contract/lineage.ts';
import { Background } from '../subagents/background.ts';
import { CallRunner } from './call-runner.ts';
import { contextPolicy, spansFor } from '../memory/context-policy.ts';
import { type ContextPolicy, type StepContext } from '../memory/step-context.ts';
import type { EventChannel } from '../run/event-channel.ts';
import type { LoopAgentOptions } from './loop-agent-options.ts';
import { SpendingCounter } from '../limits/spending.ts';
import { steeredMessages } from '../steered-messages.ts';
import { readContext, readContexts } from './run-contexts.ts';
import { buildCorrection, StructuredOutput } from './structured-output.ts';
import type { ModelTool } from '../contract/tool-values.ts';

export type EndReason = NonNullable<EventOf<'harness_end'>['reason']>;

interface LoopTools {
  readonly tools: ReadonlyMap<string, Tool>;
  readonly described: readonly ModelTool[];
}

/** Finds the tools of a run. */
type FindTools = (origin: RunOrigin) => LoopTools;

const conclude = 'You have used all steps you may take. Answer now with what you have, without tools.';
const notRun = 'It was not run: the run has used all the steps it may take.';

/** One run of the loop: alternates model calls and tool calls until the model answers. */
export class Loop {
  readonly #options: LoopAgentOptions;
  readonly #params: InvokeParams;
  readonly #findTools: FindTools;
  #described: readonly ModelTool[] = [];
  readonly #input: RunInput;
  #tools: ReadonlyMap<string, Tool> = new Map();
  #calls: CallRunner | undefined;
  readonly #policy: ContextPolicy | undefined;
  readonly #channel: EventChannel;
  readonly #background: Background;
  readonly #callIds: CallIds;
  /** The contexts that the run emitted. */
  readonly #contexts: EmittedContexts;
  readonly #retry: RetryPolicy;
  readonly #maxIterations: number;
  readonly #structured: StructuredOutput | undefined;
  readonly #spending: Spending | undefined;
  #instructions: string | undefined;
  /** The context as the agent's schema reads it, and as those of its tools do. */
  #context: unknown;
  #toolContexts: ReadonlyMap<string, unknown> = new Map();
  #output: unknown;

  /** The channel that receives its events. */
  constructor(options: LoopAgentOptions, findTools: FindTools, params: InvokeParams, channel: EventChannel) {
    this.#options = options;
    this.#params = params;
    this.#findTools = findTools;
    this.#channel = channel;
    this.#retry = new RetryPolicy(options.retry);
    this.#contexts = new EmittedContexts(params.run);
    this.#maxIterations = options.maxIterations ?? 50;
    this.#callIds = new CallIds(params.run.runId, params.run.resume?.events);
    const { limits } = options;
    const { resume: resumed } = params.run;
    const { spending: above } = params.host;
    this.#spending =
      limits === undefined ? above : new SpendingCounter({ runId: params.run.runId, limits, above, resumed });
    if (options.output !== undefined) this.#structured = new StructuredOutput(options.output, options.id ?? 'loop');
    const firstId = params.conversation.firstMessageId ?? params.run.parentId;
    const previousId = params.conversation.previousMessageId;
    this.#input = new RunInput({
      runId: params.run.runId,
      history: params.conversation.messages,
      maxOutputLength: options.maxOutputLength ?? 30_000,
      ...defined({ firstId, previousId }),
      ...spansFor(options, params.host),
    });
    this.#policy = contextPolicy(options, params.host, this.#input);
    this.#context = params.run.context;
    this.#background = new Background(params.run.runId, params.run.signal);
  }

  /** Whether tools were run; they may still be running when the run has ended. */
  get hasRunTools(): boolean {
    return this.#calls !== undefined;
  }

  /** The structured output of the run, when it has one. */
  get output(): unknown {
    return this.#output;
  }

  /** Returns the request of the first model call. */
  firstRequest(): ModelRequest {
    this.#openTools();
    this.#instructions = this.#currentInstructions();
    return this.request();
  }

  /** Returns the request of the next model call. */
  request(): ModelRequest {
    return {
      ...defined({ instructions: this.#instructions }),
      tools: this.#described,
      messages: this.#input.messages(),
    };
  }

  /** Runs everything between the first and the last event of the run; returns the reason it ended. */
  async run(): Promise<EndReason> {
    this.#channel.onPut(event => {
      this.#input.add(event);
      if (this.#spending !== this.#params.host.spending) this.#spending?.count(event);
      if (event.runId !== this.#params.run.runId) return;
      this.#structured?.take(event);
      // A summary invalidates the prompt cache anyway, so changed instructions cost nothing extra here.
      if (event.type === 'summary') this.#instructions = this.#currentInstructions();
    });
    try {
      const reason = await this.#run();
      if (this.#background.isActive) await this.#background.stop();
      return reason;
    } catch (error) {
      const code = SingletreeError.is(error) ? error.code : 'agent_failed';
      const message = errorText(error);
      await this.#channel.put({ type: 'error', runId: this.#params.run.runId, message, code, fatal: true });
      return 'error';
    }
  }

  async #run(): Promise<EndReason> {
    const { signal, resume, runId } = this.#params.run;
    const { permissions = [] } = this.#params.host;
    checkSources(permissions);
    await this.#readContexts();
    this.#instructions = this.#currentInstructions();
    const model = await resolveModel(
      this.#params.run.model ?? resume?.model ?? this.#options.model,
      this.#options.registry ?? this.#params.host.registry,
    );
    let step = 0;
    if (resume !== undefined) {
      const next = await this.#resume(resume);
      if (typeof next === 'string') return next;
      step = next;
    }
    for (; ; step++) {
      if (signal.aborted) return 'aborted';
      await this.#takeSteering();
      const context = this.#stepContext(model, step);
      await this.#policy?.beforeStep(context, event => this.#channel.put(event));
      const result = await this.#step(model, step);
      if (result.ended === 'aborted') return 'aborted';
      if (result.ended === 'failed') {
        await this.#channel.put(failureEvent(runId, result.failure));
        return endedBy(result.failure);
      }
      const ended = await this.#finishStep(step, foldRun(result.calls, runId));
      await this.#policy?.afterStep?.(context);
      if (ended !== undefined) return ended;
    }
  }

  /** Resumes the step that the run was in. Returns the number of the next step, or the reason the run ended. */
  async #resume(state: RunState): Promise<number | EndReason> {
    for (const event of state.events) this.#input.add(event);
    this.#callRunner().remember(state.relays.values());
    await this.#background.resume(state, event => this.#channel.put(event));
    const last = state.events.at(-1);
    if (last?.type === 'error' && last.fatal === true) return 'error';
    if (!state.stepComplete) return Math.max(0, state.step);
    const ended = await this.#finishStep(state.step, state);
    return ended ?? state.step + 1;
  }

  #stepContext(model: LanguageModelV3, step: number): StepContext {
    const { runId, signal } = this.#params.run;
    const { answers } = this.#params.host;
    const { registry, settings } = this.#options;
    const system = this.#instructions;
    const record = { emitted: this.#contexts, ...this.#traits() };
    const call = { runId, step, model, system, tools: this.#described, settings, record, registry, signal };
    return { ...call, retry: this.#retry, spending: this.#spending, answers };
  }

  /** How the messages of a request are made of the conversation. */
  #traits(): Pick<RequestRecord, 'first' | 'maxOutputLength'> {
    const { first, maxOutputLength } = this.#input;
    return { first, maxOutputLength };
  }

  async #readContexts(): Promise<void> {
    const { context: schema, id = 'loop' } = this.#options;
    const { context } = this.#params.run;
    if (schema !== undefined) this.#context = await readContext(`The agent "${id}"`, schema, context);
    this.#openTools();
    this.#toolContexts = await readContexts(this.#tools.values(), context);
  }

  #openTools(): void {
    const { tools, described } = this.#findTools(toRunOrigin(this.#params.run, this.#context));
    this.#tools = tools;
    this.#described = described;
  }

  #currentInstructions(): string | undefined {
    const { instructions: given } = this.#options;
    const { additions } = this.#params.run;
    const own = typeof given === 'function' ? given(toRunOrigin(this.#params.run, this.#context)) : given;
    const added = additions?.instructions;
    const instructions = own === undefined || added === undefined ? (own ?? added) : `${own}\n\n${added}`;
    return this.#structured === undefined ? instructions : this.#structured.instructions(instructions);
  }

  #step(model: LanguageModelV3, step: number): Promise<ModelStepResult> {
    const { runId, signal, resume } = this.#params.run;
    const { answers } = this.#params.host;
    const { registry, settings } = this.#options;
    const last = step >= this.#maxIterations;
    // An attempt of another process at this step is not sent to the model.
    this.#input.add({ type: 'step_start', runId, step });
    const { instructions, tools, messages } = this.request();
    const request = {
      runId,
      step,
      model,
      messages,
      instructions: last ? `${instructions ?? ''}\n\n${conclude}`.trim() : instructions,
      record: this.#contexts.nextStep(this.#traits()),
      ...(!last && { tools }),
      settings,
      ...(this.#structured && { responseFormat: this.#structured.responseFormat }),
      spending: this.#spending,
      answers,
      callIds: this.#callIds,
      registry,
      signal,
      retry: this.#retry,
      resumedFrom: resume?.step === step ? resume.events : undefined,
    };
    return modelStep(request, this.#channel);
  }

  /** Runs the calls of a step; returns the reason the run ended, or undefined when it continues. */
  async #finishStep(step: number, state: RunState): Promise<EndReason | undefined> {
    const last = step >= this.#maxIterations;
    if (state.calls.size > 0) await (last ? this.#refuseCalls(state) : this.#callRunner().run(state));
    if (this.#params.run.signal.aborted) return 'aborted';
    if (last) return (await this.#readOutput(true)) ?? 'max_iterations';
    if (state.calls.size > 0 || state.steered) return undefined;
    if (await this.#takeSteering()) return undefined;
    if (!this.#background.isActive) return this.#structured === undefined ? 'complete' : this.#readOutput(false);
    await this.#background.oneEnded();
    await this.#takeSteering();
    return undefined;
  }

  /** Reads the structured output; returns undefined when the model is asked for it again. */
  async #readOutput(isLast: boolean): Promise<EndReason | undefined> {
    const { runId } = this.#params.run;
    const read = await this.#structured?.read();
    if (read === undefined) return undefined;
    if ('value' in read) {
      this.#output = read.value;
      return isLast ? 'max_iterations' : 'complete';
    }
    if (read.again && !isLast) {
      const content = buildCorrection(read.problem);
      await this.#channel.put({ type: 'user', runId, id: newId(), by: 'output schema', automatic: true, content });
      return undefined;
    }
    const message = `The answer does not match the schema of the output: ${read.problem} Simplify the schema, or use another model.`;
    await this.#channel.put({ type: 'error', runId, code: 'invalid_output', message, fatal: true });
    return 'error';
  }

  /** The runner of the calls; created with the first ones. */
  #callRunner(): CallRunner {
    if (this.#calls !== undefined) return this.#calls;
    const { permissions, parallel = 8, toolTimeoutMs: timeoutMs = 600_000 } = this.#options;
    const { runId, signal, depth, resume } = this.#params.run;
    const { answers, permissions: given = [] } = this.#params.host;
    const own = permissions && toRuleSet(permissions);
    const rules = own === undefined && given.length > 0 ? given : [own ?? { rules: [] }, ...given];
    const inherited = inheritParams(this.#params, { permissions: rules, spending: this.#spending });
    const lineage = new Lineage(depth);
    if (resume !== undefined) lineage.countBefore(resume);
    this.#calls = new CallRunner({
      runId,
      tools: this.#tools,
      rules,
      answers,
      signal,
      put: event => this.#channel.put(event),
      parallel,
      timeoutMs,
      scope: { channel: this.#channel, lineage, background: this.#background, inherited, contexts: this.#toolContexts },
    });
    this.#calls.remember(this.#params.conversation.decided ?? []);
    return this.#calls;
  }

  async #refuseCalls({ runId, calls }: RunState): Promise<void> {
    for (const { call, done } of calls.values())
      if (!done)
        await this.#channel.put({
          type: 'tool_result',
          runId,
          id: call.id,
          name: call.name,
          output: { error: notRun },
        });
  }

  /** Adds user messages and subagent results that arrived since the last step; returns whether there were any. */
  async #takeSteering(): Promise<boolean> {
    const events = [...steeredMessages(this.#params), ...this.#background.take()];
    for (const event of events) await this.#channel.put(event);
    return events.length > 0;
  }
}
