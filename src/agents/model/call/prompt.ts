import { defined } from '../../../base/defined.ts';
import type {
  JSONValue,
  LanguageModelV3Message,
  LanguageModelV3Prompt,
  LanguageModelV3ToolResultOutput,
  SharedV3ProviderOptions,
} from '@ai-sdk/provider';
import type { ContentPart } from '../../../events/content.ts';
import type { ToolOutput } from '../../../events/tools.ts';
import { PrefixCache } from '../../../projections/model-input/prefix-cache.ts';
import type { AssistantPart, Message } from '../../../projections/message.ts';

const converted = new WeakMap<Message, LanguageModelV3Message>();
const prompts = new PrefixCache<Message, LanguageModelV3Message>(message => {
  const known = converted.get(message) ?? toPromptMessage(message);
  converted.set(message, known);
  return known;
});

/** The part of a prompt after its instructions. */
const historyOf = new WeakMap<LanguageModelV3Prompt, LanguageModelV3Prompt>();

/** Converts messages to the form of AI SDK models; the same message yields the same object each time. */
export function toPrompt(messages: readonly Message[], instructions?: string): LanguageModelV3Prompt {
  const history = prompts.each(messages);
  if (!instructions) return history;
  const prompt: LanguageModelV3Prompt = [{ role: 'system', content: instructions }, ...history];
  historyOf.set(prompt, history);
  return prompt;
}

/** Returns a prompt without its leading system messages. */
export function withoutInstructions(prompt: LanguageModelV3Prompt): LanguageModelV3Prompt {
  const known = historyOf.get(prompt);
  if (known !== undefined && known[0]?.role !== 'system') return known;
  const start = prompt.findIndex(({ role }) => role !== 'system');
  return start === 0 ? prompt : prompt.slice(start < 0 ? prompt.length : start);
}

function toPromptMessage(message: Message): LanguageModelV3Message {
  if (message.role === 'system') return { role: 'system', content: message.content };
  if (message.role === 'user') return { role: 'user', content: toUserParts(message.content) };
  if (message.role === 'assistant') return { role: 'assistant', content: message.content.map(toAssistantPart) };
  return {
    role: 'tool',
    content: message.content.map(({ id, name, output }) => ({
      type: 'tool-result',
      toolCallId: id,
      toolName: name,
      output: toResultOutput(output),
    })),
  };
}

type UserParts = Extract<LanguageModelV3Message, { role: 'user' }>['content'];

function toUserParts(content: string | readonly ContentPart[]): UserParts {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return content.map(part => {
    if (part.type === 'text') return { type: 'text', text: part.text };
    const { data } = part;
    const filename = part.type === 'file' ? part.filename : undefined;
    return { type: 'file', data, mediaType: part.mediaType, ...defined({ filename }) };
  });
}

type AssistantParts = Extract<LanguageModelV3Message, { role: 'assistant' }>['content'];

function toAssistantPart(part: AssistantPart): AssistantParts[number] {
  const options = getOptions(part);
  const providerOptions = options && { providerOptions: options };
  if (part.type === 'text') return { type: 'text', text: part.text, ...providerOptions };
  if (part.type === 'reasoning') return { type: 'reasoning', text: part.text, ...providerOptions };
  const call = { toolCallId: part.id, toolName: part.name, ...providerOptions };
  if (part.type === 'tool_result') return { type: 'tool-result', ...call, output: toExecutedOutput(part.output) };
  const input = isObject(part.input) ? part.input : { input: part.input };
  return { type: 'tool-call', ...call, input, ...(part.executedBy !== undefined && { providerExecuted: true }) };
}

function getOptions(part: AssistantPart): SharedV3ProviderOptions | undefined {
  const metadata = part.providerMetadata as SharedV3ProviderOptions | undefined;
  const executedBy = 'executedBy' in part ? part.executedBy : undefined;
  return executedBy === undefined ? metadata : { ...metadata, ...executedByOption(executedBy) };
}

/** The result of a call that the provider executed, as the provider reported it. */
function toExecutedOutput(output: ToolOutput): LanguageModelV3ToolResultOutput {
  if ('error' in output && 'result' in output && typeof output.result !== 'string')
    return { type: 'error-json', value: output.result as JSONValue };
  return toResultOutput(output);
}

/** Returns the text that a model is sent of a result. */
export function sentText(output: ToolOutput, isExecuted: boolean): string {
  const sent = isExecuted ? toExecutedOutput(output) : toResultOutput(output);
  if (!('value' in sent)) return sent.reason ?? '';
  return typeof sent.value === 'string' ? sent.value : JSON.stringify(sent.value);
}

/** Whether arguments are an object: some providers reject all others. */
function isObject(input: unknown): boolean {
  return typeof input === 'object' && input !== null && !Array.isArray(input);
}

function toResultOutput(output: ToolOutput): LanguageModelV3ToolResultOutput {
  if (!('context' in output))
    return 'error' in output
      ? { type: 'error-text', value: output.error }
      : { type: 'execution-denied', reason: output.reason };
  return typeof output.context === 'string'
    ? { type: 'text', value: output.context }
    : { type: 'json', value: output.context as JSONValue };
}

/** Returns the provider options that mark a part as one that a provider executed. */
function executedByOption(provider: string) {
  return { singletree: { executedBy: provider } };
}

/** Returns the prompt for one provider: calls that another provider executed, and their results, become text. */
export function ownExecutedCalls(prompt: LanguageModelV3Prompt, provider: string): LanguageModelV3Prompt {
  const isForeign = (part: AssistantParts[number]) => {
    const executedBy = part.providerOptions?.['singletree']?.['executedBy'];
    return executedBy !== undefined && executedBy !== provider;
  };
  if (!prompt.some(message => message.role === 'assistant' && message.content.some(isForeign))) return prompt;
  return prompt.map(message =>
    message.role === 'assistant'
      ? { ...message, content: message.content.map(part => (isForeign(part) ? asText(part) : part)) }
      : message,
  );
}

function asText(part: AssistantParts[number]): AssistantParts[number] {
  if (part.type === 'tool-call')
    return { type: 'text', text: `[Called ${part.toolName} with ${JSON.stringify(part.input)}]` };
  if (part.type !== 'tool-result') return part;
  const { output } = part;
  const value = 'value' in output ? output.value : output.reason;
  return {
    type: 'text',
    text: `[Result of ${part.toolName}: ${typeof value === 'string' ? value : JSON.stringify(value)}]`,
  };
}
