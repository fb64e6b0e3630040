import { createHash } from 'node:crypto';
import type { LanguageModelV3, LanguageModelV3FunctionTool, LanguageModelV3Prompt } from '@ai-sdk/provider';
import { type AgentEvent, type EventOf, newId } from '../../events/index.ts';
import { type ModelFailure, modelFailure } from './failure.ts';
import { ModelStream } from './model-stream.ts';
import type { RetryPolicy } from './retry.ts';

export interface ModelStepOptions {
  readonly runId: string;
  readonly step: number;
  readonly model: LanguageModelV3;
  readonly prompt: LanguageModelV3Prompt;
  readonly tools?: readonly LanguageModelV3FunctionTool[];
  readonly signal: AbortSignal;
  readonly retry: RetryPolicy;
}

/** How a step ended: what the model asked for, or why there is no answer. */
export type ModelStepResult =
  | { readonly ended: 'answered'; readonly calls: readonly EventOf<'tool_call'>[] }
  | { readonly ended: 'failed'; readonly failure: ModelFailure }
  | { readonly ended: 'aborted' };

/**
 * Calls a model once, and again while the failure may pass; each attempt begins with a `step_start`, which takes the
 * place of an earlier attempt of the same step. The calls come after the stream ended, then the usage.
 */
export async function* modelStep(options: ModelStepOptions): AsyncGenerator<AgentEvent, ModelStepResult> {
  const { runId, step, model, prompt, tools = [], signal, retry } = options;
  const request = { prompt: [...prompt], ...(tools.length > 0 && { tools: [...tools] }) };
  const requestHash = createHash('sha256').update(JSON.stringify(request)).digest('hex').slice(0, 16);
  for (let attempt = 0; ; attempt++) {
    const callId = newId();
    yield { type: 'step_start', runId, step, callId, model: `${model.provider}/${model.modelId}`, requestHash };
    const stream = new ModelStream({ runId, callId });
    try {
      const { stream: parts } = await model.doStream({ ...request, abortSignal: signal });
      const reader = parts.getReader();
      try {
        for (let next = await reader.read(); !next.done; next = await reader.read()) {
          const event = stream.take(next.value);
          if (event !== undefined) yield event;
          if (signal.aborted) return { ended: 'aborted' };
        }
      } finally {
        reader.cancel().catch(() => {});
      }
      const { calls, usage } = stream.finish();
      yield* calls;
      yield usage;
      return { ended: 'answered', calls };
    } catch (error) {
      if (signal.aborted) return { ended: 'aborted' };
      const failure = modelFailure(error, model.provider);
      const ms = retry.waitFor(failure, attempt);
      if (ms === undefined) return { ended: 'failed', failure };
      yield { type: 'warning', runId, code: failure.code, message: `${failure.message} Trying again in ${ms} ms.` };
      try {
        await retry.wait(ms, signal);
      } catch {
        return { ended: 'aborted' };
      }
    }
  }
}
