import { setTimeout } from 'node:timers/promises';
import type {
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3GenerateResult,
  LanguageModelV3StreamPart,
  LanguageModelV3StreamResult,
} from '@ai-sdk/provider';
import { optionsCheck } from '../../../base/options/check-options.ts';
import { callback, name, number } from '../../../base/options/option-fields.ts';
import { type ModelScript, turnFor } from './script.ts';
import { type Answer, countFragments, resolveTurn } from './scripted-answer.ts';
import { droppedConnection, failedCall, streamErrorMessage } from './scripted-failure.ts';
import { requestOfCall } from './scripted-prompt.ts';
import type { ScriptedRequest } from './scripted-request.ts';
import { toContent, toFinish, type ResponseFacts, streamParts, toUsage } from './scripted-stream.ts';

/** Waits; settles, either way, when the signal aborts. */
export type Delay = (ms: number, signal?: AbortSignal) => Promise<unknown>;

/** Waits with a timer. */
export const timerDelay: Delay = (ms, signal) => setTimeout(ms, undefined, signal && { signal });

export interface ScriptedModelOptions {
  /** Default: `scripted`. */
  modelId?: string;
  /** Default: `scripted`. */
  provider?: string;
  /** The delay before a fragment; called only for turns with a delay. Default: a timer. */
  delay?: Delay;
  /** The time of a response in milliseconds since 1970. Default: responses carry no time. */
  now?: () => number;
  /** The number of requests that the log keeps; later ones are answered but not kept. Default: all. */
  keepRequests?: number;
}

const checkOptions = optionsCheck<ScriptedModelOptions>('scriptedModel')(() => ({
  modelId: name().optional(),
  provider: name().optional(),
  delay: callback().optional(),
  now: callback().optional(),
  keepRequests: number().optional(),
}));

export interface ScriptedModel extends LanguageModelV3 {
  /** The requests so far, oldest first. */
  readonly requests: readonly ScriptedRequest[];
}

/**
 * Creates a model that follows a script. It makes no network calls and keeps no state but the count and the log of
 * requests; a failure throws, and a cut breaks the stream, as with a provider over HTTP.
 */
export function scriptedModel(script: ModelScript, options: ScriptedModelOptions = {}): ScriptedModel {
  checkOptions(options);
  const { modelId = 'scripted', provider = 'scripted', delay = timerDelay, now, keepRequests = Infinity } = options;
  const requests: ScriptedRequest[] = [];
  let count = 0;

  function answerTo(call: LanguageModelV3CallOptions): { answer: Answer; response: ResponseFacts } {
    call.abortSignal?.throwIfAborted();
    const request = requestOfCall(call, count++, modelId);
    if (requests.length < keepRequests) requests.push(request);
    const turn = resolveTurn(turnFor(script, request), request);
    if ('failure' in turn) throw failedCall(turn.failure, call);
    const response = { id: `response-${request.index + 1}`, modelId, ...(now && { timestamp: new Date(now()) }) };
    return { answer: turn.answer, response };
  }

  return {
    specificationVersion: 'v3',
    provider,
    modelId,
    supportedUrls: {},
    requests,

    async doStream(call): Promise<LanguageModelV3StreamResult> {
      const { answer, response } = answerTo(call);
      const stream = createStream(answer, streamParts(answer, response), { delay, call });
      return { stream, response: { headers: { ...answer.headers } } };
    },

    async doGenerate(call): Promise<LanguageModelV3GenerateResult> {
      const { answer, response } = answerTo(call);
      if (answer.delayMs > 0) {
        await delay(answer.delayMs * countFragments(answer.blocks), call.abortSignal).catch(ignore);
        call.abortSignal?.throwIfAborted();
      }
      if (answer.cut) throw droppedConnection(call);
      if (answer.finishReason === 'error') throw failedCall({ httpStatus: 500, message: streamErrorMessage }, call);
      return {
        content: answer.blocks.flatMap(toContent),
        finishReason: toFinish(answer),
        usage: toUsage(answer.usage),
        response: { ...response, headers: { ...answer.headers } },
        warnings: [],
      };
    },
  };
}

type PartController = ReadableStreamDefaultController<LanguageModelV3StreamPart>;

const batchSize = 64;
const streamEnded = new Error('The stream has ended.');

function createStream(
  answer: Answer,
  parts: Iterator<LanguageModelV3StreamPart, void>,
  { delay, call }: { delay: Delay; call: LanguageModelV3CallOptions },
): ReadableStream<LanguageModelV3StreamPart> {
  const over = new AbortController();

  function finish(controller: PartController): void {
    over.abort(streamEnded);
    if (answer.cut) controller.error(droppedConnection(call));
    else controller.close();
  }

  // Parts are enqueued in batches, so that no single part is awaited.
  function pullBatch(controller: PartController): void {
    for (let sent = 0; sent < batchSize; sent++) {
      const { value } = parts.next();
      if (value !== undefined) controller.enqueue(value);
      // An error drops queued parts, so a batch is read completely before the error is raised.
      else if (sent === 0) return finish(controller);
      else return;
    }
  }

  async function pullSlowly(controller: PartController): Promise<void> {
    const { value } = parts.next();
    if (value === undefined) return finish(controller);
    if ('delta' in value) await delay(answer.delayMs, over.signal).catch(ignore);
    if (!over.signal.aborted) controller.enqueue(value);
  }

  return new ReadableStream<LanguageModelV3StreamPart>(
    {
      start(controller) {
        const abort = () => {
          over.abort(streamEnded);
          controller.error(call.abortSignal?.reason);
        };
        call.abortSignal?.addEventListener('abort', abort, { once: true, signal: over.signal });
      },
      pull: answer.delayMs > 0 ? pullSlowly : pullBatch,
      cancel: () => over.abort(streamEnded),
    },
    { highWaterMark: 0 },
  );
}

function ignore(): void {}
