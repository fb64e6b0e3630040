import { defined } from '../../../base/defined.ts';
import { APICallError, type LanguageModelV3CallOptions } from '@ai-sdk/provider';
import type { ScriptedFailure } from './script.ts';

const url = 'scripted://model';

/** The message of an answer that ends in an error. */
export const streamErrorMessage = 'The model stopped because of an error.';

/** The message of a failure. */
export function failureMessage(failure: ScriptedFailure): string {
  return failure.message ?? `The script answers with HTTP ${failure.httpStatus}.`;
}

/** The headers of a failure, with `retry-after` where it has one. */
export function failureHeaders(failure: ScriptedFailure): Record<string, string> {
  const { retryAfterSeconds, headers } = failure;
  return { ...(retryAfterSeconds !== undefined && { 'retry-after': String(retryAfterSeconds) }), ...headers };
}

/** The error that a provider throws when the API answers with this failure. */
export function failedCall(failure: ScriptedFailure, call: LanguageModelV3CallOptions): APICallError {
  const message = failureMessage(failure);
  return new APICallError({
    message,
    url,
    requestBodyValues: { prompt: call.prompt },
    statusCode: failure.httpStatus,
    responseHeaders: failureHeaders(failure),
    responseBody: JSON.stringify({ error: { message, ...defined({ code: failure.code }) } }),
  });
}

/** The error that breaks a provider's stream when the connection drops. */
export function droppedConnection(call: LanguageModelV3CallOptions): APICallError {
  const socketError = Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' });
  return new APICallError({
    message: 'Failed to process successful response',
    url,
    requestBodyValues: { prompt: call.prompt },
    statusCode: 200,
    responseHeaders: {},
    isRetryable: true,
    cause: new TypeError('terminated', { cause: socketError }),
  });
}
