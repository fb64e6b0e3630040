import type { TokenCounts, TokenPrices, PricedModel } from '../../contract/model.ts';
import { createRequire } from 'node:module';
import type * as Prices from '@pydantic/genai-prices';
import type { ModelInfo, ModelPrice } from '@pydantic/genai-prices';
import { defined } from '../../../base/defined.ts';
import { pricedProviders } from './priced-providers.ts';
import { answersInText, isRetired } from './retired-models.ts';

let list: typeof Prices | undefined;

/** The price list, loaded on first use because it is large. */
function priceList(): typeof Prices {
  list ??= createRequire(import.meta.url)('@pydantic/genai-prices') as typeof Prices;
  return list;
}

/** The key of a model in the price list: its provider there, and the model's name without the provider. */
export interface PriceKey {
  readonly provider: string;
  readonly model: string;
}

/**
 * Returns the cost in US dollars at a time, from the bundled price list; undefined when the list or the counts do not
 * determine it.
 */
export function getCost({ provider, model }: PriceKey, usage: TokenCounts, at: Date = new Date()): number | undefined {
  return findPrice(provider, model, usage, at)?.total_price;
}

/** Returns the entry of one model; undefined when the price list does not contain it. */
export function pricedModel({ provider, model }: PriceKey, at: Date = new Date()): PricedModel | undefined {
  const found = findPrice(provider, model, noTokens, at);
  return found && describe(found.model, model, tokenPrices(found.model_price));
}

/** Returns all models of a provider that answer in text and are sold at a time by tokens, in the order of the list. */
export function pricedModels(provider: string, at: Date = new Date()): PricedModel[] {
  return (listed(provider)?.models ?? []).flatMap(({ id, deprecated }) => {
    // Ids that end in a dash or name a variant after a colon are prefixes, not models; so are those without their maker.
    const isPrefix = /-$|:/.test(id) || (provider === 'openrouter' && !id.includes('/'));
    if (deprecated === true || isPrefix || !answersInText(id) || isRetired(provider, id, at)) return [];
    const found = pricedModel({ provider, model: id }, at);
    return found?.prices === undefined ? [] : [{ ...found, model: id }];
  });
}

const noTokens: TokenCounts = { inputTokens: 0, outputTokens: 0 };

function findPrice(providerId: string, model: string, usage: TokenCounts, timestamp: Date) {
  const provider = listed(providerId);
  if (provider === undefined) return undefined;
  const counts = {
    input_tokens: usage.inputTokens,
    output_tokens: usage.outputTokens,
    ...defined({ cache_read_tokens: usage.cacheReadTokens, cache_write_tokens: usage.cacheWriteTokens }),
  };
  try {
    return priceList().calcPrice(counts, model, { provider, timestamp }) ?? undefined;
  } catch {
    // The list rejects counts that contradict each other, such as more cached tokens than input.
    return undefined;
  }
}

const providers = new Map<string, ReturnType<typeof Prices.findProvider>>();

/** The list matches providers loosely and slowly: `openai-compatible` would match `openai`. */
function listed(id: string) {
  if (!pricedProviders.has(id)) return undefined;
  if (!providers.has(id)) {
    const found = priceList().findProvider({ providerId: id });
    providers.set(id, found?.id === id ? found : undefined);
  }
  return providers.get(id);
}

function tokenPrices(price: ModelPrice): TokenPrices | undefined {
  const input = basePrice(price['input_mtok']);
  const output = basePrice(price['output_mtok']);
  if (input === undefined || output === undefined) return undefined;
  const cacheRead = basePrice(price['cache_read_mtok']);
  const cacheWrite = basePrice(price['cache_write_mtok']);
  return {
    input,
    output,
    ...defined({ cacheRead, cacheWrite }),
  };
}

function basePrice(price: ModelPrice[string]): number | undefined {
  return typeof price === 'object' ? price.base : price;
}

function describe(info: ModelInfo, model: string, prices: TokenPrices | undefined): PricedModel {
  return {
    model,
    ...defined({ name: info.name, contextWindow: info.context_window, prices }),
  };
}
