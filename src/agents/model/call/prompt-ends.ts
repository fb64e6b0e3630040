import type { LanguageModelV3, LanguageModelV3Prompt } from '@ai-sdk/provider';
import type { ModelFailure } from './failure.ts';
import { withoutInstructions } from './prompt.ts';

/** Providers that refuse a conversation which begins with the assistant. */
const needUserFirst: ReadonlySet<string> = new Set([
  'anthropic',
  'amazon-bedrock',
  'google',
  'google-vertex',
  'vertex',
]);

/** Providers that refuse a conversation which ends with the assistant; others continue its text or answer after it. */
const needUserLast: ReadonlySet<string> = new Set(['google', 'google-vertex', 'vertex']);

/** Why a provider would refuse the way a prompt begins or ends, before anything is sent; undefined when it accepts it. */
export function refusedEnd(
  prompt: LanguageModelV3Prompt,
  { provider, modelId }: Pick<LanguageModelV3, 'provider' | 'modelId'>,
): ModelFailure | undefined {
  const id = provider.split('.')[0] ?? provider;
  const messages = withoutInstructions(prompt);
  const [first] = messages;
  if (first !== undefined && first.role !== 'user' && needUserFirst.has(id))
    return refusal(
      `The conversation begins with the assistant, and "${id}/${modelId}" accepts only one that begins with a user.`,
      'Begin the thread or the messages with a user message.',
    );
  if (messages.at(-1)?.role === 'assistant' && needUserLast.has(id))
    return refusal(
      `The conversation ends with the assistant, and "${id}/${modelId}" accepts only one that ends with a user or a tool.`,
      'Send a user message, or use a provider that continues an assistant message.',
    );
  return undefined;
}

function refusal(problem: string, remedy: string): ModelFailure {
  return { message: `${problem} ${remedy}`, code: 'invalid_argument', retryable: false };
}
