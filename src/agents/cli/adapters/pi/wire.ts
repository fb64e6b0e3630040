import type { EventOf } from '../../../../events/vocabulary.ts';
import type { ToolOutput } from '../../../../events/tools.ts';
import { toCount, joinedText, toRecord, toText, type WireRecord } from '../../shared/wire-value.ts';
import { defined } from '../../../../base/defined.ts';

/** Returns the usage of one assistant message; undefined when nothing was used. */
export function readUsage(message: WireRecord): Omit<EventOf<'usage'>, 'type' | 'runId'> | undefined {
  const usage = toRecord(message['usage']);
  const uncached = toCount(usage?.['input']);
  const outputTokens = toCount(usage?.['output']);
  if (usage === undefined || uncached === undefined || outputTokens === undefined) return undefined;
  const cacheReadTokens = toCount(usage['cacheRead']);
  const cacheWriteTokens = toCount(usage['cacheWrite']);
  const inputTokens = uncached + (cacheReadTokens ?? 0) + (cacheWriteTokens ?? 0);
  if (inputTokens + outputTokens === 0) return undefined;
  return {
    inputTokens,
    outputTokens,
    ...defined({
      cacheReadTokens,
      cacheWriteTokens,
      reasoningTokens: toCount(usage['reasoning']),
      cost: toCount(toRecord(usage['cost'])?.['total']),
      model: toText(message['model']),
      finishReason: toText(message['stopReason']),
    }),
  };
}

/** Returns the output of a tool. A failed command has its exit code only in its text. */
export function readToolOutput(record: WireRecord): ToolOutput {
  const result = record['result'];
  const content = toRecord(result)?.['content'] ?? result ?? record['output'] ?? '';
  const context = joinedText(content) ?? content;
  const details = toRecord(toRecord(result)?.['details']) ?? {};
  const text = typeof context === 'string' ? context : JSON.stringify(context);
  const error = toText(record['error']) ?? toText(toRecord(record['error'])?.['message']);
  const failed = record['isError'] === true || error !== undefined || /^(error|failed)$/.test(String(record['status']));
  if (!failed) return { context, ...(Object.keys(details).length > 0 && { result: details }) };
  const exitCode = /Command exited with code (\d+)\s*$/.exec(text)?.[1];
  if (exitCode !== undefined) return { context, result: { ...details, exitCode: Number(exitCode) } };
  return { error: error ?? (text || 'The tool failed.') };
}
