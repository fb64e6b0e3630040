import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import type { LanguageModelV3 } from '@ai-sdk/provider';
import { afterEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { defineTool } from '../../src/agents/tool-definition/define-tool.ts';
import { loopAgent } from '../../src/agents/loop/loop-agent.ts';
import { scriptByStep, type ScriptedTurn } from '../../src/agents/model/scripted/script.ts';
import { Harness } from '../../src/control/index.ts';
import { type ScriptedServer, startScriptedServer } from '../../src/testing/scripted-server.ts';
import { byTask, collaborator, fork, memory } from './fork-scene.ts';
import { memoryScene, newMemoryThread, observersEnded, say } from '../support/memory-scene.ts';
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

/** The parts of a request to Anthropic in the order in which they are cached, and which of them are marked. */
function cachedParts(body: unknown): { readonly texts: readonly string[]; readonly marks: readonly number[] } {
  const { tools, system, messages } = body as Record<'tools' | 'system' | 'messages', object[]>;
  const contents = messages.flatMap(message => {
    const { role, content } = message as { role: string; content: object[] };
    return content.map(part => ({ role, ...part }));
  });
  const parts: readonly { readonly cache_control?: object }[] = [...tools, ...system, ...contents];
  return {
    texts: parts.map(part => JSON.stringify({ ...part, cache_control: undefined })),
    marks: parts.flatMap((part, index) => (part.cache_control === undefined ? [] : [index])),
  };
}

const look = defineTool({ name: 'look', description: 'looks', input: z.object({}), execute: () => 'Seen.' });

describe('the cache marks of requests to Anthropic', () => {
  const anthropic = ({ url }: ScriptedServer) =>
    createAnthropic({ baseURL: `${url}/v1`, apiKey: 'k' })('claude-sonnet-4-5');

  it('let a fork begin with a prefix that its parent has marked', async () => {
    const turns = [[calls('echo', { value: 'a' })], [{ text: 'I fork.' }, fork()], 'Done.'];
    const script = byTask(turns, { 'Try it.': [[calls('echo', { value: 'c' }, 'inner')], 'Tried.'] });
    server = await startScriptedServer({ script });
    const agent = loopAgent({ id: 'main', model: anthropic(server), instructions: 'Be brief.' });
    const modes = [{ id: 'main', agent }];
    const harness = new Harness({ id: 'marks', modes, tools: { echo }, subagents: [collaborator], ...memory, ...yolo });
    await harness.sendMessage({ content: 'Hello.' });
    await harness.destroy();
    const requests = server.requests.map(({ body, seen }) => ({ task: seen?.lastUserText, ...cachedParts(body) }));
    const forked = requests.findIndex(({ task }) => task === 'Try it.');
    const parent = requests[forked - 1];
    expect(forked).toBeGreaterThan(1);
    const end = parent?.marks.at(-1) ?? -1;
    expect(end).toBe((parent?.texts.length ?? 0) - 1);
    expect(requests[forked]?.texts.slice(0, end + 1)).toEqual(parent?.texts);
    expect(requests[forked]?.marks, 'the end of its parent is marked again').toContain(end);
  });

  it('are at most four, and reach the request before, also while observations replace messages', async () => {
    const answer = scriptByStep([[calls('look', {})], `More. ${'word '.repeat(60)}`]);
    server = await startScriptedServer({ script: answer });
    const { agent } = memoryScene({ agent: { model: anthropic(server), tools: [look] } });
    const thread = await newMemoryThread();
    for (let turn = 1; turn <= 10; turn++) {
      await say(thread, agent, `Tell me of topic-${turn}. ${'lorem '.repeat(40)}`);
      await observersEnded(thread);
    }
    const requests = server.requests.map(({ body }) => cachedParts(body));
    expect(requests.length).toBeGreaterThan(10);
    let replaced = 0;
    for (const [index, { texts, marks }] of requests.entries()) {
      expect(marks.length).toBeLessThanOrEqual(4);
      expect(marks.at(-1)).toBe(texts.length - 1);
      const before = requests[index - 1]?.texts ?? [];
      if (!before.every((text, at) => text === texts[at])) replaced++;
      else if (index > 0) expect(marks).toContain(before.length - 1);
    }
    expect(replaced, 'requests whose beginning was condensed').toBeGreaterThan(0);
  });
});
