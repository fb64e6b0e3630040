import { describe, expect, it } from 'vitest';
import { modelName } from './model-name.ts';

describe('the name of a model', () => {
  it.each([
    ['anthropic/claude-sonnet-5', 'Sonnet 5'],
    ['anthropic/claude-opus-4-5-20251101', 'Opus 4.5'],
    ['anthropic/claude-3-5-haiku-latest', '3.5 Haiku'],
    ['openai/gpt-5.2', 'GPT-5.2'],
    ['openai/gpt-5-mini', 'GPT-5 mini'],
    ['google/gemini-3-pro', 'Gemini 3 Pro'],
    ['ollama/qwen3:8b', 'qwen3:8b'],
    ['scripted', 'scripted'],
  ])('is short and known for %s', (id, name) => expect(modelName(id)).toBe(name));
});
