import type { LanguageModelV3FilePart, LanguageModelV3GenerateResult, LanguageModelV3Message } from '@ai-sdk/provider';
import type { Conversion } from './converted-model.ts';

/** Specification v4, of AI SDK 7. */
export const fromV4: Conversion = {
  options: ({ prompt, ...options }) => ({ ...options, prompt: prompt.map(toMessage) }),
  ending(ending) {
    const { usage, finishReason } = ending as Pick<LanguageModelV3GenerateResult, 'usage' | 'finishReason'>;
    const isKnown = (finishReason.unified as string) !== 'interrupted';
    return { usage, finishReason: isKnown ? finishReason : { ...finishReason, unified: 'other' } };
  },
};

/** Files have a kind of data in v4. */
function toMessage(message: LanguageModelV3Message): object {
  if (message.role !== 'user' && message.role !== 'assistant') return message;
  if (!message.content.some(({ type }) => type === 'file')) return message;
  return { ...message, content: message.content.map(part => (part.type === 'file' ? toFile(part) : part)) };
}

function toFile({ data, ...part }: LanguageModelV3FilePart): object {
  return { ...part, data: data instanceof URL ? { type: 'url', url: data } : { type: 'data', data } };
}
