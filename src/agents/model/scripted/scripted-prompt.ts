import type {
  LanguageModelV3CallOptions,
  LanguageModelV3Message,
  LanguageModelV3ToolResultOutput,
  LanguageModelV3ToolResultPart,
} from '@ai-sdk/provider';
import { type ScriptedRequest, type SeenMessage, type SeenToolResult, scriptedRequest } from './scripted-request.ts';

/** Returns the request of a direct model call as scripts see it. */
export function requestOfCall(options: LanguageModelV3CallOptions, index: number, model: string): ScriptedRequest {
  return scriptedRequest({
    index,
    api: 'model',
    model,
    toolNames: () => (options.tools ?? []).map(tool => tool.name),
    messages: () => options.prompt.map(seenMessage),
    newest: () => options.prompt.slice(Math.max(0, options.prompt.findLastIndex(isUser))).map(seenMessage),
  });
}

function isUser({ role }: LanguageModelV3Message): boolean {
  return role === 'user';
}

/** The messages of a conversation are the same objects in each of its requests. */
const seen = new WeakMap<LanguageModelV3Message, SeenMessage>();

function seenMessage(message: LanguageModelV3Message): SeenMessage {
  const known = seen.get(message) ?? toMessage(message);
  seen.set(message, known);
  return known;
}

function toMessage(message: LanguageModelV3Message): SeenMessage {
  if (message.role === 'system') return { role: 'system', text: message.content };
  const text = message.content.flatMap(part => (part.type === 'text' ? part.text : [])).join('');
  const calls = message.content.flatMap(part =>
    part.type === 'tool-call' ? { id: part.toolCallId, name: part.toolName, input: part.input } : [],
  );
  const results = message.content.flatMap(part => (part.type === 'tool-result' ? toResult(part) : []));
  return {
    role: message.role,
    text,
    ...(calls.length > 0 && { toolCalls: calls }),
    ...(results.length > 0 && { toolResults: results }),
  };
}

function toResult(part: LanguageModelV3ToolResultPart): SeenToolResult {
  return { id: part.toolCallId, text: outputText(part.output) };
}

function outputText(output: LanguageModelV3ToolResultOutput): string {
  if (output.type === 'execution-denied') return output.reason ?? '';
  if (output.type === 'content') return output.value.flatMap(part => (part.type === 'text' ? part.text : [])).join('');
  return typeof output.value === 'string' ? output.value : JSON.stringify(output.value);
}
