import { afterEach, describe, expect, it } from 'vitest';
import { scriptByStep } from '../agents/model/scripted/script.ts';
import { type ScriptedServer, type ScriptedServerOptions, startScriptedServer } from './scripted-server.ts';

let server: ScriptedServer | undefined;

async function start(options: ScriptedServerOptions): Promise<ScriptedServer> {
  server = await startScriptedServer(options);
  return server;
}

afterEach(async () => {
  await server?.close();
});

const chat = { model: 'm', messages: [{ role: 'user', content: 'go' }] };

function post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return fetch(`${server?.url}${path}`, { method: 'POST', body: text, headers });
}

async function answer(response: Response): Promise<{ status: number; body: unknown }> {
  return { status: response.status, body: await response.json() };
}

describe('the request log', () => {
  it('holds every request as it arrived, and what became of it', async () => {
    const { requests } = await start({ script: ['Hi', { httpStatus: 503 }] });
    await (await post('/v1/chat/completions?beta=true', chat, { 'x-mine': '1' })).text();
    await (await post('/chat/completions', chat)).text();
    await fetch(`${server?.url}/nowhere`, { method: 'HEAD' });
    expect(requests).toMatchObject([
      {
        method: 'POST',
        path: '/v1/chat/completions',
        query: 'beta=true',
        headers: { 'x-mine': '1' },
        body: chat,
        status: 200,
      },
      { path: '/chat/completions', status: 503, seen: { index: 1, api: 'chat', model: 'm', lastUserText: 'go' } },
      { method: 'HEAD', path: '/nowhere', status: 404 },
    ]);
    expect(requests.map(request => request.outcome)).toEqual(['answered', 'answered', 'answered']);
    expect(requests[2]).not.toHaveProperty('seen');
  });

  it('reports when the client went away', async () => {
    let waits = 0;
    const delay = (_ms: number, signal?: AbortSignal) =>
      new Promise<void>(resolve => {
        signal?.addEventListener('abort', () => resolve());
        waits++;
      });
    const { requests, url } = await start({ script: [{ text: 'slow and slower', delayMs: 1 }], delay });
    const abort = new AbortController();
    const body = JSON.stringify({ ...chat, stream: true });
    const response = await fetch(`${url}/v1/chat/completions`, { method: 'POST', body, signal: abort.signal });
    await expect.poll(() => waits).toBe(1);
    abort.abort();
    await expect(response.text()).rejects.toThrow();
    await expect.poll(() => requests[0]?.outcome).toBe('cancelled');
    expect(waits).toBe(1);
  });
});

describe('bounds and refusals', () => {
  it('answers at most maxRequests, then says so and records it', async () => {
    const { requests } = await start({ script: () => 'ok', maxRequests: 2 });
    await post('/v1/chat/completions', chat);
    await post('/v1/messages', chat);
    const refused = await post('/v1/messages', chat);
    expect(refused.headers.get('x-should-retry')).toBe('false');
    expect(await answer(refused)).toEqual({
      status: 500,
      body: { type: 'error', error: { type: 'api_error', message: expect.stringContaining('at most 2 requests') } },
    });
    expect(requests.map(request => request.status)).toEqual([200, 200, 500]);
  });

  it('says when the script has run out, in a way clients do not repeat', async () => {
    await start({ script: [] });
    expect(await answer(await post('/v1/responses', { model: 'm', input: 'go' }))).toMatchObject({
      status: 400,
      body: { error: { message: expect.stringContaining('The script has 0 turns, and request 1 needs turn 1.') } },
    });
  });

  it('answers 500 with what a script function throws', async () => {
    await start({
      script: () => {
        throw new Error('the test is wrong');
      },
    });
    expect(await answer(await post('/v1/chat/completions', chat))).toMatchObject({
      status: 500,
      body: { error: { message: 'the test is wrong', type: 'server_error' } },
    });
  });

  it('answers 400 to a body that is not JSON or not a request, without using a turn', async () => {
    await start({ script: ['fine'] });
    expect(await answer(await post('/v1/chat/completions', '{"model"'))).toMatchObject({
      status: 400,
      body: { error: { message: 'The body is not JSON.', type: 'invalid_request_error' } },
    });
    expect(await answer(await post('/v1/messages', { model: 'm' }))).toMatchObject({
      status: 400,
      body: { type: 'error', error: { type: 'invalid_request_error', message: expect.stringContaining('messages') } },
    });
    expect((await post('/v1/chat/completions', chat)).status).toBe(200);
  });

  it('answers 404 to what it does not know', async () => {
    await start({ script: [] });
    expect(await answer(await fetch(`${server?.url}/v1/embeddings`))).toMatchObject({
      status: 404,
      body: { error: { message: 'There is nothing at GET /v1/embeddings.' } },
    });
    expect((await fetch(`${server?.url}/`, { method: 'HEAD' })).status).toBe(404);
  });

  it.each(['/v1/responses', '/v1/chat/completions', '/v1/messages', '/v1/models'])(
    'asks for the key at %s',
    async path => {
      await start({ script: [], apiKey: 'right' });
      const method = path === '/v1/models' ? 'GET' : 'POST';
      const wrong = await fetch(`${server?.url}${path}`, { method, headers: { authorization: 'Bearer wrong' } });
      expect(wrong.status).toBe(401);
    },
  );
});

describe('what else a client asks for', () => {
  it('lists the models', async () => {
    await start({ script: [], models: ['a', 'b'] });
    expect(await answer(await fetch(`${server?.url}/v1/models`))).toMatchObject({
      status: 200,
      body: { object: 'list', data: [{ id: 'a' }, { id: 'b' }], has_more: false, first_id: 'a', last_id: 'b' },
    });
  });

  it('counts tokens without using a turn', async () => {
    const { requests } = await start({ script: ['only'] });
    const counted = await answer(await post('/v1/messages/count_tokens?beta=true', chat));
    expect(counted).toEqual({ status: 200, body: { input_tokens: Math.ceil(JSON.stringify(chat).length / 4) } });
    expect((await post('/v1/messages?beta=true', chat)).status).toBe(200);
    expect(requests[1]?.seen?.index).toBe(0);
  });
});

describe('a script that keeps no count', () => {
  it('is continued by another server', async () => {
    const script = scriptByStep([{ toolCall: { name: 'read', input: {} } }, 'Done.']);
    const { url } = await start({ script });
    const first = await answer(await post('/v1/chat/completions', chat));
    expect(first.body).toMatchObject({ choices: [{ message: { tool_calls: [{ id: 'call_1' }] } }] });
    await server?.close();
    await expect(fetch(url)).rejects.toThrow();

    await start({ script });
    const { choices } = first.body as { choices: [{ message: unknown }] };
    const result = { role: 'tool', tool_call_id: 'call_1', content: 'text' };
    const messages = [...chat.messages, choices[0].message, result];
    const second = await answer(await post('/v1/chat/completions', { ...chat, messages }));
    expect(second.body).toMatchObject({ choices: [{ message: { content: 'Done.' }, finish_reason: 'stop' }] });
  });
});
