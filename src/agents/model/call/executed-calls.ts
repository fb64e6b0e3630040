import type { LanguageModelV3Message, LanguageModelV3Prompt } from '@ai-sdk/provider';

type AssistantMessage = Extract<LanguageModelV3Message, { role: 'assistant' }>;
type AssistantPart = AssistantMessage['content'][number];

/** Returns the provider options that mark a part as one that a provider executed. */
export function executedByOption(provider: string) {
  return { singletree: { executedBy: provider } };
}

/** Returns the prompt for one provider: calls that another provider executed, and their results, become text. */
export function ownExecutedCalls(prompt: LanguageModelV3Prompt, provider: string): LanguageModelV3Prompt {
  const isForeign = (part: AssistantPart) => {
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

function asText(part: AssistantPart): AssistantPart {
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
