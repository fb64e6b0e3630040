import { defined } from '../../../base/defined.ts';
import { APICallError } from '@ai-sdk/provider';
import type { EventOf } from '../../../events/vocabulary.ts';
import { SingletreeError } from '../../../base/singletree-error.ts';
import { limitReached } from '../../limits/limits.ts';
import { UnfinishedStream } from './model-stream.ts';
import { createModelRegistry } from '../registry/registry.ts';
import type { ModelRegistry } from '../../contract/model.ts';

/** The failure of a model call, for an `error` or a `warning` event. */
export interface ModelFailure {
  readonly message: string;
  readonly code: string;
  readonly retryable: boolean;
  readonly retryAfterMs?: number;
}

/** Converts a thrown error to a failure of a model call; `provider` is the model's own name for its provider. */
export function modelFailure(error: unknown, provider: string, registry?: ModelRegistry): ModelFailure {
  if (SingletreeError.is(error)) return { message: error.message, code: error.code, retryable: false };
  const message = registry?.hideKeys?.(getMessage(error)) ?? getMessage(error);
  const status = APICallError.isInstance(error) ? error.statusCode : undefined;
  const refused = status !== undefined && status >= 400;
  if (!refused && isUnreachable(error)) return unreachable(message);
  if (!refused && isConnectionError(error))
    return { message: `The connection to the model broke: ${message}.`, code: 'model_connection', retryable: true };
  if (APICallError.isInstance(error)) return apiFailure(error, message, () => keyHint(provider, registry));
  return { message: `The model call failed: ${message}.`, code: 'model_error', retryable: mayPass(error) };
}

/** The reason of the end of a run that ends by a failure. */
export function endedBy({ code }: ModelFailure): 'error' | 'limit_reached' {
  return code === limitReached ? limitReached : 'error';
}

/** The event of a failure that ends the run. */
export function failureEvent(runId: string, failure: ModelFailure): EventOf<'error'> {
  return { type: 'error', runId, ...failure, fatal: true };
}

function unreachable(message: string): ModelFailure {
  return {
    message: `The model could not be reached: ${message}. Check the network connection and the address of the provider.`,
    code: 'model_connection',
    retryable: true,
  };
}

function apiFailure(error: APICallError, message: string, hint: () => string): ModelFailure {
  const { statusCode: status, responseHeaders = {} } = error;
  if (status === undefined) return unreachable(message);
  const summary = `The model's service answered ${status}: ${message}.`;
  if (status === 401 || status === 403)
    return { message: `${summary} ${hint()}`, code: 'model_auth', retryable: false };
  const after = retryAfter(responseHeaders);
  const retry = { ...defined({ retryAfterMs: after }) };
  if (status === 429) return { message: summary, code: 'model_rate_limit', retryable: true, ...retry };
  if (status >= 500) return { message: summary, code: 'model_unavailable', retryable: true, ...retry };
  return { message: summary, code: 'model_request', retryable: error.isRetryable, ...retry };
}

function keyHint(provider: string, registry: ModelRegistry = createModelRegistry()): string {
  const id = provider.split('.')[0] ?? provider;
  try {
    const variable = registry.getEnvVar(`${id}/any`);
    if (variable !== undefined) return `Check the key in ${variable}.`;
  } catch {
    // The registry does not know this provider, so the name of its key is unknown.
  }
  return `Check the key that was given to the provider "${id}".`;
}

/** The message of an error without its full stop; some providers put plain objects and strings into their streams. */
function getMessage(error: unknown): string {
  const message = readField(error, 'message') ?? readField(readField(error, 'error'), 'message') ?? error;
  const text = typeof message === 'string' ? message : JSON.stringify(message);
  return (text ?? String(message)).replace(/\.+$/, '');
}

/** Whether a failure that a provider reported in its stream is transient. */
function mayPass(error: unknown): boolean {
  if (error instanceof UnfinishedStream) return true;
  const kinds = [error, readField(error, 'error')].flatMap(at => [readField(at, 'type'), readField(at, 'code')]);
  return kinds.some(kind => /overloaded|rate_limit|server_error|api_error|unavailable|timeout/.test(String(kind)));
}

function readField(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

const brokenConnection =
  /^terminated$|fetch failed|other side closed|socket hang up|premature close|stream ended (before|without)/i;

function isConnectionError(error: unknown): boolean {
  return hasCause(error, /^(ECONN|EPIPE$|ETIMEDOUT$|UND_ERR_)/, brokenConnection);
}

/** Whether no connection was established: the host name is unknown, or no server answers at the address. */
function isUnreachable(error: unknown): boolean {
  return hasCause(
    error,
    /^(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ENETDOWN|UND_ERR_CONNECT_TIMEOUT)$/,
  );
}

function hasCause(error: unknown, codes: RegExp, messages?: RegExp): boolean {
  for (let at = error; at instanceof Error; at = at.cause) {
    if (codes.test('code' in at ? String(at.code) : '') || messages?.test(at.message) === true) return true;
  }
  return false;
}

/**
 * Returns the delay in milliseconds that the response headers of a service ask for; undefined when they ask for none.
 */
export function retryAfter(headers: Readonly<Record<string, string>>, now = Date.now()): number | undefined {
  const ms = Number.parseFloat(headers['retry-after-ms'] ?? '');
  if (ms >= 0) return ms;
  const value = headers['retry-after']?.trim() ?? '';
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
