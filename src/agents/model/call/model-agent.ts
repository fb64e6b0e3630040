import { defined } from '../../../base/defined.ts';
import type { LanguageModelV3 } from '@ai-sdk/provider';
import * as z from 'zod';
import { once } from '../../../base/once.ts';
import type { AgentEvent } from '../../../events/vocabulary.ts';
import { errorText } from '../../../base/error-text.ts';
import { SingletreeError } from '../../../base/singletree-error.ts';
import { checkValue, optionsCheck } from '../../../base/options/check-options.ts';
import { field, isObject, text } from '../../../base/options/option-fields.ts';
import type { CallableAgent, InvokeRequest } from '../../contract/agent.ts';
import { toInvokeParams } from '../../contract/invoke-params.ts';
import { frozenEvents } from '../../frozen-events.ts';
import { withRun } from '../../run-agent.ts';
import { type AgentTools, toolList } from '../../tool-definition/ai-sdk-tool.ts';
import { EventChannel } from '../../run/event-channel.ts';
import { stopWith } from '../../run/stop-with.ts';
import { describeTool } from '../../tool-definition/define-tool.ts';
import { endedBy, failureEvent } from './failure.ts';
import { agentNamed, modelOptions, modelSource, type ModelSettings } from './model-options.ts';
import { checkModelId, resolveModel } from '../registry/model-source.ts';
import type { ModelSource, ModelRegistry, RetryOptions } from '../../contract/model.ts';
import { EmittedContexts } from './model-context.ts';
import { modelStep } from './model-step.ts';
import { RetryPolicy } from './retry.ts';

export interface ModelAgentOptions {
  /** Default: `model`. */
  readonly id?: string;
  readonly instructions?: string;
  /** The tools the model may call; none is executed. */
  readonly tools?: AgentTools;
  readonly settings?: ModelSettings;
  readonly retry?: RetryOptions;
  /** The registry that resolves model ids. Default: the one of the environment. */
  readonly registry?: ModelRegistry;
}

/** The abort reason of a model call that has ended. */
const runEnded = new Error('The run has ended.');

const checkOptions = optionsCheck<ModelAgentOptions>(
  'modelAgent',
  agentNamed,
)(() => ({
  id: text().optional(),
  ...modelOptions(),
  tools: field(
    value => Array.isArray(value) || isObject(value),
    'an array of tools, or an object of tools by name',
  ).optional(),
}));
const modelField = once(() => z.object({ model: modelSource() }));

/**
 * Creates an agent that makes one model call: it streams text and reasoning, then emits the tool calls, unexecuted.
 * Throws `invalid_argument` for invalid options.
 */
export function modelAgent(model: ModelSource, options: ModelAgentOptions = {}): CallableAgent {
  checkOptions(options);
  const { id = 'model', instructions, settings, registry, tools: own = [] } = options;
  checkValue(modelField(), { model }, `The agent "${id}"`);
  const described = toolList(own).map(describeTool);
  const retry = new RetryPolicy(options.retry);

  async function* run(request: InvokeRequest): AsyncGenerator<AgentEvent> {
    const params = toInvokeParams(request);
    const { runId, parentId } = params.run;
    const { withheldTools = [] } = params.host;
    yield { type: 'harness_start', runId, agentId: id, ...defined({ parentId }) };
    let resolved: LanguageModelV3;
    try {
      resolved = await resolveModel(params.run.model ?? model, registry ?? params.host.registry);
    } catch (error) {
      const code = SingletreeError.is(error) ? error.code : 'model_error';
      const message = errorText(error);
      yield { type: 'error', runId, message, code, fatal: true };
      yield { type: 'harness_end', runId, agentId: id, reason: 'error' };
      return;
    }
    const { messages } = params.conversation;
    const record = new EmittedContexts(params.run).nextStep();
    const tools = described.filter(({ name }) => !withheldTools.includes(name));
    const channel = new EventChannel();
    const stop = stopWith(params.run.signal);
    const { signal } = stop;
    const { spending, answers } = params.host;
    const step = { runId, step: 0, model: resolved, messages, instructions, tools, settings, record };
    const calling = modelStep({ ...step, signal, retry, registry, spending, answers }, channel);
    try {
      yield* channel.until(calling);
    } finally {
      stop.abort(runEnded);
      channel.leave();
    }
    const result = await calling;
    if (result.ended === 'failed') yield failureEvent(runId, result.failure);
    const reason =
      result.ended === 'answered' ? 'complete' : result.ended === 'failed' ? endedBy(result.failure) : 'aborted';
    yield { type: 'harness_end', runId, agentId: id, reason };
  }
  return withRun({
    id,
    abilities: { hasOwnModel: typeof model !== 'string' },
    checkModel: (modelId, given) => checkModelId(modelId, registry ?? given),
    invoke: request => frozenEvents(run(request)),
  });
}
