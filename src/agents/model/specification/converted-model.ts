import type { AiSdkModel } from '../../contract/model.ts';
import type {
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3Content,
  LanguageModelV3GenerateResult,
  LanguageModelV3StreamPart,
} from '@ai-sdk/provider';

/** How the requests and answers of another specification differ from v3. */
export interface Conversion {
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

/** Returns a model of another specification as one of v3. */
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
