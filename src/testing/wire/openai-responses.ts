import { defined } from '../../base/defined.ts';
import type { ScriptedFinish, ScriptedUsage } from '../../agents/model/scripted/script.ts';
import type { Answer, AnswerBlock, ProseBlock, ToolBlock } from '../../agents/model/scripted/scripted-answer.ts';
import { streamErrorMessage } from '../../agents/model/scripted/scripted-failure.ts';
import { openaiError } from './openai-error.ts';
import { parseResponsesRequest } from './openai-responses-request.ts';
import type { Wire, WireContext, WireFrame } from './wire.ts';

/** OpenAI Responses. A call of a freeform tool is a `custom_tool_call`. */
export const openaiResponses: Wire = {
  api: 'responses',
  parse: parseResponsesRequest,
  frames(answer, context) {
    const start = buildResponse(context, { status: 'in_progress' });
    const events: Event[] = [
      event('response.created', { response: start }),
      event('response.in_progress', { response: start }),
    ];
    for (const [index, block] of answer.blocks.entries()) {
      const stages = itemStages(block, index, context);
      events.push(...stages.open, ...stages.tokens);
      if (answer.cut && index === answer.blocks.length - 1) break;
      events.push(...stages.close);
    }
    if (!answer.cut) events.push(lastEvent(answer, context));
    return events.map(numbered);
  },
  body: (answer, context) => lastEvent(answer, context).fields['response'],
  error: openaiError,
};

interface Event {
  type: string;
  fields: Record<string, unknown>;
  token: boolean;
}

interface Stages {
  open: Event[];
  tokens: Event[];
  close: Event[];
}

const endings: Record<ScriptedFinish, { status: string; reason?: string }> = {
  stop: { status: 'completed' },
  'tool-calls': { status: 'completed' },
  length: { status: 'incomplete', reason: 'max_output_tokens' },
  'content-filter': { status: 'incomplete', reason: 'content_filter' },
  error: { status: 'failed' },
};

function event(type: string, fields: Record<string, unknown>, token = false): Event {
  return { type, fields, token };
}

function numbered({ type, fields, token }: Event, sequence_number: number): WireFrame {
  return { event: type, data: { type, sequence_number, ...fields }, ...(token && { token }) };
}

function lastEvent(answer: Answer, context: WireContext): Event {
  const { status, reason } = endings[answer.finishReason];
  const response = buildResponse(context, {
    status,
    output: answer.blocks.map((block, index) => wholeItem(block, index, context)),
    usage: toUsage(answer.usage),
    ...(reason !== undefined && { incomplete_details: { reason } }),
    ...(status === 'failed' && { error: { code: 'server_error', message: streamErrorMessage } }),
  });
  return event(`response.${status}`, { response });
}

function buildResponse({ request, number, createdAt }: WireContext, fields: Record<string, unknown>) {
  return {
    id: `resp_${number}`,
    object: 'response',
    created_at: createdAt,
    error: null,
    incomplete_details: null,
    instructions: null,
    metadata: {},
    model: request.model,
    output: [],
    parallel_tool_calls: true,
    previous_response_id: null,
    reasoning: { effort: null, summary: null },
    store: false,
    temperature: 1,
    text: { format: { type: 'text' } },
    tool_choice: 'auto',
    tools: [],
    top_p: 1,
    truncation: 'disabled',
    usage: null,
    ...fields,
  };
}

function itemStages(block: AnswerBlock, output_index: number, context: WireContext): Stages {
  const whole = wholeItem(block, output_index, context);
  const at = { item_id: whole.id, output_index };
  const inner = block.kind === 'tool' ? callStages(block, at, whole.type) : proseStages(block, at);
  return {
    open: [event('response.output_item.added', { output_index, item: emptyItem(whole) }), ...inner.open],
    tokens: inner.tokens,
    close: [...inner.close, event('response.output_item.done', { output_index, item: whole })],
  };
}

function proseStages(block: ProseBlock, at: Record<string, unknown>): Stages {
  const text = block.kind === 'text';
  const place = { ...at, ...(text ? { content_index: 0 } : { summary_index: 0 }) };
  const logprobs = text ? { logprobs: [] } : {};
  const [part, stream] = text
    ? ['response.content_part', 'response.output_text']
    : ['response.reasoning_summary_part', 'response.reasoning_summary_text'];
  const partOf = text ? outputText : summaryText;
  return {
    open: [event(`${part}.added`, { ...place, part: partOf('') })],
    tokens: block.fragments.map(delta => event(`${stream}.delta`, { ...place, delta, ...logprobs }, true)),
    close: [
      event(`${stream}.done`, { ...place, text: block.text, ...logprobs }),
      event(`${part}.done`, { ...place, part: partOf(block.text) }),
    ],
  };
}

function callStages(block: ToolBlock, at: Record<string, unknown>, type: string): Stages {
  const freeform = type === 'custom_tool_call';
  const stream = freeform ? 'response.custom_tool_call_input' : 'response.function_call_arguments';
  const fragments = freeform ? [freeformInput(block)] : block.fragments;
  return {
    open: [],
    tokens: fragments.map(delta => event(`${stream}.delta`, { ...at, delta }, true)),
    close: [
      event(`${stream}.done`, { ...at, ...(freeform ? { input: freeformInput(block) } : { arguments: block.text }) }),
    ],
  };
}

interface Item extends Record<string, unknown> {
  id: string;
  type: string;
}

function wholeItem(block: AnswerBlock, index: number, { request, number }: WireContext): Item {
  const suffix = `${number}_${index}`;
  if (block.kind === 'reasoning') {
    return {
      id: `rs_${suffix}`,
      type: 'reasoning',
      summary: [summaryText(block.text)],
      ...(request.encryptedReasoning && { encrypted_content: 'c2NyaXB0ZWQ=' }),
    };
  }
  if (block.kind === 'text')
    return {
      id: `msg_${suffix}`,
      type: 'message',
      status: 'completed',
      role: 'assistant',
      content: [outputText(block.text)],
    };
  return callItem(block, suffix, request.freeformTools?.includes(block.name) ?? false);
}

function callItem(block: ToolBlock, suffix: string, freeform: boolean): Item {
  const { id: call_id, name, namespace } = block;
  const call = { status: 'completed', call_id, name, ...defined({ namespace }) };
  return freeform
    ? { id: `ctc_${suffix}`, type: 'custom_tool_call', ...call, input: freeformInput(block) }
    : { id: `fc_${suffix}`, type: 'function_call', ...call, arguments: block.text };
}

const emptied = { summary: [], content: [], arguments: '', input: '', status: 'in_progress', encrypted_content: '' };

function emptyItem(item: Item): Item {
  const empty = Object.entries(emptied).filter(([field]) => field in item);
  return { ...item, ...Object.fromEntries(empty) };
}

function freeformInput({ input, text }: ToolBlock): string {
  return typeof input === 'string' ? input : text;
}

function outputText(text: string) {
  return { type: 'output_text', text, annotations: [], logprobs: [] };
}

function summaryText(text: string) {
  return { type: 'summary_text', text };
}

function toUsage(usage: ScriptedUsage) {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, reasoningTokens } = usage;
  if (inputTokens === undefined && outputTokens === undefined) return null;
  return {
    input_tokens: inputTokens ?? 0,
    input_tokens_details: {
      cached_tokens: cacheReadTokens ?? 0,
      ...defined({ cache_write_tokens: cacheWriteTokens }),
    },
    output_tokens: outputTokens ?? 0,
    output_tokens_details: { reasoning_tokens: reasoningTokens ?? 0 },
    total_tokens: (inputTokens ?? 0) + (outputTokens ?? 0),
  };
}
