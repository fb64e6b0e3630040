import type { LanguageModelV3, LanguageModelV3FunctionTool, LanguageModelV3Prompt } from '@ai-sdk/provider';
import { type AgentEvent, type EventOf, newId } from '../../events/index.ts';
import { CallIds } from './call-ids.ts';
import { costOf } from './prices.ts';
import { type ModelFailure, modelFailure } from './failure.ts';
import { callSettings, type ModelSettings } from './model-settings.ts';
import { ModelStream } from './model-stream.ts';
import { refusedEnd } from './prompt-ends.ts';
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

/** Takes what a model does. */
export interface ModelSink {
  /** Resolves when it was dealt with. */
  put(event: AgentEvent): Promise<void>;
  /** The same for fragments, which are only waited for when there is a promise. */
  pass(event: AgentEvent): Promise<void> | undefined;
}

/**
 * Calls a model once, and again while the failure may pass; each attempt begins with a `step_start`, which takes the
 * place of an earlier attempt of the same step. The calls come after the stream ended, then the usage. It does not
 * throw.
 */
export async function modelStep(options: ModelStepOptions, sink: ModelSink): Promise<ModelStepResult> {
  const { runId, step, model, prompt, tools = [], signal, retry, callIds = new CallIds(runId) } = options;
  const request = {
    ...callSettings(options.settings),
    prompt,
    ...(tools.length > 0 && { tools: [...tools] }),
  };
  const refused = refusedEnd(prompt, model);
  if (refused !== undefined) return { ended: 'failed', failure: refused };
  const hash = requestHash(request);
  for (let attempt = 0; ; attempt++) {
    const callId = newId();
    const name = `${model.provider}/${model.modelId}`;
    await sink.put({ type: 'step_start', runId, step, callId, model: name, requestHash: hash });
    callIds.begin();
    try {
      const stream = new ModelStream({ runId, callId, callIds });
      const { stream: parts } = await model.doStream({ ...request, abortSignal: signal });
      await readParts(parts, signal, part => {
        const event = stream.take(part);
        return event && sink.pass(event);
      });
      if (signal.aborted) return { ended: 'aborted' };
      const { calls, usage } = stream.finish();
      callIds.keep();
      for (const call of calls) await sink.put(call);
      await sink.put(priced(usage, model));
      return { ended: 'answered', calls };
    } catch (error) {
      if (signal.aborted) return { ended: 'aborted' };
      const failure = modelFailure(error, model.provider, options.registry);
      const ms = retry.waitFor(failure, attempt);
      if (ms === undefined) return { ended: 'failed', failure };
      const message = `${failure.message} Trying again in ${ms} ms.`;
      await sink.put({ type: 'warning', runId, code: failure.code, message });
      try {
        await retry.wait(ms, signal);
      } catch {
        return { ended: 'aborted' };
      }
    }
  }
}

/** Reads a stream to its end, or until the signal aborts. */
async function readParts<Part>(
  parts: ReadableStream<Part>,
  signal: AbortSignal,
  take: (part: Part) => Promise<void> | undefined,
): Promise<void> {
  const reader = parts.getReader();
  let isRead = false;
  try {
    for (;;) {
      const next = await reader.read();
      isRead = next.done;
      if (next.done) return;
      const taken = take(next.value);
      if (taken !== undefined) await taken;
      if (signal.aborted) return;
    }
  } finally {
    if (!isRead) reader.cancel().catch(() => {});
  }
}

/** Adds what the price list says a call cost, when it knows the model. */
function priced(usage: EventOf<'usage'>, { provider, modelId }: LanguageModelV3): EventOf<'usage'> {
  const cost = usage.cost ?? costOf({ provider: provider.split('.')[0] ?? provider, model: modelId }, usage);
  return cost === undefined ? usage : { ...usage, cost };
}
