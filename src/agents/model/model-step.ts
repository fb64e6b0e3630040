import type { LanguageModelV3, LanguageModelV3FunctionTool, LanguageModelV3Prompt } from '@ai-sdk/provider';
import { type AgentEvent, type EventOf, newId } from '../../events/index.ts';
import { CallIds } from './call-ids.ts';
import { costOf } from './prices.ts';
import { type ModelFailure, modelFailure } from './failure.ts';
import { callSettings, type ModelSettings } from './model-settings.ts';
import { ModelStream } from './model-stream.ts';
import type { ModelRegistry } from './registry.ts';
import { requestHash } from './request-hash.ts';
import type { RetryPolicy } from './retry.ts';

export interface ModelStepOptions {
  readonly runId: string;
  readonly step: number;
  readonly model: LanguageModelV3;
  readonly prompt: LanguageModelV3Prompt;
  readonly tools?: readonly LanguageModelV3FunctionTool[];
  readonly settings?: ModelSettings | undefined;
  /** The ids of the run's calls; those of a run that makes no other step when absent. */
  readonly callIds?: CallIds;
  /** Knows which variable holds a key; the environment's when absent. */
  readonly registry?: ModelRegistry | undefined;
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
  const { runId, step, model, prompt, tools = [], signal, retry, callIds = new CallIds(runId) } = options;
  const request = {
    ...callSettings(options.settings),
    prompt: [...prompt],
    ...(tools.length > 0 && { tools: [...tools] }),
  };
  const hash = requestHash(request);
  for (let attempt = 0; ; attempt++) {
    const callId = newId();
    yield { type: 'step_start', runId, step, callId, model: `${model.provider}/${model.modelId}`, requestHash: hash };
    callIds.begin();
    const stream = new ModelStream({ runId, callId, callIds });
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
      callIds.keep();
      yield* calls;
      yield priced(usage, model);
      return { ended: 'answered', calls };
    } catch (error) {
      if (signal.aborted) return { ended: 'aborted' };
      const failure = modelFailure(error, model.provider, options.registry);
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

/** Adds what the price list says a call cost, when it knows the model. */
function priced(usage: EventOf<'usage'>, { provider, modelId }: LanguageModelV3): EventOf<'usage'> {
  const cost = usage.cost ?? costOf({ provider: provider.split('.')[0] ?? provider, model: modelId }, usage);
  return cost === undefined ? usage : { ...usage, cost };
}
