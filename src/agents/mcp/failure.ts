import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import { errorText } from '../../base/error-text.ts';
import { brokenStream } from './http-transport.ts';
import type { McpServer } from '../contract/mcp-server.ts';
import { shortened } from './tool-result.ts';

const longestText = 500;

/** Whether a server no longer knows our session: the request was not processed and can be repeated in a new one. */
export function isSessionLost(error: unknown, sessionId: string | undefined): boolean {
  if (!SdkHttpError.isInstance(error)) return false;
  return error.status === 404 || (error.status === 400 && sessionId !== undefined);
}

/** Whether the server uses another generation of the protocol. */
export function isOtherEra(error: unknown): boolean {
  const code: unknown = ProtocolError.isInstance(error) || SdkError.isInstance(error) ? error.code : undefined;
  return code === unsupportedVersion || code === SdkErrorCode.EraNegotiationFailed;
}

const unsupportedVersion = -32_022;

/** Whether the connection is unusable after this error. */
export function isConnectionLost(error: unknown): boolean {
  if (ProtocolError.isInstance(error)) return error.code === brokenStream;
  if (SdkHttpError.isInstance(error)) return false;
  return !SdkError.isInstance(error) || lost.has(error.code);
}

const lost: ReadonlySet<string> = new Set([
  SdkErrorCode.NotConnected,
  SdkErrorCode.ConnectionClosed,
  SdkErrorCode.SendFailed,
]);

/** Whether the answer timed out. */
export function isTimeout(error: unknown): boolean {
  return SdkError.isInstance(error) && error.code === SdkErrorCode.RequestTimeout;
}

/** Describes a failure as the rest of a sentence that begins with the server. */
export function problemIn(error: unknown, server: McpServer): string {
  if (SdkHttpError.isInstance(error)) return httpProblem(error);
  if (ProtocolError.isInstance(error))
    return error.code === brokenStream ? error.message : `it said: ${bounded(error.message)}`;
  if (error instanceof TypeError && 'url' in server)
    return `it could not be reached at ${new URL(server.url).origin} (${causeOf(error)})`;
  return bounded(errorText(error));
}

function httpProblem({ status, data }: SdkHttpError): string {
  const text = typeof data['text'] === 'string' ? `: ${bounded(data['text'])}` : '';
  const hint = status === 401 || status === 403 ? '; check the headers it is given' : '';
  return `it answered with HTTP ${status}${text}${hint}`;
}

function causeOf({ cause, message }: Error): string {
  if (!(cause instanceof Error)) return message;
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message;
}

function bounded(text: string): string {
  return shortened(text.trim(), longestText);
}
