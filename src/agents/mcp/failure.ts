import {
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  type CallToolResult,
  type ContentBlock,
} from '@modelcontextprotocol/client';
import { errorText } from '../../base/error-text.ts';
import { brokenStream } from './http-transport.ts';
import type { McpServer } from '../contract/mcp-server.ts';
import { createRedactor } from '../redaction/redactor.ts';
import { shortenOutput } from '../../projections/shorten-output.ts';
import type { ToolReturn } from '../contract/tool-values.ts';

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
    return `it could not be reached at ${new URL(server.url).origin} (${describeCause(error)})`;
  return bounded(errorText(error));
}

function httpProblem({ status, data }: SdkHttpError): string {
  const text = typeof data['text'] === 'string' ? `: ${bounded(data['text'])}` : '';
  const hint = status === 401 || status === 403 ? '; check the headers it is given' : '';
  return `it answered with HTTP ${status}${text}${hint}`;
}

function describeCause({ cause, message }: Error): string {
  if (!(cause instanceof Error)) return message;
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message;
}

function bounded(text: string): string {
  return shortened(text.trim(), longestText);
}

/** Shorter values are not secrets, and hiding them would make every text unreadable. */
const shortest = 4;
/** A path segment of at least this length counts as a key. */
const shortestKey = 16;

/**
 * Creates a function that hides the secrets of a server: the values of its environment and headers, the credentials in
 * its address.
 */
export function redactor(server: McpServer): (text: string) => string {
  const secrets = 'url' in server ? addressSecrets(server.url, server.headers) : Object.values(server.env ?? {});
  return createRedactor(secrets, { shortest, mark: '[hidden]' }).text;
}

function addressSecrets(address: string, headers: Readonly<Record<string, string>> = {}): string[] {
  const { username, password, pathname, search, searchParams } = new URL(address);
  const values = Object.values(headers);
  // In "Bearer abc" the token alone is a secret too, and some servers have theirs in the path.
  const words = values.flatMap(value => value.split(/\s+/).slice(1));
  const keys = pathname.split('/').filter(part => part.length >= shortestKey);
  return [...values, ...words, ...keys, username, password, decoded(password), search, ...searchParams.values()];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // It is not encoded.
  }
}

/** Returns the output of a server's tool as one text: images, sounds and files are described. */
export function textOfResult({ content, structuredContent }: CallToolResult, max: number): string {
  const text = content.map(textOfBlock).join('\n');
  return shortened(text === '' && structuredContent !== undefined ? JSON.stringify(structuredContent) : text, max);
}

/**
 * Returns the result of a call: the text for the model and the structured content for programs, neither longer than
 * `max`.
 */
export function toolReturn(result: CallToolResult, max: number): ToolReturn {
  const { structuredContent } = result;
  const context = textOfResult(result, max) || 'The tool returned nothing.';
  if (structuredContent === undefined) return { context };
  const { length } = JSON.stringify(structuredContent);
  if (length <= max) return { context, result: structuredContent };
  return { context: `${context}\n[Its structured content of ${length} characters is too long and was omitted.]` };
}

/** Returns the text, shortened in the middle when it is longer than `max` characters. */
export function shortened(text: string, max: number): string {
  const output = shortenOutput({ error: text }, max);
  return 'error' in output ? output.error : text;
}

function textOfBlock(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'image':
    case 'audio':
      return `[${block.type} ${block.mimeType}, ${formatSize(block.data)}]`;
    case 'resource_link': {
      const { name, uri, mimeType, description } = block;
      return `[resource ${name}: ${uri}${mimeType ? `, ${mimeType}` : ''}]${description ? ` ${description}` : ''}`;
    }
    case 'resource': {
      const { resource } = block;
      if ('text' in resource) return `[resource ${resource.uri}]\n${resource.text}`;
      return `[resource ${resource.uri}${resource.mimeType ? `, ${resource.mimeType}` : ''}, ${formatSize(resource.blob)}]`;
    }
    default:
      return `[content of a kind that is not known here]`;
  }
}

function formatSize(base64: string): string {
  return `${Math.floor((base64.length * 3) / 4)} bytes`;
}
