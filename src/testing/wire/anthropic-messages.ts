import type { ScriptedFailure, ScriptedFinish, ScriptedUsage } from '../../agents/model/scripted/script.ts';
import type { AnswerBlock, ToolBlock } from '../../agents/model/scripted/scripted-answer.ts';
import { failureMessage, streamErrorMessage } from '../../agents/model/scripted/scripted-failure.ts';
import { parseMessagesRequest } from './anthropic-request.ts';
import type { Wire, WireContext, WireFrame } from './wire.ts';

/** Anthropic Messages. */
export const anthropicMessages: Wire = {
  api: 'messages',
  parse: parseMessagesRequest,
  frames(answer, context) {
    const message = { ...messageHead(context), content: [], stop_reason: null, usage: startUsage(answer.usage) };
    const frames = [frame('message_start', { message }), frame('ping', {})];
    let index = -1;
    for (const [position, block] of answer.blocks.entries()) {
      index++;
      frames.push(frame('content_block_start', { index, content_block: emptyBlock(block) }));
      frames.push(...blockDeltas(block, index));
      if (answer.cut && position === answer.blocks.length - 1) return frames;
      if (block.kind === 'reasoning')
        frames.push(frame('content_block_delta', { index, delta: { type: 'signature_delta', signature } }));
      frames.push(frame('content_block_stop', { index }));
      for (const result of resultBlocks(block)) {
        index++;
        frames.push(
          frame('content_block_start', { index, content_block: result }),
          frame('content_block_stop', { index }),
        );
      }
    }
    if (answer.cut) return frames;
    if (answer.finishReason === 'error')
      return [...frames, frame('error', { error: { type: 'api_error', message: streamErrorMessage } })];
    const delta = { stop_reason: stopReasons[answer.finishReason], stop_sequence: null };
    return [...frames, frame('message_delta', { delta, usage: toUsage(answer.usage) }), frame('message_stop', {})];
  },
  body: (answer, context) => ({
    ...messageHead(context),
    content: answer.blocks.flatMap(block => [wholeBlock(block), ...resultBlocks(block)]),
    stop_reason: stopReasons[answer.finishReason],
    usage: toUsage(answer.usage),
  }),
  error: anthropicError,
};

const signature = 'c2NyaXB0ZWQ=';

const stopReasons: Record<ScriptedFinish, string> = {
  stop: 'end_turn',
  length: 'max_tokens',
  'content-filter': 'refusal',
  'tool-calls': 'tool_use',
  error: 'end_turn',
};

const errorTypes: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  529: 'overloaded_error',
};

function anthropicError(failure: ScriptedFailure) {
  const type = failure.code ?? errorTypes[failure.httpStatus] ?? 'api_error';
  return { type: 'error', error: { type, message: failureMessage(failure) } };
}

function frame(type: string, data: Record<string, unknown>, token = false): WireFrame {
  return { event: type, data: { type, ...data }, ...(token && { token }) };
}

function messageHead({ request, number }: WireContext) {
  return { id: `msg_${number}`, type: 'message', role: 'assistant', model: request.model, stop_sequence: null };
}

function emptyBlock(block: AnswerBlock) {
  if (block.kind === 'tool') return { type: useType(block), id: block.id, name: block.name, input: {} };
  return block.kind === 'text' ? { type: 'text', text: '' } : { type: 'thinking', thinking: '', signature: '' };
}

function wholeBlock(block: AnswerBlock) {
  if (block.kind === 'tool') return { type: useType(block), id: block.id, name: block.name, input: block.input };
  return block.kind === 'text'
    ? { type: 'text', text: block.text }
    : { type: 'thinking', thinking: block.text, signature };
}

function useType({ result }: ToolBlock): string {
  return result === undefined ? 'tool_use' : 'server_tool_use';
}

/** The result of a call that the server executed, which follows it. */
function resultBlocks(block: AnswerBlock): Record<string, unknown>[] {
  if (block.kind !== 'tool' || block.result === undefined) return [];
  return [{ type: `${block.name}_tool_result`, tool_use_id: block.id, content: block.result }];
}

function blockDeltas(block: AnswerBlock, index: number): WireFrame[] {
  const delta = (delta: Record<string, string>, token = true) => frame('content_block_delta', { index, delta }, token);
  if (block.kind === 'text') return block.fragments.map(text => delta({ type: 'text_delta', text }));
  if (block.kind === 'reasoning') return block.fragments.map(thinking => delta({ type: 'thinking_delta', thinking }));
  return [
    delta({ type: 'input_json_delta', partial_json: '' }, false),
    ...block.fragments.map(partial_json => delta({ type: 'input_json_delta', partial_json })),
  ];
}

function startUsage(usage: ScriptedUsage) {
  return { ...toUsage(usage), output_tokens: 1 };
}

// This API counts cached tokens in addition to the input, not as part of it.
function toUsage({
  inputTokens = 0,
  outputTokens = 0,
  cacheReadTokens,
  cacheWriteTokens,
  reasoningTokens,
}: ScriptedUsage) {
  return {
    input_tokens: inputTokens - (cacheReadTokens ?? 0) - (cacheWriteTokens ?? 0),
    cache_creation_input_tokens: cacheWriteTokens ?? 0,
    cache_read_input_tokens: cacheReadTokens ?? 0,
    output_tokens: outputTokens,
    ...(reasoningTokens !== undefined && { output_tokens_details: { thinking_tokens: reasoningTokens } }),
  };
}
