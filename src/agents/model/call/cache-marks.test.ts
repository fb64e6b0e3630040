import { readFileSync } from 'node:fs';
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import type { LanguageModelV3Prompt } from '@ai-sdk/provider';
import { afterEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { AgentEvent } from '../../../events/vocabulary.ts';
import { type ScriptedServer, startScriptedServer } from '../../../testing/scripted-server.ts';
import { loopAgent } from '../../loop/loop-agent.ts';
import { defineTool } from '../../tool-definition/define-tool.ts';
import { getCost } from '../prices/prices.ts';
import { modelAgent } from './model-agent.ts';
import { withCacheMarks } from './cache-marks.ts';

let server: ScriptedServer | undefined;
afterEach(() => server?.close());

const permissions = { default: 'allow' as const, rules: [] };
const look = defineTool({ name: 'look', description: 'Looks.', input: z.object({}), execute: () => 'Seen.' });
const find = { ...look, name: 'find' };
const call = { toolCall: { name: 'look', input: {} } };

/** The text before each mark in a request to Anthropic, in the order in which it is cached. */
function marksIn(body: unknown): string[] {
  const { tools = [], system = [], messages } = body as { tools?: object[]; system?: object[]; messages: object[] };
  const parts = [...tools, ...system, ...messages.flatMap(message => (message as { content: object[] }).content)];
  return parts.flatMap(part => {
    const { cache_control: mark, name, text, content } = part as Record<string, unknown>;
    return mark === undefined ? [] : [`${JSON.stringify(mark)} ${String(name ?? text ?? content)}`];
  });
}

async function collect(events: AsyncIterable<AgentEvent>): Promise<AgentEvent[]> {
  const all: AgentEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

describe('a request to Anthropic', () => {
  it('is marked after tools, instructions, the request before and its end, in every step', async () => {
    server = await startScriptedServer({ script: [[call], [call], 'Done.'] });
    const model = createAnthropic({ baseURL: `${server.url}/v1`, apiKey: 'k' })('claude-sonnet-4-5');
    const agent = loopAgent({ model, tools: [find, look], instructions: 'Be brief.', permissions });
    const events = await collect(agent.invoke({ conversation: { messages: [{ role: 'user', content: 'Go.' }] } }));
    const mark = '{"type":"ephemeral"}';
    const shared = [`${mark} look`, `${mark} Be brief.`];
    expect(server.requests.map(({ body }) => marksIn(body))).toEqual([
      [...shared, `${mark} Go.`],
      [...shared, `${mark} Go.`, `${mark} Seen.`],
      [...shared, `${mark} Seen.`, `${mark} Seen.`],
    ]);
    expect(events.filter(({ type }) => type === 'usage')).toHaveLength(3);
  });

  it('is not marked at the end of a single question', async () => {
    server = await startScriptedServer({ script: ['Yes.'] });
    const model = createAnthropic({ baseURL: `${server.url}/v1`, apiKey: 'k' })('claude-sonnet-4-5');
    await collect(
      modelAgent(model).invoke({ conversation: { messages: [{ role: 'user', content: 'A long text.' }] } }),
    );
    expect(marksIn(server.requests[0]?.body)).toEqual([]);
  });

  it('has the hash that it has for another provider', async () => {
    server = await startScriptedServer({ script: () => 'Done.' });
    const settings = { baseURL: `${server.url}/v1`, apiKey: 'k' };
    const hash = async (model: Parameters<typeof modelAgent>[0]) => {
      const events = await collect(
        modelAgent(model, { tools: [look] }).invoke({ conversation: { messages: [{ role: 'user', content: 'Go.' }] } }),
      );
      return events.find(event => event.type === 'step_start')?.requestHash;
    };
    const marked = await hash(createAnthropic(settings)('claude-sonnet-4-5'));
    expect(marked).toBe(await hash(createOpenAI(settings).chat('gpt-4o')));
  });
});

describe('the marks of a request', () => {
  const prompt: LanguageModelV3Prompt = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: [{ type: 'text', text: 'a' }] },
    { role: 'assistant', content: [{ type: 'text', text: 'b' }] },
    { role: 'user', content: [{ type: 'text', text: 'c' }] },
  ];
  const markedRoles = (model: { provider: string; modelId: string }) =>
    withCacheMarks({ prompt }, model).prompt.map(({ providerOptions }) => providerOptions);

  it('are those of the provider', () => {
    const bedrock = { bedrock: { cachePoint: { type: 'default' } } };
    const openrouter = { openrouter: { cacheControl: { type: 'ephemeral' } } };
    const anthropic = { anthropic: { cacheControl: { type: 'ephemeral' } } };
    const at = (mark: object) => [mark, mark, undefined, mark];
    expect(markedRoles({ provider: 'amazon-bedrock', modelId: 'eu.anthropic.claude-sonnet-4' })).toEqual(at(bedrock));
    expect(markedRoles({ provider: 'openrouter.chat', modelId: 'anthropic/claude-sonnet-4' })).toEqual(at(openrouter));
    expect(markedRoles({ provider: 'vertex.anthropic.messages', modelId: 'claude' })).toEqual(at(anthropic));
    for (const model of ['openai.chat', 'google.generative-ai', 'amazon-bedrock'])
      expect(withCacheMarks({ prompt }, { provider: model, modelId: 'x' }).prompt).toBe(prompt);
  });

  it('are left to a caller who sets some', () => {
    const own = { prompt, providerOptions: { anthropic: { cacheControl: { type: 'ephemeral', ttl: '1h' } } } };
    expect(withCacheMarks(own, { provider: 'anthropic.messages', modelId: 'claude' })).toBe(own);
  });
});

describe('a run of 50 steps', () => {
  it('costs what the guide of models states', () => {
    const model = { provider: 'anthropic', model: 'claude-sonnet-4-5' };
    const sum = (cached: boolean) => {
      let total = 0;
      for (let step = 0; step < 50; step++) {
        const inputTokens = 8_000 + 1_000 * step;
        const cacheReadTokens = step === 0 ? 0 : inputTokens - 1_000;
        const counts = cached && { cacheReadTokens, cacheWriteTokens: inputTokens - cacheReadTokens };
        total += getCost(model, { inputTokens, outputTokens: 300, ...counts }) ?? 0;
      }
      return `$${total.toFixed(2)}`;
    };
    const guide = readFileSync(new URL('../../../../docs/guides/models.md', import.meta.url), 'utf8');
    expect(guide).toContain(`| without marks | ${sum(false)} |`);
    expect(guide).toContain(`| with marks | ${sum(true)} |`);
  });
});
