import { createRequire } from 'node:module';
import { expect, it } from 'vitest';
import { getCost } from './prices.ts';

const isLoaded = () => Object.keys(createRequire(import.meta.url).cache).some(file => file.includes('genai-prices'));

it('loads the price list for a model of a provider in the list, not for others', () => {
  const usage = { inputTokens: 1, outputTokens: 1 };
  for (const provider of ['scripted', 'demo', 'company-gateway'])
    expect(getCost({ provider, model: 'scripted' }, usage)).toBeUndefined();
  expect(isLoaded()).toBe(false);
  expect(getCost({ provider: 'anthropic', model: 'claude-sonnet-4-0' }, usage)).toBeGreaterThan(0);
  expect(isLoaded()).toBe(true);
});
