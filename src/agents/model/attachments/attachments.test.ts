import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModelV3 } from '@ai-sdk/provider';
import { afterEach, describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../../events/vocabulary.ts';
import type { ContentPart } from '../../../events/content.ts';
import type { Message } from '../../../projections/message.ts';
import { type ScriptedServer, startScriptedServer } from '../../../testing/scripted-server.ts';
import { loopAgent } from '../../loop/loop-agent.ts';
import type { ModelScript } from '../scripted/script.ts';

const openai = (url: string) => createOpenAI({ baseURL: `${url}/v1`, apiKey: 'key' }).responses('gpt-5');
const connections: readonly (readonly [string, (url: string) => LanguageModelV3])[] = [
  ['OpenAI Responses', openai],
  ['OpenAI Chat', url => createOpenAI({ baseURL: `${url}/v1`, apiKey: 'key' }).chat('gpt-4.1')],
  ['Anthropic', url => createAnthropic({ baseURL: `${url}/v1`, apiKey: 'key' })('claude-sonnet-4-5')],
  ['a compatible server', url => createOpenAICompatible({ name: 'local', baseURL: `${url}/v1` })('any')],
];
const png = 'iVBORw0KGgo=';
const base64 = (text: string) => Buffer.from(text).toString('base64');
const user = (...content: ContentPart[]): Message => ({ role: 'user', content });
const assistant = (text: string): Message => ({ role: 'assistant', content: [{ type: 'text', text }] });
const zip: ContentPart = { type: 'file', data: 'UEsDBA==', mediaType: 'application/zip', filename: 'all.zip' };

let server: ScriptedServer;
afterEach(() => server.close());

/** Sends conversations one after the other to the same agent; returns the events of each run. */
async function send(connect: (url: string) => LanguageModelV3, script: ModelScript, ...conversations: Message[][]) {
  server = await startScriptedServer({ script });
  const agent = loopAgent({ model: connect(server.url) });
  const runs: AgentEvent[][] = [];
  for (const messages of conversations) {
    const events: AgentEvent[] = [];
    for await (const event of agent.invoke({
      run: { runId: 'run', signal: new AbortController().signal },
      conversation: { messages },
    }))
      events.push(event);
    runs.push(events);
  }
  return runs;
}
const errors = (events: readonly AgentEvent[] = []) => events.filter(({ type }) => type === 'error');
const sent = (index: number) => JSON.stringify(server.requests[index]?.body);

describe('an attachment that is not sent', () => {
  it('names the model as the other events do', async () => {
    const [events = []] = await send(openai, ['Hello.'], [user({ type: 'text', text: 'Hi' }, zip)]);
    expect(events).toContainEqual(expect.objectContaining({ type: 'step_start', model: 'openai/gpt-5' }));
    expect(errors(events)).toMatchObject([{ message: expect.stringContaining('sent to "openai/gpt-5"') as string }]);
  });
});

describe.each(connections)('attachments on %s', (_, connect) => {
  it('sends an image of a data: URL as one of base64', async () => {
    const image: ContentPart = { type: 'image', data: `data:image/png;base64,${png}`, mediaType: 'image/png' };
    const [events] = await send(connect, ['A dot.'], [user({ type: 'text', text: 'What is it?' }, image)]);
    expect([errors(events), events?.at(-1)]).toMatchObject([[], { reason: 'complete' }]);
    expect(sent(0)).toContain(png);
    expect(sent(0)).not.toContain('"data:image/png;base64,data');
  });

  it('sends an image of an https: URL as it is', async () => {
    const image: ContentPart = { type: 'image', data: 'https://example.com/dot.png', mediaType: 'image/png' };
    const [events] = await send(connect, ['A dot.'], [user(image)]);
    expect(events?.at(-1)).toMatchObject({ reason: 'complete' });
    expect(sent(0)).toContain('"https://example.com/dot.png"');
  });

  it.each([
    ['base64', base64('# Zebra plan'), 'text/markdown'],
    ['a data: URL', 'data:text/plain;charset=utf-8,%23%20Zebra%20plan', 'text/plain;charset=utf-8'],
    ['no media type', base64('# Zebra plan'), 'application/octet-stream'],
    ['JSON', base64('{"is":"# Zebra plan"}'), 'application/json'],
  ])('sends a text file by name: %s', async (_kind, data, mediaType) => {
    const file: ContentPart = { type: 'file', data, mediaType, filename: 'plan.md' };
    const [events] = await send(connect, ['Read.'], [user({ type: 'text', text: 'Read it.' }, file)]);
    expect([errors(events), events?.at(-1)]).toMatchObject([[], { reason: 'complete' }]);
    expect(sent(0)).toContain('# Zebra plan');
    expect(sent(0)).toContain('plan.md');
  });

  it('reports a file that the model does not accept, and answers the rest and later messages', async () => {
    const first = [user({ type: 'text', text: 'Unpack it.' }, zip)];
    const later = [...first, assistant('I cannot.'), user({ type: 'text', text: 'Then not.' })];
    const [refused, next] = await send(connect, ['I cannot.', 'Fine.'], first, later);
    expect(errors(refused)).toMatchObject([
      { code: 'attachment_refused', message: expect.stringContaining('"all.zip" (application/zip)') as string },
    ]);
    expect(sent(0)).toContain('was left out');
    expect([errors(next), next?.at(-1)]).toMatchObject([[], { reason: 'complete' }]);
  });

  it('reports data that is neither base64 nor a URL', async () => {
    const broken: ContentPart = { type: 'file', data: '(no data)', mediaType: 'application/pdf', filename: 'a.pdf' };
    const [events] = await send(connect, ['Nothing.'], [user({ type: 'text', text: 'Read.' }, broken)]);
    expect(errors(events)).toMatchObject([{ message: expect.stringContaining('neither base64 nor') as string }]);
    expect(events?.at(-1)).toMatchObject({ reason: 'complete' });
  });

  it('continues without an attachment that the service refuses', async () => {
    const script: ModelScript = [
      { httpStatus: 400, message: 'Could not process image.' },
      'No image.',
      'No image now either.',
    ];
    const first = [user({ type: 'text', text: 'Look.' }, { type: 'image', data: png, mediaType: 'image/png' })];
    const later = [...first, assistant('No image.'), user({ type: 'text', text: 'And now?' })];
    const [refused, next] = await send(connect, script, first, later);
    expect(errors(refused)).toMatchObject([
      { code: 'attachment_refused', message: expect.stringContaining('Could not process image') as string },
    ]);
    expect([sent(0).includes(png), sent(1).includes(png)]).toEqual([true, false]);
    expect([errors(next), next?.at(-1)]).toMatchObject([[], { reason: 'complete' }]);
    expect(server.requests).toHaveLength(3);
  });

  it('keeps the attachments when the service refuses the request without them, too', async () => {
    const failure = { httpStatus: 400, message: 'Unknown parameter.' };
    const first = [user({ type: 'text', text: 'Look.' }, { type: 'image', data: png, mediaType: 'image/png' })];
    const [failed, next] = await send(connect, [failure, failure, 'A dot.'], first, first);
    expect(errors(failed)).toMatchObject([{ code: 'model_request', fatal: true }]);
    expect(sent(2)).toContain(png);
    expect(next?.at(-1)).toMatchObject({ reason: 'complete' });
  });
});

it('reports a file of a private address, which the model cannot read itself', async () => {
  const file: ContentPart = { type: 'file', data: 'http://127.0.0.1:9/a.txt', mediaType: 'text/plain' };
  const [events] = await send(openai, ['Nothing.'], [user(file)]);
  expect(errors(events)).toMatchObject([{ message: expect.stringContaining('only the public internet') as string }]);
  expect(events?.at(-1)).toMatchObject({ reason: 'complete' });
});
