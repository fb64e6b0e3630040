import { defined } from '../../events/defined.ts';
import { errorText, SingletreeError } from '../../events/index.ts';
import { RequestError } from './acp-library.ts';

/** Returns an error as the protocol answers it: an unknown session, a bad argument, a missing key, or a failure. */
export function toRequestError(error: unknown): RequestError {
  if (error instanceof RequestError) return error;
  const message = errorText(error);
  if (!SingletreeError.is(error)) return new RequestError(-32_603, message);
  const { threadId: sessionId, ...details } = error.details ?? {};
  const data = { code: error.code, ...details, ...defined({ sessionId }) };
  if (error.code === 'thread_not_found') return new RequestError(-32_002, message, data);
  if (error.code === 'missing_api_key') return new RequestError(-32_000, message, data);
  return new RequestError(error.code === 'invalid_argument' ? -32_602 : -32_603, message, data);
}
