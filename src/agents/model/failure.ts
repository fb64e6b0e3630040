import { APICallError } from '@ai-sdk/provider';
import { SingletreeError } from '../../events/index.ts';
import { createModelRegistry } from './registry.ts';

/** What went wrong with a model call, for an `error` or a `warning` event. */
export interface ModelFailure {
  readonly message: string;
  readonly code: string;
  readonly retryable: boolean;
  readonly retryAfterMs?: number;
}

/** Reads a thrown error as a failure of a model call; `provider` is what the model calls its provider. */
export function modelFailure(error: unknown, provider: string): ModelFailure {
  if (APICallError.isInstance(error)) return apiFailure(error, provider);
  if (SingletreeError.is(error)) return { message: error.message, code: error.code, retryable: false };
  const message = error instanceof Error ? error.message : String(error);
  if (isConnectionError(error))
    return { message: `The connection to the model broke: ${message}`, code: 'model_connection', retryable: true };
  return { message: `The model call failed: ${message}`, code: 'model_error', retryable: false };
}

function apiFailure(error: APICallError, provider: string): ModelFailure {
  const { statusCode: status, responseHeaders = {} } = error;
  const told = `The model's service answered ${status ?? 'nothing'}: ${error.message}`;
  if (status === 401 || status === 403)
    return { message: `${told}. ${keyHint(provider)}`, code: 'model_auth', retryable: false };
  const retryAfterMs = retryAfter(responseHeaders);
  const after = retryAfterMs === undefined ? {} : { retryAfterMs };
  if (status === 429) return { message: told, code: 'model_rate_limit', retryable: true, ...after };
  if (status === undefined)
    return { message: `The model could not be reached: ${error.message}`, code: 'model_connection', retryable: true };
  if (status >= 500) return { message: told, code: 'model_unavailable', retryable: true, ...after };
  return { message: told, code: 'model_request', retryable: error.isRetryable };
}

function keyHint(provider: string): string {
  const id = provider.split('.')[0] ?? provider;
  try {
    const variable = createModelRegistry().envVarOf(`${id}/any`);
    if (variable !== undefined) return `Check the key in ${variable}.`;
  } catch {
    // A provider the registry does not know: its key is wherever its maker said.
  }
  return `Check the key that was given to the provider "${id}".`;
}

function retryAfter(headers: Record<string, string>): number | undefined {
  const ms = Number(headers['retry-after-ms'] ?? Number.NaN);
  if (ms >= 0) return ms;
  const value = headers['retry-after'];
  if (value === undefined) return undefined;
  const seconds = Number(value);
  if (seconds >= 0) return seconds * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}

const connectionCodes = new Set([
  'ECONNRESET',
  'ECONNREFUSED',
  'EPIPE',
  'ETIMEDOUT',
  'UND_ERR_SOCKET',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

function isConnectionError(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) {
    if ('code' in at && connectionCodes.has(String(at.code))) return true;
    if (/terminated|fetch failed|socket|premature|network|cut/i.test(at.message)) return true;
  }
  return false;
}
