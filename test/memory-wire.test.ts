import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { afterEach, describe, expect, it } from 'vitest';
import { type ScriptedServer, startScriptedServer } from '../src/testing/scripted-server.ts';
import { eventsOf, memoryScene, newMemoryThread, observersEnded, say } from './support/memory-scene.ts';

const apis = {
  'OpenAI Responses': (url: string) => createOpenAI({ baseURL: `${url}/v1`, apiKey: 'k' }).responses('gpt-5'),
  'OpenAI Chat Completions': (url: string) => createOpenAI({ baseURL: `${url}/v1`, apiKey: 'k' }).chat('gpt-4o'),
  'Anthropic Messages': (url: string) => createAnthropic({ baseURL: `${url}/v1`, apiKey: 'k' })('claude-sonnet-4-5'),
};

let server: ScriptedServer | undefined;
afterEach(() => server?.close());

/** A request up to the end of its observations; empty when it has none. */
function upToObservations(body: string): string {
  const lines = [...body.matchAll(/User spoke of (?:topic-\d+ ?)*/g)];
  const last = lines.at(-1);
  return last === undefined ? '' : body.slice(0, last.index + last[0].length);
}

describe('a request with observations', () => {
  it.each(Object.entries(apis))('begins with the bytes of the one before: %s', async (_, modelAt) => {
    server = await startScriptedServer({
      script: ({ lastUserText }) => `More about ${lastUserText.slice(-20)}. ${'word '.repeat(60)}`,
    });
    const thread = await newMemoryThread();
    const { agent } = memoryScene({ agent: { model: modelAt(server.url) } });
    for (let turn = 1; turn <= 16; turn++) {
      expect(await say(thread, agent, `Tell me of topic-${turn}.`)).toBe('complete');
      await observersEnded(thread);
    }
    const bodies = server.requests.map(({ body }) => (typeof body === 'string' ? body : JSON.stringify(body)));
    expect(bodies).toHaveLength(16);
    let grown = 0;
    for (const [index, body] of bodies.entries()) {
      const before = upToObservations(bodies[index - 1] ?? '');
      expect(body.startsWith(before)).toBe(true);
      if (upToObservations(body).length > before.length) grown++;
    }
    expect(grown).toBeGreaterThan(1);
    const events = await thread.log.read(thread.threadId);
    const active = eventsOf(events, 'summary').filter(({ activates }) => activates !== undefined);
    expect(grown).toBe(active.length);
    await thread.supervisor.close();
  });
});
