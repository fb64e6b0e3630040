import type {
  JSONValue,
  LanguageModelV3Content,
  LanguageModelV3FinishReason,
  LanguageModelV3StreamPart,
  LanguageModelV3ToolResult,
  LanguageModelV3Usage,
} from '@ai-sdk/provider';
import type { ScriptedUsage } from './script.ts';
import type { Answer, AnswerBlock, ToolBlock } from './scripted-answer.ts';
import { streamErrorMessage } from './scripted-failure.ts';

export interface ResponseFacts {
  id: string;
  modelId: string;
  timestamp?: Date;
}

/** Returns the stream parts of an answer in order; for a cut answer they stop where the connection drops. */
export function* streamParts(answer: Answer, response: ResponseFacts): Generator<LanguageModelV3StreamPart, void> {
  yield { type: 'stream-start', warnings: [] };
  yield { type: 'response-metadata', ...response };
  const open = answer.cut ? answer.blocks.length - 1 : -1;
  for (const [position, block] of answer.blocks.entries()) {
    if (block.kind === 'tool') yield* toolParts(block, position === open);
    else yield* proseParts(block.kind, `${block.kind}-${position}`, block.fragments, position === open);
  }
  if (answer.cut) return;
  if (answer.finishReason === 'error') yield { type: 'error', error: new Error(streamErrorMessage) };
  yield { type: 'finish', usage: toUsage(answer.usage), finishReason: toFinish(answer) };
}

/** Returns a block as a whole, as a call without streaming does; a call that the provider executed has its result. */
export function toContent(block: AnswerBlock): LanguageModelV3Content[] {
  if (block.kind === 'tool') return [toolCall(block), ...toolResult(block)];
  return [{ type: block.kind, text: block.text }];
}

/** The finish reason of an answer; scripts have no separate raw reason, so both are the same. */
export function toFinish({ finishReason }: Answer): LanguageModelV3FinishReason {
  return { unified: finishReason, raw: finishReason };
}

/** Token counts in the nested form; counts that a script does not report are undefined. */
export function toUsage(usage: ScriptedUsage): LanguageModelV3Usage {
  const { inputTokens: input, outputTokens: output, cacheReadTokens, cacheWriteTokens, reasoningTokens } = usage;
  return {
    inputTokens: {
      total: input,
      noCache: input === undefined ? undefined : input - (cacheReadTokens ?? 0) - (cacheWriteTokens ?? 0),
      cacheRead: cacheReadTokens,
      cacheWrite: cacheWriteTokens,
    },
    outputTokens: {
      total: output,
      text: output === undefined ? undefined : output - (reasoningTokens ?? 0),
      reasoning: reasoningTokens,
    },
  };
}

function* proseParts(
  kind: 'text' | 'reasoning',
  id: string,
  fragments: readonly string[],
  open: boolean,
): Generator<LanguageModelV3StreamPart, void> {
  yield { type: `${kind}-start`, id };
  for (const delta of fragments) yield { type: `${kind}-delta`, id, delta };
  if (!open) yield { type: `${kind}-end`, id };
}

function* toolParts(block: ToolBlock, open: boolean): Generator<LanguageModelV3StreamPart, void> {
  yield { type: 'tool-input-start', id: block.id, toolName: block.name };
  for (const delta of block.fragments) yield { type: 'tool-input-delta', id: block.id, delta };
  if (open) return;
  yield { type: 'tool-input-end', id: block.id };
  yield toolCall(block);
  yield* toolResult(block);
}

function toolCall(block: ToolBlock) {
  const executed = block.result !== undefined && { providerExecuted: true };
  return { type: 'tool-call', toolCallId: block.id, toolName: block.name, input: block.text, ...executed } as const;
}

function toolResult({ id, name, result }: ToolBlock): LanguageModelV3ToolResult[] {
  if (result === undefined) return [];
  return [{ type: 'tool-result', toolCallId: id, toolName: name, result: result as NonNullable<JSONValue> }];
}
