import type { LanguageModelV3Message, LanguageModelV3Prompt } from '@ai-sdk/provider';
import { PrefixCache } from '../../../projections/model-input/prefix-cache.ts';
import { withoutInstructions } from './prompt.ts';

/** The contents of a prompt that require changes for some models. */
export interface PromptTraits {
  readonly hasFiles: boolean;
  /** Whether it has a call that a provider executed. */
  readonly hasExecuted: boolean;
}

const traits = new PrefixCache<LanguageModelV3Message, PromptTraits>((message, before) => ({
  hasFiles: before?.hasFiles === true || containsFile(message),
  hasExecuted: before?.hasExecuted === true || containsExecuted(message),
}));

/** Returns the traits of a prompt; reads only the new messages when it continues an earlier prompt. */
export function promptTraits(prompt: LanguageModelV3Prompt): PromptTraits {
  return traits.last(withoutInstructions(prompt)) ?? { hasFiles: false, hasExecuted: false };
}

function containsFile({ role, content }: LanguageModelV3Message): boolean {
  return role === 'user' && content.some(part => part.type === 'file');
}

function containsExecuted({ role, content }: LanguageModelV3Message): boolean {
  return (
    role === 'assistant' && content.some(part => part.providerOptions?.['singletree']?.['executedBy'] !== undefined)
  );
}
