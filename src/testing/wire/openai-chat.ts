import { defined } from '../../base/defined.ts';
import * as z from 'zod';
import type { ScriptedFinish, ScriptedUsage } from '../../agents/model/scripted/script.ts';
import type { Answer, AnswerBlock, ToolBlock } from '../../agents/model/scripted/scripted-answer.ts';
import { streamErrorMessage } from '../../agents/model/scripted/scripted-failure.ts';
import { parseArguments, type SeenMessage } from '../../agents/model/scripted/scripted-request.ts';
import { openaiError } from './openai-error.ts';
import { contentText, type Wire, type WireContext, type WireFrame, wireContent } from './wire.ts';

const message = z.looseObject({
  role: z.enum(['system', 'developer', 'user', 'assistant', 'tool']),
  content: wireContent,
  tool_call_id: z.string().optional(),
  tool_calls: z
    .array(z.looseObject({ id: z.string(), function: z.looseObject({ name: z.string(), arguments: z.string() }) }))
    .nullish(),
});

const chatRequest = z.looseObject({
  model: z.string(),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  messages: z.array(message),
  tools: z.array(z.looseObject({ function: z.looseObject({ name: z.string() }).optional() })).nullish(),
});

/** OpenAI Chat Completions. Reasoning is in `reasoning_content`, as compatible servers have it. */
export const openaiChat: Wire = {
  api: 'chat',
  parse(body) {
    const request = chatRequest.parse(body);
    return {
      model: request.model,
      stream: request.stream ?? false,
      includeUsage: request.stream_options?.include_usage ?? false,
      messages: request.messages.map(toMessage),
      toolNames: (request.tools ?? []).flatMap(tool => tool.function?.name ?? []),
    };
  },
  frames(answer, context) {
    const content = answer.blocks[0]?.kind === 'text' ? '' : null;
    const frames = [chunk(context, { role: 'assistant', content, refusal: null })];
    let calls = 0;
    for (const block of answer.blocks) {
      if (block.kind === 'tool') frames.push(...toolChunks(context, block, calls++));
      else for (const delta of block.fragments) frames.push(chunk(context, proseDelta(block, delta), { token: true }));
    }
    if (answer.cut) return frames;
    if (answer.finishReason === 'error')
      return [...frames, { data: openaiError({ httpStatus: 500, message: streamErrorMessage }) }];
    frames.push(chunk(context, {}, { finish: finishReasons[answer.finishReason] }));
    const usage = toUsage(answer.usage);
    if (context.request.includeUsage && usage) frames.push({ data: { ...chunkHead(context), choices: [], usage } });
    return [...frames, { data: '[DONE]' }];
  },
  body(answer, context) {
    const calls = answer.blocks.flatMap(block => (block.kind === 'tool' ? toolCall(block) : []));
    const message = {
      role: 'assistant',
      content: joined(answer, 'text'),
      ...(joined(answer, 'reasoning') !== null && { reasoning_content: joined(answer, 'reasoning') }),
      refusal: null,
      ...(calls.length > 0 && { tool_calls: calls }),
    };
    return {
      ...chunkHead(context),
      object: 'chat.completion',
      choices: [{ index: 0, message, logprobs: null, finish_reason: finishReasons[answer.finishReason] }],
      usage: toUsage(answer.usage),
    };
  },
  error: openaiError,
};

const finishReasons: Record<ScriptedFinish, string> = {
  stop: 'stop',
  length: 'length',
  'content-filter': 'content_filter',
  'tool-calls': 'tool_calls',
  error: 'error',
};

function toMessage(message: z.infer<typeof chatRequest>['messages'][number]): SeenMessage {
  const text = contentText(message.content);
  if (message.role === 'tool')
    return { role: 'tool', text: '', toolResults: [{ id: message.tool_call_id ?? '', text }] };
  const calls = (message.tool_calls ?? []).map(call => ({
    id: call.id,
    name: call.function.name,
    input: parseArguments(call.function.arguments),
  }));
  const role = message.role === 'developer' ? 'system' : message.role;
  return { role, text, ...(calls.length > 0 && { toolCalls: calls }) };
}

function chunkHead({ request, number, createdAt }: WireContext) {
  return { id: `chatcmpl-${number}`, object: 'chat.completion.chunk', created: createdAt, model: request.model };
}

function chunk(
  context: WireContext,
  delta: unknown,
  { finish = null, token = false }: { finish?: string | null; token?: boolean } = {},
): WireFrame {
  const choices = [{ index: 0, delta, logprobs: null, finish_reason: finish }];
  const usage = context.request.includeUsage ? { usage: null } : {};
  return { data: { ...chunkHead(context), choices, ...usage }, ...(token && { token }) };
}

function proseDelta(block: AnswerBlock, delta: string) {
  return block.kind === 'reasoning' ? { reasoning_content: delta } : { content: delta };
}

function toolChunks(context: WireContext, block: ToolBlock, index: number): WireFrame[] {
  const head = { index, id: block.id, type: 'function', function: { name: block.name, arguments: '' } };
  return [
    chunk(context, { tool_calls: [head] }),
    ...block.fragments.map(fragment =>
      chunk(context, { tool_calls: [{ index, function: { arguments: fragment } }] }, { token: true }),
    ),
  ];
}

function toolCall(block: ToolBlock) {
  return { id: block.id, type: 'function', function: { name: block.name, arguments: block.text } };
}

function joined(answer: Answer, kind: 'text' | 'reasoning'): string | null {
  const blocks = answer.blocks.filter(block => block.kind === kind);
  return blocks.length === 0 ? null : blocks.map(block => block.text).join('');
}

function toUsage({ inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, reasoningTokens }: ScriptedUsage) {
  if (inputTokens === undefined && outputTokens === undefined) return undefined;
  return {
    prompt_tokens: inputTokens ?? 0,
    completion_tokens: outputTokens ?? 0,
    total_tokens: (inputTokens ?? 0) + (outputTokens ?? 0),
    prompt_tokens_details: {
      cached_tokens: cacheReadTokens ?? 0,
      ...defined({ cache_write_tokens: cacheWriteTokens }),
    },
    completion_tokens_details: { reasoning_tokens: reasoningTokens ?? 0 },
  };
}
