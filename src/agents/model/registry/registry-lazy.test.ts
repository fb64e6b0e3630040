import { describe, expect, it, vi } from 'vitest';
import { createModelRegistry } from './registry.ts';

const loaded = vi.hoisted(() => [] as string[]);
vi.mock('@ai-sdk/anthropic', () => {
  loaded.push('anthropic');
  return { createAnthropic: () => () => ({ specificationVersion: 'v3' }) };
});
vi.mock('@ai-sdk/openai', () => {
  loaded.push('openai');
  return { createOpenAI: () => () => ({ specificationVersion: 'v3' }) };
});
vi.mock('@ai-sdk/openai-compatible', () => {
  loaded.push('openai-compatible');
  return { createOpenAICompatible: () => () => ({ specificationVersion: 'v3' }) };
});

describe('a registry', () => {
  it('loads the package of a provider when one of its models is resolved, and no other', async () => {
    const registry = createModelRegistry({ env: { OPENAI_API_KEY: 'k' } });
    registry.models();
    registry.providers();
    expect(loaded).toEqual([]);
    await registry.resolve('openai/gpt-5');
    expect(loaded).toEqual(['openai']);
  });
});
