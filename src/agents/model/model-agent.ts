import type { LanguageModelV3 } from '@ai-sdk/provider';
import * as z from 'zod';
import { once } from '../../events/define.ts';
import { type AgentEvent, errorText, SingletreeError } from '../../events/index.ts';
import { checkValue, optionsCheck } from '../../events/options/check-options.ts';
import { field, text } from '../../events/options/option-fields.ts';
import type { Agent, InvokeParams } from '../agent.ts';
import { checkTool } from '../loop/check-tool.ts';
import { EventChannel } from '../loop/event-channel.ts';
import { stopWith } from '../loop/stop-with.ts';
import { describeTool, type Tool } from '../loop/tool.ts';
import { failureEvent } from './failure.ts';
import { agentNamed, modelOptions, modelSource } from './model-options.ts';
import type { ModelSettings } from './model-settings.ts';
import { type ModelSource, resolveModel } from './model-source.ts';
import { modelStep } from './model-step.ts';
import { toPrompt } from './prompt.ts';
import type { ModelRegistry } from './registry.ts';
import { type RetryOptions, RetryPolicy } from './retry.ts';

export interface ModelAgentOptions {
  /** `model` when absent. */
  readonly id?: string;
  readonly instructions?: string;
  /** What the model may ask for; nothing is executed. */
  readonly tools?: readonly Tool[];
  readonly settings?: ModelSettings;
  readonly retry?: RetryOptions;
  /** Where model ids are looked up; the environment's when absent. */
  readonly registry?: ModelRegistry;
}

/** The reason of the signal of a model call that is over. */
const runIsOver = new Error('The run is over.');

const checkOptions = optionsCheck(
  'modelAgent',
  () =>
    ({
      id: text().optional(),
      ...modelOptions(),
      tools: field(Array.isArray, 'a list of tools').optional(),
    }) satisfies Record<keyof ModelAgentOptions, z.ZodType>,
  agentNamed,
);
const modelField = once(() => z.object({ model: modelSource() }));

/**
 * An agent that is one model call: it streams text and reasoning, then the tool calls the model asks for, unexecuted.
 * Throws `invalid_argument` for what it does not take.
 */
export function modelAgent(model: ModelSource, options: ModelAgentOptions = {}): Agent {
  checkOptions(options);
  const { id = 'model', instructions, settings, registry, tools: own = [] } = options;
  checkValue(modelField(), { model }, `The agent "${id}"`);
  own.forEach(checkTool);
  const described = own.map(describeTool);
  const retry = new RetryPolicy(options.retry);

  async function* invoke(params: InvokeParams): AsyncGenerator<AgentEvent> {
    const { runId, parentId, withheldTools = [] } = params;
    yield { type: 'harness_start', runId, agentId: id, ...(parentId !== undefined && { parentId }) };
    let resolved: LanguageModelV3;
    try {
      resolved = await resolveModel(params.model ?? model, registry ?? params.registry);
    } catch (error) {
      const code = SingletreeError.is(error) ? error.code : 'model_error';
      const message = errorText(error);
      yield { type: 'error', runId, message, code, fatal: true };
      yield { type: 'harness_end', runId, agentId: id, reason: 'error' };
      return;
    }
    const prompt = toPrompt(params.messages, instructions);
    const tools = described.filter(({ name }) => !withheldTools.includes(name));
    const channel = new EventChannel();
    const stop = stopWith(params.signal);
    const { signal } = stop;
    const step = { runId, step: 0, model: resolved, prompt, tools, settings, signal, retry, registry };
    const calling = modelStep(step, channel);
    try {
      yield* channel.until(calling);
    } finally {
      stop.abort(runIsOver);
      channel.leave();
    }
    const result = await calling;
    if (result.ended === 'failed') yield failureEvent(runId, result.failure);
    const reason = result.ended === 'answered' ? 'complete' : result.ended === 'failed' ? 'error' : 'aborted';
    yield { type: 'harness_end', runId, agentId: id, reason };
  }
  return { id, invoke };
}
