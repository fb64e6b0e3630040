import { parseJson } from '../../../base/parse-json.ts';

/** The transport of a request: a direct call, or one of the wire APIs. */
export type ScriptedApi = 'model' | 'responses' | 'chat' | 'messages' | 'google';

export interface SeenToolCall {
  readonly id: string;
  readonly name: string;
  /** The parsed arguments; the raw text when they are not JSON. */
  readonly input: unknown;
}

export interface SeenToolResult {
  readonly id: string;
  readonly text: string;
}

/** One message of a request, independent of the API. Tool results are always in a message of role `tool`. */
export interface SeenMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly text: string;
  readonly toolCalls?: readonly SeenToolCall[];
  readonly toolResults?: readonly SeenToolResult[];
}

/** The request as scripts see it, independent of the API. */
export interface ScriptedRequest {
  /** The number of earlier requests to the script. */
  readonly index: number;
  readonly api: ScriptedApi;
  readonly model: string;
  readonly messages: readonly SeenMessage[];
  /** The names of the offered tools. */
  readonly toolNames: readonly string[];
  /** Every tool call in the request, oldest first. */
  readonly toolCalls: readonly SeenToolCall[];
  /** Every tool result in the request, oldest first. */
  readonly toolResults: readonly SeenToolResult[];
  /** The text of the newest user message; empty without a user message. */
  readonly lastUserText: string;
  /** How many assistant messages follow the newest user message. */
  readonly step: number;
}

interface RequestFacts {
  index: number;
  api: ScriptedApi;
  model: string;
  toolNames: () => readonly string[];
  messages: () => readonly SeenMessage[];
  /** The messages from the newest user message on, when they can be parsed alone; all when absent. */
  newest?: () => readonly SeenMessage[];
}

/** Creates the request that scripts see; messages are parsed only when a script reads them. */
export function scriptedRequest({ index, api, model, ...read }: RequestFacts): ScriptedRequest {
  let messages: readonly SeenMessage[] | undefined;
  const all = () => (messages ??= read.messages());
  const newest = () => messages ?? read.newest?.() ?? all();
  return {
    index,
    api,
    model,
    get messages() {
      return all();
    },
    get toolNames() {
      return read.toolNames();
    },
    get toolCalls() {
      return all().flatMap(message => message.toolCalls ?? []);
    },
    get toolResults() {
      return all().flatMap(message => message.toolResults ?? []);
    },
    get lastUserText() {
      return newest().findLast(isUser)?.text ?? '';
    },
    get step() {
      const since = newest();
      return since.slice(since.findLastIndex(isUser) + 1).filter(message => message.role === 'assistant').length;
    },
  };
}

/** Returns the arguments of a tool call as a value, or the text itself when it is not JSON. */
export function parseArguments(text: string): unknown {
  return parseJson(text, text);
}

function isUser(message: SeenMessage): boolean {
  return message.role === 'user';
}
