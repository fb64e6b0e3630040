import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { findProvider } from '@pydantic/genai-prices';
import { describe, expect, it } from 'vitest';
import { pricedProviders } from './priced-providers.ts';
import { getCost, pricedModel, pricedModels } from './prices.ts';

const at = new Date('2026-06-01T00:00:00Z');
const sonnet = { provider: 'anthropic', model: 'claude-sonnet-4-0' };
const million = 1_000_000;

describe('the cost of tokens', () => {
  it.each([
    ['input and output', { inputTokens: million, outputTokens: million }, 18],
    ['cached tokens as part of the input', { inputTokens: million, outputTokens: 0, cacheReadTokens: million }, 0.3],
    ['written tokens as part of the input', { inputTokens: million, outputTokens: 0, cacheWriteTokens: million }, 3.75],
    [
      'the rest of the input at its own price',
      { inputTokens: 4 * million, outputTokens: 0, cacheReadTokens: million, cacheWriteTokens: million },
      2 * 3 + 0.3 + 3.75,
    ],
    ['counts that are known to be absent', { inputTokens: million, outputTokens: 0, cacheReadTokens: undefined }, 3],
    ['nothing', { inputTokens: 0, outputTokens: 0 }, 0],
  ])('counts %s', (_, usage, cost) => expect(getCost(sonnet, usage, at)).toBeCloseTo(cost, 10));

  it.each([
    ['more cached tokens than input', { inputTokens: 1, outputTokens: 0, cacheReadTokens: 2 }],
    ['a negative count', { inputTokens: -1, outputTokens: 0 }],
    ['no number', { inputTokens: Number.NaN, outputTokens: 0 }],
  ])('is unknown for %s', (_, usage) => expect(getCost(sonnet, usage, at)).toBeUndefined());

  it('is unknown for a model or a provider that is not in the list', () => {
    const usage = { inputTokens: 1, outputTokens: 1 };
    expect(getCost({ provider: 'anthropic', model: 'no-such-model' }, usage, at)).toBeUndefined();
    expect(getCost({ provider: 'nobody', model: 'gpt-5' }, usage, at)).toBeUndefined();
    expect(getCost({ provider: 'openai-compatible', model: 'gpt-5' }, usage, at)).toBeUndefined();
  });

  it('follows the price of the day', () => {
    const usage = { inputTokens: 300_000, outputTokens: 0 };
    const opus = { provider: 'anthropic', model: 'claude-opus-4-6' };
    expect(getCost(opus, usage, new Date('2026-02-20T00:00:00Z'))).toBeCloseTo(3, 10);
    expect(getCost(opus, usage, at)).toBeCloseTo(1.5, 10);
  });

  it('knows a model by its dated name', () => {
    const dated = { provider: 'anthropic', model: 'claude-sonnet-4-20250514' };
    expect(getCost(dated, { inputTokens: million, outputTokens: 0 }, at)).toBeCloseTo(3, 10);
  });
});

describe('the price list', () => {
  it('is looked at for each of its providers, and for no other', () => {
    const { resolve } = createRequire(import.meta.url);
    const ids = readFileSync(resolve('@pydantic/genai-prices'), 'utf8').matchAll(/\bid:["'`]([\w.-]+)["'`]/g);
    const providers = [...ids].map(([, id = '']) => id).filter(id => findProvider({ providerId: id })?.id === id);
    expect([...pricedProviders]).toEqual([...new Set(providers)].toSorted());
  });

  it('contains the context window and the prices of a model', () => {
    expect(pricedModel(sonnet, at)).toEqual({
      model: 'claude-sonnet-4-0',
      name: expect.any(String),
      contextWindow: 200_000,
      prices: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
    });
    expect(pricedModel({ provider: 'openai', model: 'gpt-5' }, at)?.prices).toEqual({
      input: 1.25,
      output: 10,
      cacheRead: 0.125,
    });
    expect(pricedModel({ provider: 'anthropic', model: 'none' }, at)).toBeUndefined();
  });

  it('lists the models that are priced by tokens', () => {
    const ids = pricedModels('openai', at).map(model => model.model);
    expect(ids).toContain('gpt-5');
    expect(ids).not.toContain('text-embedding-3-small');
    expect(ids.filter(id => id.endsWith('-'))).toEqual([]);
    expect(new Set(ids).size).toBe(ids.length);
    expect(pricedModels('nobody', at)).toEqual([]);
  });

  it('has no models that answer with images, speech or numbers', () => {
    const all = ['openai', 'google', 'mistral', 'groq', 'openrouter'].flatMap(provider =>
      pricedModels(provider, at).map(({ model }) => model),
    );
    expect(all.length).toBeGreaterThan(50);
    expect(all.filter(id => /image|tts|transcribe|audio|realtime|embed|guard/.test(id))).toEqual([]);
  });

  it('has no models that their provider has shut down, and keeps their prices for earlier usage', () => {
    const ids = (day: string) => pricedModels('openai', new Date(day)).map(({ model }) => model);
    expect(ids('2023-06-01')).toEqual(expect.arrayContaining(['ada', 'gpt-4-32k']));
    for (const retired of ['ada', 'babbage', 'davinci', 'gpt-4-32k', 'o1-preview'])
      expect(ids('2026-06-01')).not.toContain(retired);
    expect(ids('2026-06-01')).toEqual(expect.arrayContaining(['gpt-5.5', 'gpt-4.1', 'o3']));
    const sold = (provider: string) => pricedModels(provider, new Date('2026-11-01')).map(({ model }) => model);
    expect(sold('google')).toEqual(expect.arrayContaining(['gemini-3.5-flash', 'claude-opus-5']));
    expect(sold('google').filter(id => /^(gemini-(1|2\.0|pro)|claude-3)/.test(id))).toEqual(['claude-3-haiku']);
    expect(sold('groq')).toEqual(expect.arrayContaining(['openai/gpt-oss-120b']));
    expect(sold('groq').filter(id => /^(llama3|mixtral|gemma)/.test(id))).toEqual([]);
    expect(sold('openrouter')).toContain('anthropic/claude-opus-5.5');
    expect(
      sold('openrouter').filter(id => !id.includes('/') || /palm-2|claude-(2|3\.[57])|gpt-4-32k/.test(id)),
    ).toEqual([]);
    expect(sold('azure').filter(id => id.startsWith('o1-'))).toEqual([]);
    expect(pricedModels('anthropic', at).map(({ model }) => model)).not.toContain('claude-2');
    expect(getCost({ provider: 'openai', model: 'ada' }, { inputTokens: million, outputTokens: 0 }, at)).toBe(0.4);
  });
});
