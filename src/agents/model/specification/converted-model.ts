import type { AiSdkModel } from '../../contract/model.ts';
import type {
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3Content,
  LanguageModelV3GenerateResult,
  LanguageModelV3StreamPart,
  LanguageModelV2CallOptions,
  LanguageModelV2FinishReason,
  LanguageModelV2Usage,
  LanguageModelV3FinishReason,
  LanguageModelV3Message,
  LanguageModelV3Usage,
  LanguageModelV3FilePart,
} from '@ai-sdk/provider';

/** The differences of the requests and answers of another specification from v3. */
interface Conversion {
  /** Converts the options of a call. */
  readonly options: (options: LanguageModelV3CallOptions) => object;
  /** Converts the part at the end of a stream, or the result of a call without streaming. */
  readonly ending: (ending: object, provider: string) => Pick<LanguageModelV3GenerateResult, 'usage' | 'finishReason'>;
}

interface Callable {
  doStream(options: object): PromiseLike<{ readonly stream: ReadableStream<{ readonly type: string }> }>;
  doGenerate(options: object): PromiseLike<{ readonly content: readonly { readonly type: string }[] }>;
}

/** Parts that v3 has no equivalent of. */
const unknownParts: ReadonlySet<string> = new Set(['custom', 'reasoning-file', 'ping']);

/** Adapts a model of another specification to v3. */
export function convertedModel(model: AiSdkModel, { options, ending }: Conversion): LanguageModelV3 {
  const { provider, modelId } = model;
  const callable = model as unknown as Callable;
  const endOf = <End extends object>(end: End) => ({ ...end, ...ending(end, provider) });
  return {
    specificationVersion: 'v3',
    provider,
    modelId,
    get supportedUrls() {
      return model.supportedUrls;
    },
    async doStream(call) {
      const { stream, ...result } = await callable.doStream(options(call));
      const parts = stream.pipeThrough(
        new TransformStream<{ readonly type: string }, LanguageModelV3StreamPart>({
          transform(part, controller) {
            if (unknownParts.has(part.type)) return;
            controller.enqueue((part.type === 'finish' ? endOf(part) : part) as LanguageModelV3StreamPart);
          },
        }),
      );
      return { ...result, stream: parts };
    },
    async doGenerate(call) {
      const result = await callable.doGenerate(options(call));
      const content = result.content.filter(({ type }) => !unknownParts.has(type)) as LanguageModelV3Content[];
      return { warnings: [], ...result, ...endOf(result), content };
    },
  };
}

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
      prompt: prompt.map(toMessageV2) as LanguageModelV2CallOptions['prompt'],
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
function toMessageV2(message: LanguageModelV3Message): LanguageModelV3Message {
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

/** Converts v2 usage; Anthropic models, also on Bedrock and Vertex, exclude cached tokens from `inputTokens` there. */
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

/** Specification v4, of AI SDK 7. */
export const fromV4: Conversion = {
  options: ({ prompt, ...options }) => ({ ...options, prompt: prompt.map(toMessageV4) }),
  ending(ending) {
    const { usage, finishReason } = ending as Pick<LanguageModelV3GenerateResult, 'usage' | 'finishReason'>;
    const isKnown = (finishReason.unified as string) !== 'interrupted';
    return { usage, finishReason: isKnown ? finishReason : { ...finishReason, unified: 'other' } };
  },
};

/** Files have a kind of data in v4. */
function toMessageV4(message: LanguageModelV3Message): object {
  if (message.role !== 'user' && message.role !== 'assistant') return message;
  if (!message.content.some(({ type }) => type === 'file')) return message;
  return { ...message, content: message.content.map(part => (part.type === 'file' ? toFile(part) : part)) };
}

function toFile({ data, ...part }: LanguageModelV3FilePart): object {
  return { ...part, data: data instanceof URL ? { type: 'url', url: data } : { type: 'data', data } };
}
