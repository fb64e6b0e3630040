import type { EventOf } from '../../../../events/vocabulary.ts';
import type { ToolOutput } from '../../../../events/tools.ts';
import { readableError } from '../../shared/readable-error.ts';
import { toCount, joinedText, toRecord, toText, type WireRecord } from '../../shared/wire-value.ts';
import { defined } from '../../../../base/defined.ts';

type Usage = Omit<EventOf<'usage'>, 'type' | 'runId'>;

/** Returns the usage in a record; undefined when it has none. A cost of zero means that the price is unknown. */
export function readUsage(usage: WireRecord | undefined): Usage | undefined {
  const inputTokens = toCount(usage?.['inputTokens']);
  const outputTokens = toCount(usage?.['outputTokens']);
  if (usage === undefined || inputTokens === undefined || outputTokens === undefined) return undefined;
  if (inputTokens + outputTokens === 0) return undefined;
  const cost = toCount(usage['cost']) ?? (usage['totalInputTokens'] === undefined ? toCount(usage['totalCost']) : 0);
  return {
    inputTokens,
    outputTokens,
    ...defined({
      cacheReadTokens: toCount(usage['cacheReadTokens']),
      cacheWriteTokens: toCount(usage['cacheWriteTokens']),
      cost: cost === 0 ? undefined : cost,
    }),
  };
}

/** The outcome of one item of a call that does several things. */
interface ItemOutcome {
  readonly isSuccess: boolean;
  readonly exitCode?: number;
}

/** Returns the output of a tool: a list with an entry for each item, an object or a text. */
export function readToolOutput(event: WireRecord, name: string): ToolOutput {
  const { output } = event;
  const object = toRecord(output);
  const error = object?.['success'] === true ? undefined : (errorIn(object?.['error']) ?? errorIn(event['error']));
  if (error !== undefined)
    return /requires approval/.test(error) ? { status: 'denied', reason: error } : { error: readableError(error) };
  if (Array.isArray(output)) return batchOutput(output);
  if (typeof output === 'string')
    return name === 'skills' && /^Skill ".*" not found/.test(output) ? { error: output } : { context: output };
  if (object === undefined) return { context: output ?? '' };
  const { result, text, content, success, isError, finishReason } = object;
  const context = toText(result) ?? toText(text) ?? joinedText(content) ?? output;
  if (success === false || isError === true)
    return { error: typeof context === 'string' ? context : 'The tool failed.' };
  return typeof finishReason === 'string' ? { context, result: { finishReason } } : { context };
}

/** A call failed only when all its items failed; commands that ran and failed have exit codes. */
function batchOutput(output: readonly unknown[]): ToolOutput {
  const items = output.map(itemOutcome);
  const [first] = items;
  const failed = items.every(item => !item.isSuccess && item.exitCode === undefined);
  if (first !== undefined && failed)
    return { error: output.map(item => errorIn(toRecord(item)?.['error']) ?? 'It failed.').join('\n') };
  const exitCode = items.length === 1 ? first?.exitCode : undefined;
  return { context: output, result: { items, ...defined({ exitCode }) } };
}

function itemOutcome(value: unknown): ItemOutcome {
  const item = toRecord(value);
  const error = errorIn(item?.['error']);
  const exitCode = /^Command exited with code (\d+)/.exec(error ?? '')?.[1];
  const isSuccess = item?.['success'] === true || (item?.['success'] === undefined && error === undefined);
  return exitCode === undefined ? { isSuccess } : { isSuccess, exitCode: Number(exitCode) };
}

function errorIn(value: unknown): string | undefined {
  return toText(value) ?? toText(toRecord(value)?.['message']);
}
