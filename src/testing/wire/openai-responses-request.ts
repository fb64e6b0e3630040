import * as z from 'zod';
import { parseArguments, type SeenMessage, type SeenToolCall } from '../../agents/model/scripted/scripted-request.ts';
import { contentText, type WireRequest, wireContent } from './wire.ts';

const item = z.looseObject({
  type: z.string().optional(),
  role: z.enum(['system', 'developer', 'user', 'assistant']).optional(),
  content: z.unknown().optional(),
  call_id: z.string().optional(),
  name: z.string().optional(),
  arguments: z.unknown().optional(),
  input: z.unknown().optional(),
  output: z.unknown().optional(),
});

const responsesRequest = z.looseObject({
  model: z.string(),
  stream: z.boolean().nullish(),
  instructions: z.string().nullish(),
  input: z.union([z.string(), z.array(item)]),
  include: z.array(z.string()).nullish(),
  tools: z.array(z.looseObject({ type: z.string(), name: z.string().optional() })).nullish(),
});

type Item = z.infer<typeof item>;

/** Reads a request body. Each model response, and the results of its calls, become one message each. */
export function parseResponsesRequest(body: unknown): WireRequest {
  const request = responsesRequest.parse(body);
  const items = typeof request.input === 'string' ? [{ role: 'user', content: request.input } as Item] : request.input;
  const instructions = request.instructions ? [{ role: 'system', text: request.instructions } as const] : [];
  const tools = request.tools ?? [];
  return {
    model: request.model,
    stream: request.stream ?? false,
    encryptedReasoning: request.include?.includes('reasoning.encrypted_content') ?? false,
    messages: items.map(seen).reduce<SeenMessage[]>(joinRuns, [...instructions]),
    toolNames: tools.map(tool => tool.name ?? tool.type),
    freeformTools: tools.flatMap(tool => (tool.type === 'custom' && tool.name !== undefined ? tool.name : [])),
  };
}

function seen(item: Item): SeenMessage {
  const { type = 'message' } = item;
  if (type.endsWith('_output'))
    return { role: 'tool', text: '', toolResults: [{ id: item.call_id ?? '', text: outputText(item.output) }] };
  if (type.endsWith('_call')) return { role: 'assistant', text: '', toolCalls: [toCall(item)] };
  if (type !== 'message') return { role: 'assistant', text: '' };
  return { role: item.role === 'developer' ? 'system' : (item.role ?? 'user'), text: outputText(item.content) };
}

function toCall(item: Item): SeenToolCall {
  const raw = item.arguments ?? item.input;
  const input = item.type === 'function_call' && typeof raw === 'string' ? parseArguments(raw) : raw;
  return { id: item.call_id ?? '', name: item.name ?? item.type ?? '', input };
}

function joinRuns(messages: SeenMessage[], next: SeenMessage): SeenMessage[] {
  const last = messages.at(-1);
  if (last?.role !== next.role || next.role === 'user' || next.role === 'system') {
    messages.push(next);
    return messages;
  }
  const calls = [...(last.toolCalls ?? []), ...(next.toolCalls ?? [])];
  const results = [...(last.toolResults ?? []), ...(next.toolResults ?? [])];
  messages[messages.length - 1] = {
    role: next.role,
    text: last.text + next.text,
    ...(calls.length > 0 && { toolCalls: calls }),
    ...(results.length > 0 && { toolResults: results }),
  };
  return messages;
}

function outputText(output: unknown): string {
  const parsed = wireContent.safeParse(output);
  return parsed.success ? contentText(parsed.data) : JSON.stringify(output);
}
