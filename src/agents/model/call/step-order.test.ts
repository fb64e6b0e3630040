import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import type { LanguageModelV3 } from '@ai-sdk/provider';
import { afterEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { AgentEvent } from '../../../events/vocabulary.ts';
import { checkOrder } from '../../../events/order.ts';
import { createConversation, reduceConversation } from '../../../graph/conversation/conversation.ts';
import { defaultActive } from '../../../graph/conversation/active.ts';
import { projectMessages } from '../../../projections/model-input/project-messages.ts';
import type { Message } from '../../../projections/message.ts';
import { type ScriptedServer, startScriptedServer } from '../../../testing/scripted-server.ts';
import { loopAgent } from '../../loop/loop-agent.ts';
import { defineTool } from '../../tool-definition/define-tool.ts';
import type { ModelScript } from '../scripted/script.ts';

const anthropic = (url: string) => createAnthropic({ baseURL: `${url}/v1`, apiKey: 'key' })('claude-sonnet-4-5');
const openai = (url: string) => createOpenAI({ baseURL: `${url}/v1`, apiKey: 'key' }).responses('gpt-5');

let server: ScriptedServer;
afterEach(() => server.close());

const echo = defineTool({
  name: 'echo',
  description: 'returns its text',
  input: z.object({ text: z.string() }),
  execute: ({ text }) => text,
});
const call = (id: string) => ({ toolCall: { id, name: 'echo', input: { text: id } } });

async function run(connect: (url: string) => LanguageModelV3, script: ModelScript, before: readonly Message[] = []) {
  server = await startScriptedServer({ script });
  const agent = loopAgent({
    model: connect(server.url),
    tools: [echo],
    permissions: { default: 'allow', rules: [] },
    retry: { delay: async () => {} },
  });
  const messages: Message[] = [...before, { role: 'user', content: 'Go.' }];
  const events: AgentEvent[] = [];
  for await (const event of agent.invoke({
    run: { runId: 'run', signal: new AbortController().signal },
    conversation: { messages },
  }))
    events.push(event);
  expect(checkOrder(events)).toEqual([]);
  return events;
}

/** The events with content, by type and id or text. */
function outline(events: readonly AgentEvent[]): string[] {
  return events.flatMap(event => {
    if (event.type === 'text' || event.type === 'reasoning') return event.content === '' ? [] : [event.content];
    return event.type === 'tool_call' || event.type === 'tool_result' ? [`${event.type} ${event.id}`] : [];
  });
}

function messagesOf(events: readonly AgentEvent[]): Message[] {
  const conversation = events.reduce(reduceConversation, createConversation());
  return projectMessages(conversation, defaultActive(conversation));
}

describe('the order inside a step', () => {
  const script: ModelScript = [
    [{ reasoning: 'Hm.' }, { text: 'First.' }, call('a'), { reasoning: 'So.' }, { text: 'Then.' }, call('b')],
    'Done.',
  ];

  it.each([
    ['Anthropic', anthropic],
    ['OpenAI Responses', openai],
  ])('is the order of the stream in the events of %s', async (_, connect) => {
    const events = await run(connect, script);
    const said = outline(events);
    expect(said.slice(0, 6)).toEqual(['Hm.', 'First.', 'tool_call run/a', 'So.', 'Then.', 'tool_call run/b']);
    expect(said.at(-1)).toBe('Done.');
  });

  it('goes back to Anthropic, signatures included', async () => {
    await run(anthropic, script);
    const thinking = { type: 'thinking', signature: 'c2NyaXB0ZWQ=' };
    expect(server.requests[1]?.body).toMatchObject({
      messages: [
        { role: 'user' },
        {
          role: 'assistant',
          content: [
            { ...thinking, thinking: 'Hm.' },
            { type: 'text', text: 'First.' },
            { type: 'tool_use', id: 'a' },
            { ...thinking, thinking: 'So.' },
            { type: 'text', text: 'Then.' },
            { type: 'tool_use', id: 'b' },
          ],
        },
        { role: 'user', content: [{ tool_use_id: 'a' }, { tool_use_id: 'b' }] },
      ],
    });
  });

  it('goes back to OpenAI, with the id of each text', async () => {
    await run(openai, script);
    const body = server.requests[1]?.body as { input: unknown[] } | undefined;
    expect(body?.input.slice(1)).toMatchObject([
      { type: 'reasoning', id: 'rs_1_0' },
      { role: 'assistant', id: 'msg_1_1', content: [{ text: 'First.' }] },
      { type: 'function_call', call_id: 'a' },
      { type: 'reasoning', id: 'rs_1_3' },
      { role: 'assistant', id: 'msg_1_4', content: [{ text: 'Then.' }] },
      { type: 'function_call', call_id: 'b' },
      { type: 'function_call_output', call_id: 'a' },
      { type: 'function_call_output', call_id: 'b' },
    ]);
  });

  it('drops the calls of a stream that was cut', async () => {
    const cut: ModelScript = [[{ text: 'One' }, call('a'), { text: 'Two' }, { cut: true }], [call('a')], 'Done.'];
    const events = await run(anthropic, cut);
    expect(outline(events).filter(line => line.startsWith('tool_result'))).toEqual(['tool_result run/a']);
    expect(messagesOf(events)).toMatchObject([
      { role: 'assistant', content: [{ type: 'tool_call', id: 'a' }] },
      { role: 'tool', content: [{ id: 'a', output: { context: 'a' } }] },
      { role: 'assistant', content: [{ text: 'Done.' }] },
    ]);
  });
});

describe('a tool that the provider executes', () => {
  const found = [
    { type: 'web_search_result', url: 'https://a.example', title: 'A', encrypted_content: 'xyz', page_age: null },
  ];
  const search = { toolCall: { id: 'srv_1', name: 'web_search', input: { query: 'zebra' }, result: found } };
  const script: ModelScript = [
    [{ text: 'Let me look.' }, search, { text: 'Found it.' }, call('a')],
    [{ text: 'It is A.' }],
  ];

  it('appears as a call with its result, in order, and is not executed by the run', async () => {
    const events = await run(anthropic, script);
    expect(outline(events)).toEqual([
      'Let',
      ' me',
      ' look.',
      'tool_call run/srv_1',
      'tool_result run/srv_1',
      'Found',
      ' it.',
      'tool_call run/a',
      'tool_result run/a',
      'It',
      ' is',
      ' A.',
    ]);
    expect(events.find(event => event.type === 'tool_call')).toMatchObject({
      executedBy: 'anthropic',
      input: { query: 'zebra' },
    });
    expect(events.some(event => event.type === 'tool_start' && event.id === 'run/srv_1')).toBe(false);
    expect(events.find(event => event.type === 'tool_result')).toMatchObject({
      output: { context: [{ url: 'https://a.example', encryptedContent: 'xyz' }] },
    });
  });

  it('goes back to its provider inside the same message', async () => {
    await run(anthropic, script);
    expect(server.requests[1]?.body).toMatchObject({
      messages: [
        { role: 'user' },
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'Let me look.' },
            { type: 'server_tool_use', id: 'srv_1', name: 'web_search', input: { query: 'zebra' } },
            { type: 'web_search_tool_result', tool_use_id: 'srv_1', content: [{ encrypted_content: 'xyz' }] },
            { type: 'text', text: 'Found it.' },
            { type: 'tool_use', id: 'a' },
          ],
        },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a' }] },
      ],
    });
  });

  it('ends the run when nothing is left to execute', async () => {
    const events = await run(anthropic, [[search, { text: 'It is A.' }]]);
    expect(events.at(-1)).toMatchObject({ reason: 'complete' });
    expect(server.requests).toHaveLength(1);
  });

  it('goes to another provider as text', async () => {
    const events = await run(anthropic, script);
    await server.close();
    await run(openai, ['Yes.'], [{ role: 'user', content: 'Go.' }, ...messagesOf(events)]);
    const sent = JSON.stringify(server.requests[0]?.body);
    expect(sent).toContain('[Called web_search with');
    expect(sent).toContain('https://a.example');
    expect(sent).not.toContain('srv_1');
  });
});
