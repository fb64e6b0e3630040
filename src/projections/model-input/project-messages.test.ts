import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModelV3 } from '@ai-sdk/provider';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { conversationLog } from '../../../test/support/random-conversations.ts';
import { toPrompt } from '../../agents/model/call/prompt.ts';
import type { AgentEvent } from '../../events/vocabulary.ts';
import { activeUpTo, defaultActive } from '../../graph/conversation/active.ts';
import { createConversation, reduceConversation } from '../../graph/conversation/conversation.ts';
import { type ScriptedServer, startScriptedServer } from '../../testing/scripted-server.ts';
import type { MessagesOptions } from './model-input.ts';
import { projectMessages } from './project-messages.ts';

const reduce = (events: readonly AgentEvent[]) => events.reduce(reduceConversation, createConversation());
const messagesOf = (events: readonly AgentEvent[], options: MessagesOptions = {}) => {
  const conversation = reduce(events);
  return projectMessages(conversation, defaultActive(conversation), options);
};
const user = (runId: string, content: string, rest: object = {}): AgentEvent => ({
  type: 'user',
  runId,
  content,
  ...rest,
});
const start = (runId: string, parentId: string): AgentEvent => ({
  type: 'harness_start',
  runId,
  parentId,
  agentId: 'coder',
});
const text = (runId: string, content: string): AgentEvent => ({ type: 'text', runId, id: `${runId}/t`, content });
const call = (runId: string, raw: string): AgentEvent => ({
  type: 'tool_call',
  runId,
  id: `${runId}/${raw}`,
  name: 'shell',
  input: {},
});
const result = (runId: string, raw: string, output: object = { context: 'ok' }): AgentEvent => ({
  type: 'tool_result',
  runId,
  id: `${runId}/${raw}`,
  name: 'shell',
  output,
});
const begin = [user('u', 'Go.'), start('r', 'u:user')];
const said = (message: string) => ({ role: 'assistant', content: [{ type: 'text', text: message }] });

describe('what a model is sent', () => {
  it('pairs the calls with their results, also when the run ids differ', () => {
    const events = [
      ...begin,
      text('model', 'Looking.'),
      call('r', 'a'),
      call('r', 'b'),
      result('r', 'b'),
      result('r', 'a'),
    ];
    expect(messagesOf(events)).toMatchObject([
      { role: 'user', content: 'Go.' },
      { role: 'assistant', content: [{ text: 'Looking.' }, { id: 'a' }, { id: 'b' }] },
      { role: 'tool', content: [{ id: 'a' }, { id: 'b' }] },
    ]);
  });

  it('says of a call without a result that its outcome is unknown, and of a denied one why', () => {
    const events = [
      ...begin,
      call('r', 'a'),
      { type: 'tool_start', runId: 'r', id: 'r/a', name: 'shell' } as const,
      call('r', 'b'),
      result('r', 'b', { status: 'denied', reason: 'no' }),
    ];
    expect(messagesOf(events).at(-1)?.content).toMatchObject([
      { id: 'a', output: { error: expect.stringContaining('outcome of this call is unknown') as string } },
      { id: 'b', output: { status: 'denied', reason: 'no' } },
    ]);
  });

  it('is of one branch only', () => {
    const edited = [...begin, text('r', 'One'), user('u2', 'Else.', { parentMessageId: '' })];
    expect(messagesOf(edited)).toEqual([{ role: 'user', content: 'Else.' }]);
    const select: AgentEvent = { type: 'branch_selected', runId: 'x', nodeId: 'u:user' };
    expect(messagesOf([...edited, select]).slice(0, 2)).toEqual([{ role: 'user', content: 'Go.' }, said('One')]);
    const retried = reduce([...begin, text('r', 'One'), start('r2', 'u:user'), text('r2', 'Two')]);
    expect(projectMessages(retried, defaultActive(retried))[1]).toEqual(said('Two'));
    expect(projectMessages(retried, activeUpTo(retried, 'u:user'))).toEqual([{ role: 'user', content: 'Go.' }]);
  });

  it('has a summary in the place of what it covers', () => {
    const summary = (id: string, from: string, to: string, kind = 'compaction'): AgentEvent =>
      ({ type: 'summary', runId: 'x', id, covers: { from, to }, text: `Short ${id}`, kind }) as AgentEvent;
    const talk = [
      ...begin,
      text('r', 'Long'),
      user('u2', 'More.'),
      start('r2', 'u2:user'),
      text('r2', 'Longer'),
      user('u3', 'And?'),
    ];
    const texts = (events: readonly AgentEvent[], options?: MessagesOptions) =>
      JSON.stringify(messagesOf(events, options));
    const first = [...talk, summary('s1', 'u:user', 'r')];
    expect(texts(first)).toMatch(/Short s1.*More.*Longer.*And/);
    expect(texts(first)).not.toMatch(/Go\.|Long"/);
    const second = [...first, summary('s2', 's1', 'r2', 'observation')];
    expect(texts(second)).toMatch(/Short s2.*And/);
    expect(texts(second)).not.toMatch(/s1|More|Long/);
    expect(texts(second, { memory: ['compaction'] })).toBe(texts(first));
    expect(texts(second, { memory: [] })).toBe(texts(talk));
  });

  it('covers whole steps, so that no call loses its result', () => {
    const covers = { from: 'u:user', to: 'r/a' };
    const events: AgentEvent[] = [
      ...begin,
      call('r', 'a'),
      result('r', 'a'),
      call('r', 'b'),
      { type: 'summary', runId: 'r', id: 's', covers, text: 'Short', kind: 'compaction' },
      result('r', 'b'),
    ];
    expect(messagesOf(events)).toMatchObject([
      { role: 'user' },
      { content: [{ id: 'b' }] },
      { content: [{ id: 'b' }] },
    ]);
  });

  it('begins and ends with whoever spoke first and last, and adds no words of its own', () => {
    expect(messagesOf([text('r', 'Unasked')])).toEqual([said('Unasked')]);
    expect(messagesOf([...begin, text('r', 'Half')])).toEqual([{ role: 'user', content: 'Go.' }, said('Half')]);
    expect(messagesOf([user('u', ' ')])).toEqual([{ role: 'user', content: '(no text)' }]);
    expect(messagesOf([])).toEqual([]);
  });
});

describe('the provider packages', () => {
  let server: ScriptedServer;
  beforeAll(async () => {
    server = await startScriptedServer({ script: () => 'Fine.' });
  });
  afterAll(() => server.close());

  const providers: Record<string, (url: string) => LanguageModelV3> = {
    'openai responses': url => createOpenAI({ baseURL: `${url}/v1`, apiKey: 'k' }).responses('gpt-5'),
    'openai chat': url => createOpenAI({ baseURL: `${url}/v1`, apiKey: 'k' }).chat('gpt-4o'),
    'openai-compatible': url =>
      createOpenAICompatible({ name: 'local', baseURL: `${url}/v1`, apiKey: 'k' })('some-model'),
    anthropic: url => createAnthropic({ baseURL: `${url}/v1`, apiKey: 'k' })('claude-sonnet-4-5'),
  };

  it.each(Object.keys(providers))('%s takes any projected conversation', async name => {
    const model = (providers[name] as (url: string) => LanguageModelV3)(server.url);
    await fc.assert(
      fc.asyncProperty(conversationLog(), async events => {
        const messages = messagesOf(events);
        if (messages.length === 0) return;
        const { content } = await model.doGenerate({ prompt: toPrompt(messages) });
        expect(content).toMatchObject([{ type: 'text', text: 'Fine.' }]);
        const sent = JSON.stringify(server.requests.at(-1)?.seen?.messages);
        for (const message of messages)
          if (message.role === 'tool') for (const { id } of message.content) expect(sent).toContain(`"${id}"`);
      }),
      { numRuns: 25 },
    );
  });
});
