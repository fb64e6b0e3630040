import type {
  LanguageModelV3CallOptions,
  LanguageModelV3Message,
  LanguageModelV3Prompt,
  SharedV3ProviderOptions,
} from '@ai-sdk/provider';

/** The parts of a request that carry cache marks. */
type CachedRequest = Pick<LanguageModelV3CallOptions, 'prompt' | 'tools' | 'providerOptions'>;

interface Model {
  readonly provider: string;
  readonly modelId: string;
}

/** The cache mark of a provider that caches only marked messages; other providers cache automatically. */
interface CacheMark {
  readonly applies: (model: Model) => boolean;
  /** The provider's name among provider options, and its mark. */
  readonly name: string;
  readonly mark: SharedV3ProviderOptions[string];
  readonly marksTools?: boolean;
}

const cacheMarks: readonly CacheMark[] = [
  {
    applies: ({ provider }) => provider.includes('anthropic'),
    name: 'anthropic',
    mark: { cacheControl: { type: 'ephemeral' } },
    marksTools: true,
  },
  {
    applies: ({ provider, modelId }) =>
      provider.startsWith('amazon-bedrock') && /anthropic\.claude|amazon\.nova/.test(modelId),
    name: 'bedrock',
    mark: { cachePoint: { type: 'default' } },
  },
  {
    applies: ({ provider, modelId }) => provider.startsWith('openrouter') && modelId.startsWith('anthropic/'),
    name: 'openrouter',
    mark: { cacheControl: { type: 'ephemeral' } },
  },
];

/**
 * Returns the request with marks that make the provider cache it up to them: after the tools, after the instructions,
 * after the request of the step before and at its end. The next step, a fork or a resumed run begins with a marked
 * prefix. A single question, without tools and earlier answers, is not marked at its end: writing to the cache costs
 * more, and no other request begins with it. A request that has marks already is returned as it is.
 */
export function withCacheMarks<Request extends CachedRequest>(request: Request, model: Model): Request {
  const kind = cacheMarks.find(({ applies }) => applies(model));
  if (kind === undefined || hasMarks(request, kind)) return request;
  const { prompt, tools } = request;
  const lastTool = tools?.at(-1);
  const marksTools = kind.marksTools === true && lastTool?.type === 'function';
  return {
    ...request,
    prompt: markedPrompt(prompt, kind, lastTool !== undefined),
    ...(marksTools && { tools: [...(tools?.slice(0, -1) ?? []), marked(lastTool, kind)] }),
  };
}

function hasMarks({ providerOptions, tools }: CachedRequest, { name, mark }: CacheMark): boolean {
  const own = [providerOptions, ...(tools ?? []).map(tool => (tool.type === 'function' ? tool.providerOptions : {}))];
  return own.some(options => Object.keys(mark).some(key => options?.[name]?.[key] !== undefined));
}

function markedPrompt(prompt: LanguageModelV3Prompt, kind: CacheMark, hasTools: boolean): LanguageModelV3Prompt {
  const isRequest = ({ role }: LanguageModelV3Message) => role === 'user' || role === 'tool';
  const first = prompt.findIndex(({ role }) => role !== 'system');
  const end = prompt.findLastIndex(isRequest);
  const answered = prompt.findLastIndex(({ role }, index) => role === 'assistant' && index < end);
  const before = prompt.findLastIndex((message, index) => isRequest(message) && index < answered);
  const isContinued = hasTools || answered >= 0;
  const marks = new Set([(first < 0 ? prompt.length : first) - 1, before, ...(isContinued ? [end] : [])]);
  return prompt.map((message, index) => (marks.has(index) ? marked(message, kind) : message));
}

function marked<Part extends { readonly providerOptions?: SharedV3ProviderOptions | undefined }>(
  part: Part,
  { name, mark }: CacheMark,
): Part {
  const { providerOptions } = part;
  return { ...part, providerOptions: { ...providerOptions, [name]: { ...providerOptions?.[name], ...mark } } };
}
