import type { EventOf } from '../../../../events/vocabulary.ts';
import type { ToolOutput } from '../../../../events/tools.ts';
import type { UsedTokens } from '../../../contract/host.ts';
import { toCount, joinedText, toNumber, toRecord, toText, type WireRecord } from '../../shared/wire-value.ts';
import { defined } from '../../../../base/defined.ts';

/** The ending of every failure text: the program reports failures as messages of the assistant. */
const advice =
  /\n\nPlease (retry if you think this is a transient or recoverable error|resend your message to (try again|continue))\.\s*$/;

/** Returns the error message in a text of the program; undefined if the text reports no failure. */
export function readFailure(text: string): string | undefined {
  const { index } = advice.exec(text) ?? {};
  return index === undefined ? undefined : text.slice(0, index).replace(/^Ran into this error: /, '');
}

/** Returns the tool call; an unreadable one has no input, and no name unless its error contains it. */
export function readToolCall(block: WireRecord): { rawId: string; name: string; input: unknown } | undefined {
  const rawId = toText(block['id']);
  const toolCall = toRecord(block['toolCall']);
  const value = toRecord(toolCall?.['value']);
  const name = toText(value?.['name']);
  const error = toText(toolCall?.['error']);
  if (rawId === undefined) return undefined;
  if (name !== undefined) return { rawId, name, input: value?.['arguments'] ?? {} };
  if (error === undefined) return undefined;
  return { rawId, name: /Tool '([^']+)'/.exec(error)?.[1] ?? 'invalid', input: { error } };
}

/** Metadata of a tool output. */
export interface ToolMeta {
  /** The session of the subagent that the call is about. */
  readonly sessionId?: string;
  /** The outcome of a background subagent. */
  readonly status?: string;
}

/** Matches the result of a call that the user did not allow. */
export const declinedCall = /^(The user has declined to run this tool|Let the user know the tool call was skipped)/;

/** Returns the output of a tool. Its status only states whether the call was possible: the value has the outcome. */
export function readToolOutput(block: WireRecord): { output: ToolOutput; meta: ToolMeta } {
  const toolResult = toRecord(block['toolResult']);
  const value = toRecord(toolResult?.['value']);
  const meta = toRecord(value?.['_meta']);
  const content = value?.['content'] ?? toolResult?.['value'] ?? '';
  const context = joinedText(content) ?? content;
  return {
    output: toOutput(toolResult, value, context),
    meta: defined({ sessionId: toText(meta?.['subagent_session_id']), status: toText(meta?.['task_status']) }),
  };
}

function toOutput(toolResult: WireRecord | undefined, value: WireRecord | undefined, context: unknown): ToolOutput {
  const text = typeof context === 'string' ? context : JSON.stringify(context);
  if (toolResult === undefined || toolResult['status'] === 'error')
    return { error: toText(toolResult?.['error']) ?? (text || 'The tool failed.') };
  const structured = toRecord(value?.['structuredContent']);
  const exitCode = toNumber(structured?.['exit_code']);
  if (exitCode !== undefined) return { context, result: { exitCode } };
  // A command without an exit code was stopped.
  if (value?.['isError'] === true || structured?.['stdout'] !== undefined) return { error: text || 'The tool failed.' };
  return declinedCall.test(text) ? { status: 'denied', reason: text } : { context };
}

/**
 * Returns the usage of a session so far; undefined when nothing was used, or only a total is reported. Input includes
 * cached.
 */
export function readUsage(record: WireRecord): UsedTokens | undefined {
  const inputTokens = toCount(record['input_tokens']);
  const outputTokens = toCount(record['output_tokens']);
  if (inputTokens === undefined || outputTokens === undefined || inputTokens + outputTokens === 0) return undefined;
  const cacheReadTokens = toCount(record['cache_read_input_tokens']);
  const cacheWriteTokens = toCount(record['cache_write_input_tokens']);
  return { inputTokens, outputTokens, ...defined({ cacheReadTokens, cacheWriteTokens }) };
}

/** Returns the usage of the model call that wrote a stored message; undefined when it is not counted. */
export function readMessageUsage(usage: WireRecord | undefined): UsedTokens | undefined {
  return readUsage({
    input_tokens: usage?.['inputTokens'],
    output_tokens: usage?.['outputTokens'],
    cache_read_input_tokens: usage?.['cacheReadTokens'],
    cache_write_input_tokens: usage?.['cacheWriteTokens'],
  });
}

/** Returns the tasks of a Markdown checklist; undefined when it has none. */
export function readTasks(input: unknown): EventOf<'tasks'>['tasks'] | undefined {
  const items = [...(toText(toRecord(input)?.['content']) ?? '').matchAll(/^\s*[-*] \[([ xX])\] (.+)$/gm)];
  if (items.length === 0) return undefined;
  return items.map(([, mark, content = ''], index) => ({
    id: `${index + 1}`,
    content: content.trim(),
    status: mark === ' ' ? 'pending' : 'completed',
  }));
}
