import * as z from 'zod';
import { eventShape, family, jsonValue, providerMetadata } from './define.ts';

const define = family('tools');

/** The result of a tool call: `context` is for the model and `result` for programs, or it was denied, or it failed. */
export type ToolOutput =
  | { context: unknown; result?: unknown }
  | { status: 'denied'; reason: string /** Permission rules denied it, not a person. */; by?: 'rules' | undefined }
  | { error: string };

/** Returns the output of a tool result in its known form; any other value is for the model and for programs. */
export function toToolOutput(output: unknown): ToolOutput {
  return isToolOutput(output) ? output : { context: output, result: output };
}

function isToolOutput(output: unknown): output is ToolOutput {
  if (typeof output !== 'object' || output === null || Array.isArray(output)) return false;
  const { status, reason, error, context } = output as Record<string, unknown>;
  return (status === 'denied' && typeof reason === 'string') || typeof error === 'string' || context !== undefined;
}

/** The input of a tool call whose arguments were not valid JSON. */
export interface ToolParseError {
  __toolParseError: true;
  parseError: string;
  rawArguments: string;
}

/** Creates the input recorded for arguments that could not be parsed: nothing that the model wrote is lost. */
export function toolParseError(parseError: string, rawArguments: string): ToolParseError {
  return { __toolParseError: true, parseError, rawArguments };
}

/** Whether a tool call's input represents arguments that could not be parsed. */
export function isToolParseError(input: unknown): input is ToolParseError {
  return typeof input === 'object' && input !== null && '__toolParseError' in input && input.__toolParseError === true;
}

export const toolInputDelta = define(
  'tool_input_delta',
  {
    doc: 'A fragment of the arguments of a tool call, while the model writes them.',
    durability: 'delta',
    fragment: 'delta',
  },
  () =>
    eventShape('tool_input_delta', {
      id: z.string().min(1).describe('the id the tool call will have'),
      name: z.string().optional().describe('the tool, when it is known'),
      delta: z.string().describe('the fragment, a piece of JSON text'),
    }),
);

export const toolCall = define('tool_call', { doc: 'A model asked for a tool.' }, () =>
  eventShape('tool_call', {
    id: z.string().min(1).describe('the id of the call, `{runId}/{rawId}` in our own loop'),
    name: z.string().describe('the tool'),
    input: jsonValue().describe('the arguments; `{ __toolParseError, parseError, rawArguments }` when malformed'),
    executedBy: z.string().min(1).optional().describe('the provider that executes the tool itself, when it is one'),
    providerMetadata: providerMetadata(),
  }),
);

export const toolStart = define(
  'tool_start',
  { doc: 'A tool call is about to be executed. It is stored before the tool runs.', durability: 'barrier' },
  () =>
    eventShape('tool_start', {
      id: z.string().min(1).describe('the id of the tool call'),
      name: z.string().describe('the tool'),
    }),
);

export const toolProgress = define('tool_progress', { doc: 'A running tool reported progress.' }, () =>
  eventShape('tool_progress', {
    id: z.string().min(1).describe('the id of this report'),
    toolCallId: z.string().min(1).describe('the tool call it belongs to'),
    name: z.string().describe('the tool'),
    content: jsonValue().describe('the report of the tool; its form depends on the tool'),
  }),
);

export const toolResult = define('tool_result', { doc: 'A tool call has its outcome.', durability: 'barrier' }, () =>
  eventShape('tool_result', {
    id: z.string().min(1).describe('the id of the tool call'),
    name: z.string().describe('the tool'),
    output: jsonValue().describe(
      'the outcome: `{ context, result }`, `{ status: "denied", reason, by? }`, `{ error }`, or any other value',
    ),
    providerMetadata: providerMetadata(),
  }),
);
