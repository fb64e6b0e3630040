import type { LanguageModelV3 } from '@ai-sdk/provider';
import type { AgentEvent } from '../../events/index.ts';
import type { Agent, InvokeParams } from '../agent.ts';
import { type ModelSource, resolveModel } from './model-source.ts';
import { modelStep } from './model-step.ts';
import { toPrompt } from './prompt.ts';
import { type RetryOptions, RetryPolicy } from './retry.ts';

export interface ModelAgentOptions {
  /** `model` when absent. */
  readonly id?: string;
  readonly instructions?: string;
  readonly retry?: RetryOptions;
}

/** An agent that is one model call: it streams text and reasoning, then the tool calls the model asks for, unexecuted. */
export function modelAgent(model: ModelSource, { id = 'model', instructions, retry }: ModelAgentOptions = {}): Agent {
  async function* invoke(params: InvokeParams): AsyncGenerator<AgentEvent> {
    const { runId, parentId, signal } = params;
    yield { type: 'harness_start', runId, agentId: id, ...(parentId !== undefined && { parentId }) };
    let resolved: LanguageModelV3;
    try {
      resolved = await resolveModel(params.model ?? model);
    } catch (error) {
      yield { type: 'error', runId, fatal: true, message: String(error instanceof Error ? error.message : error) };
      yield { type: 'harness_end', runId, agentId: id, reason: 'error' };
      return;
    }
    const prompt = toPrompt(params.messages, instructions);
    const result = yield* modelStep({ runId, step: 0, model: resolved, prompt, signal, retry: new RetryPolicy(retry) });
    if (result.ended === 'failed') {
      const { message, code, retryable } = result.failure;
      yield { type: 'error', runId, message, code, retryable, fatal: true };
    }
    const reason = result.ended === 'answered' ? 'complete' : result.ended === 'failed' ? 'error' : 'aborted';
    yield { type: 'harness_end', runId, agentId: id, reason };
  }
  return { id, invoke };
}
