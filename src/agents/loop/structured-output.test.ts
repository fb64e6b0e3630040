import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { jsonSchema } from 'ai';
import { afterEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { AgentEvent } from '../../events/vocabulary.ts';
import { type ScriptedServer, startScriptedServer } from '../../testing/scripted-server.ts';
import type { AiSdkModel } from '../contract/model.ts';
import type { ModelScript } from '../model/scripted/script.ts';
import { loopAgent } from './loop-agent.ts';

const city = z.object({ name: z.string(), people: z.number() });
const oslo = { name: 'Oslo', people: 700_000 };

let server: ScriptedServer;
afterEach(() => server.close());

const openai = (url: string) => createOpenAI({ baseURL: `${url}/v1`, apiKey: 'key' }).responses('gpt-5');
const compatible = (url: string) => createOpenAICompatible({ name: 'local', baseURL: `${url}/v1` })('any');
const claude = (url: string) => createAnthropic({ baseURL: `${url}/v1`, apiKey: 'key' })('claude-opus-4-6');

async function run(script: ModelScript, connect: (url: string) => AiSdkModel = openai, output: object = city) {
  server = await startScriptedServer({ script });
  const agent = loopAgent({ model: connect(server.url), instructions: 'Be brief.', output });
  const events: AgentEvent[] = [];
  const messages = [{ role: 'user' as const, content: 'A city.' }];
  for await (const event of agent.invoke({
    run: { runId: 'run', signal: new AbortController().signal },
    conversation: { messages },
  }))
    events.push(event);
  return events;
}

describe('structured output', () => {
  it.each([
    ['OpenAI', openai],
    ['Anthropic', claude],
    ['a compatible server', compatible],
  ])('is the output of the run on %s', async (_, connect) => {
    const events = await run([JSON.stringify(oslo)], connect);
    expect(events.at(-1)).toMatchObject({ type: 'harness_end', reason: 'complete', output: oslo });
    expect(JSON.stringify(server.requests[0]?.body)).toContain('matches this JSON Schema');
  });

  it('is requested in the form of the provider', async () => {
    await run([JSON.stringify(oslo)]);
    expect(server.requests[0]?.body).toMatchObject({
      text: { format: { type: 'json_schema', schema: { properties: { name: { type: 'string' } } } } },
    });
  });

  it('is read from a fence, by a schema of the AI SDK', async () => {
    const schema = jsonSchema({ type: 'object', properties: { name: { type: 'string' } }, required: ['name'] });
    const events = await run(['```json\n{"name":"Oslo"}\n```'], compatible, schema);
    expect(events.at(-1)).toMatchObject({ output: { name: 'Oslo' } });
  });

  it('is asked for again when it does not match', async () => {
    const events = await run(['Oslo!', '{"name":"Oslo"}', JSON.stringify(oslo)]);
    expect(events.at(-1)).toMatchObject({ reason: 'complete', output: oslo });
    const asked = events.flatMap(event => (event.type === 'user' ? [event] : []));
    expect(asked).toMatchObject([
      { by: 'output schema', automatic: true, content: expect.stringContaining('not JSON') as string },
      { by: 'output schema', content: expect.stringContaining('people') as string },
    ]);
    expect(JSON.stringify(server.requests[2]?.body)).toContain('people: ');
  });

  it('fails the run after two corrections', async () => {
    const events = await run(['a', 'b', 'c']);
    expect(events.slice(-2)).toMatchObject([
      { type: 'error', code: 'invalid_output', fatal: true },
      { type: 'harness_end', reason: 'error' },
    ]);
    expect(server.requests).toHaveLength(3);
  });
});
