import { SingletreeError } from '../../../events/index.ts';
import type { ScriptedRequest } from './scripted-request.ts';

/** A tool call; without an id the n-th call of the conversation is `call_n`. */
export interface ScriptedToolCall {
  id?: string;
  name: string;
  /** Any JSON value; a string reaches a freeform tool as it is. */
  input: unknown;
  /** The namespace of the tool, where the API has them. */
  namespace?: string;
}

/** A tool call whose arguments are sent as this text, JSON or not. */
export interface MalformedToolCall {
  id?: string;
  name: string;
  rawArguments: string;
}

/**
 * A piece of what the model streams. `cut` drops the connection: the part before it streams, and is not ended; nothing
 * may follow.
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

/** Why the model stopped; `error` makes it report a failure in the stream, after what it said. */
export type ScriptedFinish = 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'error';

export interface TurnTraits {
  /** What is reported; `{}` reports nothing. Default: 10 input tokens, and one output token for each fragment. */
  usage?: ScriptedUsage;
  /** Default: `tool-calls` when there is a tool call, else `stop`. */
  finishReason?: ScriptedFinish;
  /** The wait before each fragment. Default: none. */
  delayMs?: number;
  /** The characters in a fragment. Default: text by words, arguments by 16 characters. */
  tokenSize?: number;
  /** Headers of the response. */
  headers?: Readonly<Record<string, string>>;
}

/** An answer: one part, or several in order. */
export type ScriptedAnswer = (ScriptedPart | { parts: readonly ScriptedPart[] }) & TurnTraits;

/** A refusal before anything is streamed. */
export interface ScriptedFailure {
  httpStatus: number;
  retryAfterSeconds?: number;
  message?: string;
  /** The API's own error code, such as `context_length_exceeded`. Default: the usual one for the status. */
  code?: string;
  headers?: Readonly<Record<string, string>>;
}

/** What the model does for one request; a string is a text, a list is an answer of these parts. */
export type ScriptedTurn = string | readonly ScriptedPart[] | ScriptedAnswer | ScriptedFailure;

/** What a model does: the n-th turn for the n-th request, or a function of the request. */
export type ModelScript = readonly ScriptedTurn[] | ((request: ScriptedRequest) => ScriptedTurn);

/** The turn a script has for a request; throws `invalid_argument` when it has none left. */
export function turnFor(script: ModelScript, request: ScriptedRequest): ScriptedTurn {
  if (typeof script === 'function') return script(request);
  return turnAt(script, request.index, `request ${request.index + 1}`);
}

/**
 * A script that keeps no count: after each user message it starts at the first turn, and goes on by one for each
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
