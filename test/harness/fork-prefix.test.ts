import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import type { LanguageModelV3 } from '@ai-sdk/provider';
import { afterEach, describe, expect, it } from 'vitest';
import { loopAgent } from '../../src/agents/loop/loop-agent.ts';
import type { ScriptedTurn } from '../../src/agents/model/scripted/script.ts';
import { Harness } from '../../src/control/harness/index.ts';
import { type ScriptedServer, startScriptedServer } from '../../src/testing/scripted-server.ts';
import { byTask, collaborator, fork, memory } from './fork-scene.ts';
import { calls, echo, yolo } from './scene.ts';

const wires: [string, string, (url: string) => LanguageModelV3][] = [
  ['OpenAI Responses', 'input', url => createOpenAI({ baseURL: `${url}/v1`, apiKey: 'k' }).responses('gpt-5')],
  ['OpenAI Chat Completions', 'messages', url => createOpenAI({ baseURL: `${url}/v1`, apiKey: 'k' }).chat('gpt-4o')],
  ['Anthropic', 'messages', url => createAnthropic({ baseURL: `${url}/v1`, apiKey: 'k' })('claude-sonnet-4-5')],
];

let server: ScriptedServer | undefined;
afterEach(() => server?.close());

/** The text of a request up to the end of its last message, without what follows the list of messages. */
function textOf(body: unknown, list: string): { readonly head: string; readonly messages: string } {
  const { [list]: messages, ...head } = body as Record<string, unknown>;
  return { head: JSON.stringify(head), messages: JSON.stringify(messages).slice(0, -1) };
}

describe('the request of a fork', () => {
  it.each(wires)('begins byte for byte with the last one of its parent: %s', async (_, list, modelOf) => {
    const thinking: ScriptedTurn = {
      parts: [{ reasoning: 'Hm.' }, { text: 'Let me see.' }, calls('echo', { value: 'a' })],
    };
    const script = byTask([thinking, [{ text: 'I fork.' }, fork(), calls('echo', { value: 'b' }, 'beside')], 'Done.'], {
      'Try it.': [[calls('echo', { value: 'c' }, 'inner')], 'Tried.'],
    });
    server = await startScriptedServer({ script });
    const cached = { anthropic: { cacheControl: { type: 'ephemeral' } }, openai: { promptCacheKey: 'ours' } };
    const agent = loopAgent({
      id: 'main',
      model: modelOf(server.url),
      instructions: 'Be brief.',
      settings: { providerOptions: cached },
    });
    const harness = new Harness({
      id: 'prefix',
      modes: [{ id: 'main', agent }],
      tools: { echo },
      subagents: [collaborator],
      ...memory,
      ...yolo,
    });
    await harness.sendMessage({ content: 'Hello.' });
    await harness.sendMessage({ content: 'Again.' });
    await harness.destroy();
    const requests = server.requests.map(({ body, seen }) => ({ task: seen?.lastUserText, ...textOf(body, list) }));
    const firstFork = requests.findIndex(({ task }) => task === 'Try it.');
    const parent = requests[firstFork - 1];
    const forks = requests.slice(firstFork).filter(({ task }) => task === 'Try it.');
    expect(firstFork).toBeGreaterThan(1);
    expect(requests.filter(({ task }) => task === 'Try it.')).toHaveLength(4);
    expect(parent?.head).toMatch(/ephemeral|ours/);
    for (const { head } of requests) expect(head).toBe(parent?.head);
    const ownFork = forks.slice(0, 2);
    for (const { messages } of ownFork) expect(messages.slice(0, parent?.messages.length)).toBe(parent?.messages);
    expect(ownFork[1]?.messages.startsWith(ownFork[0]?.messages ?? '-')).toBe(true);
  });
});
