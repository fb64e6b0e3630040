import * as z from 'zod';
import type { ScriptedFailure } from '../../agents/model/scripted/script.ts';
import type { Answer } from '../../agents/model/scripted/scripted-answer.ts';
import type { ScriptedApi, SeenMessage } from '../../agents/model/scripted/scripted-request.ts';

/** One server-sent event; a token is one that a slow model makes its reader wait for. */
export interface WireFrame {
  readonly event?: string;
  readonly data: unknown;
  readonly token?: boolean;
}

/** The parsed fields of a request body. */
export interface WireRequest {
  readonly model: string;
  readonly stream: boolean;
  readonly messages: readonly SeenMessage[];
  readonly toolNames: readonly string[];
  /** Tools that take a text, not JSON. */
  readonly freeformTools?: readonly string[];
  /** Whether the stream ends with a chunk of usage. */
  readonly includeUsage?: boolean;
  /** Whether reasoning carries its encrypted form. */
  readonly encryptedReasoning?: boolean;
}

export interface WireContext {
  readonly request: WireRequest;
  /** One-based number of the response; its ids are made of it. */
  readonly number: number;
  /** In seconds since 1970. */
  readonly createdAt: number;
}

/** One wire API as pure functions. */
export interface Wire {
  readonly api: Exclude<ScriptedApi, 'model'>;
  /** Reads a request body; throws a ZodError if the body does not match this API. */
  parse(body: unknown): WireRequest;
  /** The events of a streamed answer; for a cut one, those before the connection drops. */
  frames(answer: Answer, context: WireContext): WireFrame[];
  /** The body of an answer that is not streamed. */
  body(answer: Answer, context: WireContext): unknown;
  /** The body of a failure. */
  error(failure: ScriptedFailure): unknown;
}

/** A frame as text. */
export function encodeFrame({ event, data }: WireFrame): string {
  const text = typeof data === 'string' ? data : JSON.stringify(data);
  return `${event === undefined ? '' : `event: ${event}\n`}data: ${text}\n\n`;
}

/** The content of a message: a text, or parts that may contain text. */
export const wireContent = z.union([z.string(), z.array(z.looseObject({ text: z.string().optional() }))]).nullish();

/** The text of a message's content. */
export function contentText(content: z.infer<typeof wireContent>): string {
  if (typeof content === 'string') return content;
  return (content ?? []).map(part => part.text ?? '').join('');
}
