import type { EventOf } from '../../../../events/vocabulary.ts';
import type { ToolOutput } from '../../../../events/tools.ts';
import { toCount, joinedText, toList, toNumber, toRecord, toText, type WireRecord } from '../../shared/wire-value.ts';
import { defined } from '../../../../base/defined.ts';

/** One step of a conversation, as described by one record. */
export interface Step {
  /** The conversation it belongs to, when the record names it. */
  readonly conversation: string | undefined;
  /** Its index in the conversation. */
  readonly index: number;
  readonly type: string;
  readonly isOver: boolean;
  readonly isFailed: boolean;
  readonly wire: WireRecord;
}

const failed: ReadonlySet<unknown> = new Set(['ERROR', 'FAILED', 'CANCELLED', 'CANCELED', 'DENIED']);

/** Returns the step of a record; undefined when it describes none. */
export function readStep(record: WireRecord): Step | undefined {
  const wire = toRecord(record['step_update']);
  const type = toText(wire?.['step_type']);
  if (wire === undefined || type === undefined) return undefined;
  const isFailed = failed.has(wire['state']);
  return {
    conversation: toText(wire['conversation_id']) ?? toText(record['conversation_id']),
    index: toNumber(wire['step_index']) ?? 0,
    type,
    isOver: isFailed || wire['state'] === 'DONE',
    isFailed,
    wire,
  };
}

/** Returns the message of an error that is a text or an object. */
export function readError(value: unknown): string | undefined {
  return toText(value) ?? toText(toRecord(value)?.['message']);
}

/** Returns the output of a tool. A failed command has its exit code only in its error text. */
export function readToolOutput({ wire, isFailed }: Step): ToolOutput {
  const info = toRecord(wire['tool_info']);
  const output = info?.['output'] ?? '';
  const context = joinedText(output) ?? output;
  const error = readError(info?.['error']) ?? readError(wire['error']);
  if (error === undefined && !isFailed) return { context };
  const message = error ?? (typeof context === 'string' && context !== '' ? context : 'The step failed.');
  if (/denied permission|permission (was )?denied|auto-denied/i.test(message))
    return { status: 'denied', reason: message };
  const exitCode = /^exit status (\d+)/.exec(message)?.[1];
  return exitCode === undefined ? { error: message } : { context, result: { exitCode: Number(exitCode) } };
}

/** The subagents that a step starts or started. */
export function readSubagents(wire: WireRecord): { name?: string; conversation?: string }[] {
  const info = toRecord(wire['subagent_info']);
  return toList(info?.['subagents']).map(value => {
    const entry = toRecord(value);
    const conversation = toText(entry?.['conversation_id']);
    const name = toText(entry?.['role']) ?? toText(entry?.['type_name']);
    return defined({ name, conversation });
  });
}

/** Returns the usage of a step or a result; undefined when nothing was used. Cached input is counted separately. */
export function readUsage(value: unknown): Omit<EventOf<'usage'>, 'type' | 'runId'> | undefined {
  const usage = toRecord(value);
  const uncached = toCount(usage?.['input_tokens']);
  const outputTokens = toCount(usage?.['output_tokens']);
  if (usage === undefined || uncached === undefined || outputTokens === undefined) return undefined;
  const cacheReadTokens = toCount(usage['cache_read_tokens']);
  const inputTokens = uncached + (cacheReadTokens ?? 0);
  if (inputTokens + outputTokens === 0) return undefined;
  return {
    inputTokens,
    outputTokens,
    ...defined({ cacheReadTokens, reasoningTokens: toCount(usage['thinking_tokens']) }),
  };
}

/** Returns the calls that the program rejected because it could not ask a user. */
export function readDenied(value: unknown): string[] {
  return toList(value).map(entry => {
    const action = toRecord(entry);
    return toText(action?.['display_name']) ?? toText(action?.['action']) ?? toText(entry) ?? 'An action';
  });
}
