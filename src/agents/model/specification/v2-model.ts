import type {
  LanguageModelV2CallOptions,
  LanguageModelV2FinishReason,
  LanguageModelV2Usage,
  LanguageModelV3CallOptions,
  LanguageModelV3FinishReason,
  LanguageModelV3Message,
  LanguageModelV3Usage,
} from '@ai-sdk/provider';
import type { Conversion } from './converted-model.ts';

interface EndingV2 {
  readonly usage: LanguageModelV2Usage;
  readonly finishReason: LanguageModelV2FinishReason;
  readonly providerMetadata?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** Specification v2, of AI SDK 5. */
export const fromV2: Conversion = {
  options({ prompt, tools, ...options }: LanguageModelV3CallOptions) {
    return {
      ...options,
      prompt: prompt.map(toMessage) as LanguageModelV2CallOptions['prompt'],
      ...(tools && {
        tools: tools.map(tool => (tool.type === 'provider' ? { ...tool, type: 'provider-defined' } : tool)),
      }),
    };
  },
  ending(ending, provider) {
    const { usage, finishReason, providerMetadata } = ending as EndingV2;
    return { usage: toUsage(usage, provider, providerMetadata), finishReason: toFinishReason(finishReason) };
  },
};

/** A denied call, which v2 does not have, is a failed one. */
function toMessage(message: LanguageModelV3Message): LanguageModelV3Message {
  if (message.role !== 'tool') return message;
  const content = message.content.map(part =>
    part.type === 'tool-result' && part.output.type === 'execution-denied'
      ? { ...part, output: { type: 'error-text' as const, value: part.output.reason ?? 'It was denied.' } }
      : part,
  );
  return { ...message, content };
}

function toFinishReason(reason: LanguageModelV2FinishReason): LanguageModelV3FinishReason {
  return { unified: reason === 'unknown' ? 'other' : reason, raw: reason };
}

/** Anthropic's models, also on Bedrock and Vertex, count cached tokens beside the input in v2, not within it. */
function toUsage(
  { inputTokens, outputTokens, cachedInputTokens, reasoningTokens }: LanguageModelV2Usage,
  provider: string,
  metadata: EndingV2['providerMetadata'],
): LanguageModelV3Usage {
  const written = metadata?.['anthropic']?.['cacheCreationInputTokens'];
  const cacheWrite = typeof written === 'number' ? written : undefined;
  const isBeside = /anthropic|bedrock/.test(provider) || (cachedInputTokens ?? 0) > (inputTokens ?? 0);
  const cached = (cachedInputTokens ?? 0) + (cacheWrite ?? 0);
  const total = inputTokens === undefined ? undefined : inputTokens + (isBeside ? cached : 0);
  return {
    inputTokens: {
      total,
      noCache: total === undefined ? undefined : total - cached,
      cacheRead: cachedInputTokens,
      cacheWrite,
    },
    outputTokens: {
      total: outputTokens,
      text: outputTokens === undefined ? undefined : outputTokens - (reasoningTokens ?? 0),
      reasoning: reasoningTokens,
    },
  };
}
