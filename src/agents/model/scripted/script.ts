import { SingletreeError } from '../../../base/singletree-error.ts';
import type { ScriptedRequest } from './scripted-request.ts';

/** A tool call; without an id the n-th call of the conversation is `call_n`. */
export interface ScriptedToolCall {
  id?: string;
  name: string;
  /** Any JSON value; a freeform tool receives a string unchanged. */
  input: unknown;
  /** The namespace of the tool, where the API has them. */
  namespace?: string;
  /** The result, for a call that the provider executes itself: Anthropic Messages and direct calls. */
  result?: unknown;
}

/** A tool call whose arguments are sent as this text, JSON or not. */
export interface MalformedToolCall {
  id?: string;
  name: string;
  rawArguments: string;
}

/**
 * A piece of the model's stream. `cut` drops the connection: the part before it streams without an end, and nothing may
 * follow.
 */
export type ScriptedPart =
  | { text: string }
  | { reasoning: string }
  | { toolCall: ScriptedToolCall }
  | { malformedToolCall: MalformedToolCall }
  | { cut: true };

/** Token counts, in the terms of the `usage` event: input includes cached, output includes reasoning. */
export interface ScriptedUsage {
  inputTokens?: number;
  outputTokens?: number;
  cacheReadTokens?: number;
  cacheWriteTokens?: number;
  reasoningTokens?: number;
}

/** The reason that the model stopped; `error` reports a failure in the stream, after the answer. */
export type ScriptedFinish = 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'error';

export interface TurnTraits {
  /** The reported counts; `{}` reports none. Default: 10 input tokens, and one output token per fragment. */
  usage?: ScriptedUsage;
  /** Default: `tool-calls` when there is a tool call, else `stop`. */
  finishReason?: ScriptedFinish;
  /** The delay before each fragment. Default: none. */
  delayMs?: number;
  /** The number of characters of a fragment. Default: text by words, arguments by 16 characters. */
  tokenSize?: number;
  /** Headers of the response. */
  headers?: Readonly<Record<string, string>>;
}

/** An answer: one part, or several in order. */
export type ScriptedAnswer = (ScriptedPart | { parts: readonly ScriptedPart[] }) & TurnTraits;

/** An error response before anything is streamed. */
export interface ScriptedFailure {
  httpStatus: number;
  retryAfterSeconds?: number;
  message?: string;
  /** The API's own error code, such as `context_length_exceeded`. Default: the usual one for the status. */
  code?: string;
  headers?: Readonly<Record<string, string>>;
}

/** The model's response to one request; a string is a text, a list is an answer of these parts. */
export type ScriptedTurn = string | readonly ScriptedPart[] | ScriptedAnswer | ScriptedFailure;

/** The behaviour of a model: the n-th turn for the n-th request, or a function of the request. */
export type ModelScript = readonly ScriptedTurn[] | ((request: ScriptedRequest) => ScriptedTurn);

/** Returns the turn of a script for a request; throws `invalid_argument` when the script has no more turns. */
export function turnFor(script: ModelScript, request: ScriptedRequest): ScriptedTurn {
  if (typeof script === 'function') return script(request);
  return turnAt(script, request.index, `request ${request.index + 1}`);
}

/**
 * Creates a stateless script: it starts at the first turn after each user message and advances by one for each
 * assistant message in the request. The same request gets the same turn in any process.
 */
export function scriptByStep(turns: readonly ScriptedTurn[]): (request: ScriptedRequest) => ScriptedTurn {
  return request => turnAt(turns, request.step, `step ${request.step + 1} after the last user message`);
}

function turnAt(turns: readonly ScriptedTurn[], index: number, asker: string): ScriptedTurn {
  const turn = turns[index];
  if (turn !== undefined) return turn;
  const count = turns.length === 1 ? '1 turn' : `${turns.length} turns`;
  throw new SingletreeError(
    'invalid_argument',
    `The script has ${count}, and ${asker} needs turn ${index + 1}. Add a turn, or decide by the request with a function.`,
    { details: { turns: turns.length, index } },
  );
}
