import * as z from 'zod';
import type { SeenMessage } from '../../agents/model/scripted/scripted-request.ts';
import { contentText, type WireRequest, wireContent } from './wire.ts';

const block = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  id: z.string().optional(),
  name: z.string().optional(),
  input: z.unknown().optional(),
  tool_use_id: z.string().optional(),
  content: z.unknown().optional(),
});

const messagesRequest = z.looseObject({
  model: z.string(),
  stream: z.boolean().nullish(),
  system: wireContent,
  messages: z.array(
    z.looseObject({
      role: z.enum(['user', 'assistant', 'system']),
      content: z.union([z.string(), z.array(block)]),
    }),
  ),
  tools: z.array(z.looseObject({ name: z.string().optional() })).nullish(),
});

type Block = z.infer<typeof block>;
type Message = z.infer<typeof messagesRequest>['messages'][number];

/**
 * Reads a request body. Tool results are part of user messages: they become a message of role `tool`, followed by
 * a user message only if the user also wrote text. A `<system-reminder>` does not count as user text.
 */
export function parseMessagesRequest(body: unknown): WireRequest {
  const request = messagesRequest.parse(body);
  const system = contentText(request.system);
  return {
    model: request.model,
    stream: request.stream ?? false,
    messages: [
      ...(system === '' ? [] : [{ role: 'system', text: system } as const]),
      ...request.messages.flatMap(seen),
    ],
    toolNames: (request.tools ?? []).flatMap(tool => tool.name ?? []),
  };
}

function seen({ role, content }: Message): SeenMessage[] {
  const blocks: Block[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  const texts = blocks.flatMap(({ type, text }) => (type === 'text' && text !== undefined ? text : []));
  if (role !== 'user') {
    const calls = blocks.flatMap(({ type, id, name, input }) =>
      type === 'tool_use' ? { id: id ?? '', name: name ?? '', input } : [],
    );
    return [{ role, text: texts.join(''), ...(calls.length > 0 && { toolCalls: calls }) }];
  }
  const results = blocks.flatMap(block =>
    block.type === 'tool_result' ? { id: block.tool_use_id ?? '', text: resultText(block.content) } : [],
  );
  const hasUserText = texts.some(text => !text.trimStart().startsWith('<system-reminder>'));
  const rest: SeenMessage[] =
    hasUserText || results.length === 0
      ? [{ role: hasUserText || texts.length === 0 ? 'user' : 'system', text: texts.join('') }]
      : [];
  return results.length === 0 ? rest : [{ role: 'tool', text: '', toolResults: results }, ...rest];
}

function resultText(content: unknown): string {
  const parsed = wireContent.safeParse(content);
  return parsed.success ? contentText(parsed.data) : JSON.stringify(content);
}
