import type { EventOf } from '../../../../events/vocabulary.ts';
import type { ToolOutput } from '../../../../events/tools.ts';
import type { UsedTokens } from '../../../contract/host.ts';
import { toCount, joinedText, toList, toNumber, toRecord, toText, type WireRecord } from '../../shared/wire-value.ts';
import { defined } from '../../../../base/defined.ts';

/**
 * Returns the usage of the session so far; undefined without its two main counts. Input includes cached, output
 * reasoning.
 */
export function readUsage(value: unknown): UsedTokens | undefined {
  const usage = toRecord(value);
  const inputTokens = toCount(usage?.['input_tokens']);
  const outputTokens = toCount(usage?.['output_tokens']);
  if (usage === undefined || inputTokens === undefined || outputTokens === undefined) return undefined;
  return {
    inputTokens,
    outputTokens,
    ...defined({
      cacheReadTokens: toCount(usage['cached_input_tokens']),
      cacheWriteTokens: toCount(usage['cache_write_input_tokens']),
      reasoningTokens: toCount(usage['reasoning_output_tokens']),
    }),
  };
}

/** How one type of item maps to a tool call. */
export interface ItemTool {
  name(item: WireRecord): string;
  input(item: WireRecord): unknown;
  output(item: WireRecord): ToolOutput;
}

const failed = (item: WireRecord) => item['status'] === 'failed';
const declined = (item: WireRecord) => item['status'] === 'declined';
const readMessage = (value: unknown) => toText(value) ?? toText(toRecord(value)?.['message']);

/** The types of items that are tool calls: `item.started` is the call and `item.completed` its result. */
export const itemTools: Readonly<Record<string, ItemTool>> = {
  command_execution: {
    name: () => 'command_execution',
    input: item => ({ command: toText(item['command']) ?? '' }),
    output: item => {
      const context = toText(item['aggregated_output']) ?? '';
      const exitCode = toNumber(item['exit_code']);
      if (declined(item)) return { status: 'denied', reason: context || 'The command was declined.' };
      if (exitCode !== undefined) return { context, result: { exitCode } };
      return failed(item) ? { error: context || 'The command failed.' } : { context };
    },
  },
  file_change: {
    name: () => 'file_change',
    input: item => ({ changes: toList(item['changes']) }),
    output: item => {
      if (declined(item)) return { status: 'denied', reason: 'The change was declined.' };
      return failed(item) ? { error: 'The change could not be applied.' } : { context: 'The files were changed.' };
    },
  },
  mcp_tool_call: {
    name: item => `mcp__${toText(item['server']) ?? ''}__${toText(item['tool']) ?? ''}`,
    input: item => item['arguments'] ?? {},
    output: item => {
      const result = toRecord(item['result']);
      const structured = result?.['structured_content'] ?? undefined;
      const context = joinedText(result?.['content']) ?? result?.['content'] ?? result ?? '';
      const error = readMessage(item['error']);
      if (error === undefined && !failed(item)) return { context, ...defined({ result: structured }) };
      return { error: error ?? toText(context) ?? (context === '' ? 'The tool failed.' : JSON.stringify(context)) };
    },
  },
  web_search: {
    name: () => 'web_search',
    input: item => defined({ query: toText(item['query']), action: item['action'] }),
    output: item => ({ context: '', result: defined({ query: toText(item['query']), action: item['action'] }) }),
  },
  collab_tool_call: {
    name: item => toText(item['tool']) ?? 'collab_tool_call',
    input: item => defined({ prompt: toText(item['prompt']), agents: toList(item['receiver_thread_ids']) }),
    output: item => {
      const context = item['agents_states'] ?? {};
      return failed(item) ? { error: `The call failed: ${JSON.stringify(context)}` } : { context };
    },
  },
  todo_list: {
    name: () => 'todo_list',
    input: item => ({ items: toList(item['items']) }),
    output: () => ({ context: '' }),
  },
};

/** Returns the tasks of a todo list; undefined when it is not one. */
export function readTasks(item: WireRecord): EventOf<'tasks'>['tasks'] | undefined {
  if (!Array.isArray(item['items'])) return undefined;
  return item['items'].map((value, index) => {
    const entry = toRecord(value);
    const status = entry?.['completed'] === true ? ('completed' as const) : ('pending' as const);
    return { id: `${index + 1}`, content: toText(entry?.['text']) ?? '', status };
  });
}

/** How the run of an agent ended, by its last state; any other state is not an end. */
export const childEnds: ReadonlyMap<string, 'complete' | 'error' | 'aborted'> = new Map([
  ['completed', 'complete'],
  ['errored', 'error'],
  ['failed', 'error'],
  ['not_found', 'error'],
  ['shutdown', 'aborted'],
  ['interrupted', 'aborted'],
]);

/** Returns the last known state of each agent that a collaboration call names. */
export function readAgentStates(item: WireRecord): { id: string; status: string; message?: string }[] {
  return Object.entries(toRecord(item['agents_states']) ?? {}).map(([id, value]) => {
    const state = toRecord(value);
    return { id, status: toText(state?.['status']) ?? '', ...defined({ message: toText(state?.['message']) }) };
  });
}
