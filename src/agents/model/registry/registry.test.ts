import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { LanguageModelV3 } from '@ai-sdk/provider';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { SingletreeError } from '../../../base/singletree-error.ts';
import { packageProviders } from './package-providers.ts';
import { createModelRegistry } from './registry.ts';

interface Arrived {
  path: string | undefined;
  headers: IncomingHttpHeaders;
  model: unknown;
}

let server: Server;
let origin: string;
let arrived: Arrived[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { model } = JSON.parse(Buffer.concat(chunks).toString()) as { model: unknown };
      arrived.push({ path: request.url, headers: request.headers, model });
      response.writeHead(418, { 'content-type': 'application/json' }).end('{"error":{"message":"tea"}}');
    });
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());
beforeEach(() => void (arrived = []));

/** The one request that a model sends to the server. */
async function requestOf(model: LanguageModelV3): Promise<Arrived | undefined> {
  const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'hello' }] }];
  await expect(model.doGenerate({ prompt })).rejects.toMatchObject({ statusCode: 418 });
  expect(arrived).toHaveLength(1);
  return arrived[0];
}

const errorOf = async (promise: Promise<unknown>): Promise<SingletreeError> => {
  const error: unknown = await promise.then(
    () => undefined,
    (cause: unknown) => cause,
  );
  if (!SingletreeError.is(error)) throw new Error('expected an error of ours', { cause: error });
  return error;
};

describe('resolving a model', () => {
  it.each(['', '/', '/v1', '/v1/'])('of Anthropic sends its key to ANTHROPIC_BASE_URL%s', async path => {
    const env = { ANTHROPIC_API_KEY: 'key-a', ANTHROPIC_BASE_URL: `${origin}${path}` };
    const request = await requestOf(await createModelRegistry({ env }).resolve('anthropic/claude-sonnet-4-5'));
    expect(request).toMatchObject({ path: '/v1/messages', model: 'claude-sonnet-4-5' });
    expect(request?.headers['x-api-key']).toBe('key-a');
  });

  it('of OpenAI sends its key to OPENAI_BASE_URL', async () => {
    const env = { OPENAI_API_KEY: 'key-o', OPENAI_BASE_URL: `${origin}/v1` };
    const request = await requestOf(await createModelRegistry({ env }).resolve('openai/gpt-5'));
    expect(request).toMatchObject({ path: '/v1/responses', model: 'gpt-5' });
    expect(request?.headers.authorization).toBe('Bearer key-o');
  });

  it('of a compatible server reads its base URL and key from the environment', async () => {
    const env = { OPENAI_COMPATIBLE_API_KEY: 'key-c', OPENAI_COMPATIBLE_BASE_URL: `${origin}/api` };
    const request = await requestOf(await createModelRegistry({ env }).resolve('openai-compatible/org/model'));
    expect(request).toMatchObject({ path: '/api/chat/completions', model: 'org/model' });
    expect(request?.headers.authorization).toBe('Bearer key-c');
  });

  it('of a registered server sends its own key', async () => {
    const registry = createModelRegistry({ env: { MINE_KEY: 'key-m' } });
    registry.register({ id: 'mine', baseURL: `${origin}/mine`, envVar: 'MINE_KEY' });
    const request = await requestOf(await registry.resolve('mine/m'));
    expect(request).toMatchObject({ path: '/mine/chat/completions', model: 'm' });
    expect(request?.headers.authorization).toBe('Bearer key-m');
  });

  it('of a registered server that needs no key sends none', async () => {
    const providers = [{ id: 'local', baseURL: origin }];
    const request = await requestOf(await createModelRegistry({ env: {}, providers }).resolve('local/m'));
    expect(request?.headers.authorization).toBeUndefined();
  });

  it('reads nothing from the process when an environment is passed', async () => {
    vi.stubEnv('ANTHROPIC_BASE_URL', origin).stubEnv('OPENAI_BASE_URL', origin).stubEnv('OPENAI_API_KEY', 'process');
    const registry = createModelRegistry({ env: { ANTHROPIC_API_KEY: 'k' } });
    const model = await registry.resolve('anthropic/m');
    expect(JSON.stringify(model)).toContain('https://api.anthropic.com/v1');
    expect(registry.isConfigured('openai/m')).toBe(false);
    vi.unstubAllEnvs();
    expect(
      createModelRegistry()
        .providers()
        .map(({ id }) => id),
    ).toContain('openai-compatible');
  });

  it('asks a registered provider for its models, and loads it once for the same settings', async () => {
    const load = vi.fn(() => (model: string) => ({ specificationVersion: 'v3', modelId: model }) as LanguageModelV3);
    const env: Record<string, string> = { X_KEY: '1' };
    const registry = createModelRegistry({ env, providers: [{ id: 'x', envVar: 'X_KEY', load }] });
    expect((await registry.resolve('x/a')).modelId).toBe('a');
    expect((await registry.resolve('x/b')).modelId).toBe('b');
    expect(load).toHaveBeenCalledTimes(1);
    expect(load).toHaveBeenCalledWith({ apiKey: '1' });
    env['X_KEY'] = '2';
    await registry.resolve('x/a');
    expect(load).toHaveBeenLastCalledWith({ apiKey: '2' });
  });

  it('tries again after a provider failed to load', async () => {
    const load = vi.fn(
      async () => (model: string) => ({ specificationVersion: 'v3', modelId: model }) as LanguageModelV3,
    );
    load.mockRejectedValueOnce(new Error('not installed'));
    const registry = createModelRegistry({ env: {}, providers: [{ id: 'x', load }] });
    await expect(registry.resolve('x/a')).rejects.toThrow('not installed');
    expect((await registry.resolve('x/a')).modelId).toBe('a');
  });
});

describe('resolving fails for', () => {
  const env = { ANTHROPIC_API_KEY: 'secret-value', OPENAI_COMPATIBLE_API_KEY: 'secret-value', OPENAI_API_KEY: ' ' };
  it.each([
    ['nobody/m', 'unknown_provider', 'Known providers: anthropic, openai, openai-compatible, google, mistral,'],
    ['openai/gpt-5', 'missing_api_key', 'Set the environment variable OPENAI_API_KEY.'],
    ['openai-compatible/m', 'missing_base_url', 'Set the environment variable OPENAI_COMPATIBLE_BASE_URL.'],
    ['gpt-5', 'invalid_argument', 'Use "openai/gpt-5"'],
    ['no-such-model', 'invalid_argument', 'Expected "provider/model"'],
    ['openai/', 'invalid_argument', 'Expected "provider/model"'],
    ['/gpt-5', 'invalid_argument', 'Expected "provider/model"'],
    ['constructor/x', 'unknown_provider', 'Unknown provider "constructor"'],
  ])('%s: %s', async (modelId, code, message) => {
    const error = await errorOf(createModelRegistry({ env }).resolve(modelId));
    expect(error.code).toBe(code);
    expect(error.message).toContain(message);
    expect(`${error.stack}${JSON.stringify(error)}`).not.toContain('secret-value');
  });

  it('a provider whose id contains a slash', () => {
    expect(() => createModelRegistry().register({ id: 'a/b', baseURL: origin })).toThrow('cannot be the id');
  });
});

describe('a registry', () => {
  const env = { OPENAI_API_KEY: 'k', OPENAI_COMPATIBLE_API_KEY: 'k' };
  const providers = [
    { id: 'local', baseURL: 'http://127.0.0.1:1' },
    { id: 'router', name: 'Router', baseURL: 'http://127.0.0.1:1', envVar: 'ROUTER_KEY', pricesId: 'openai' },
  ];
  const registry = createModelRegistry({ env, providers, now: () => new Date('2026-06-01T00:00:00Z') });

  it('lists its providers, their variables and whether they are configured', () => {
    const packaged = packageProviders().map(({ id }) => id);
    expect(registry.providers().filter(({ id }) => !packaged.includes(id))).toEqual([
      { id: 'anthropic', name: 'Anthropic', envVar: 'ANTHROPIC_API_KEY', configured: false },
      { id: 'openai', name: 'OpenAI', envVar: 'OPENAI_API_KEY', configured: true },
      {
        id: 'openai-compatible',
        name: 'OpenAI-compatible server',
        envVar: 'OPENAI_COMPATIBLE_API_KEY',
        configured: false,
      },
      { id: 'local', name: 'local', configured: true },
      { id: 'router', name: 'Router', envVar: 'ROUTER_KEY', configured: false },
    ]);
  });

  it.each([
    ['openai/gpt-5', true, 'OPENAI_API_KEY'],
    ['anthropic/m', false, 'ANTHROPIC_API_KEY'],
    ['local/m', true, undefined],
  ])('is whether %s can be used and by which variable', (modelId, configured, envVar) => {
    expect(registry.isConfigured(modelId)).toBe(configured);
    expect(registry.getEnvVar(modelId)).toBe(envVar);
  });

  it('rejects an unknown provider', () => {
    expect(registry.isConfigured('nobody/m')).toBe(false);
    expect(registry.isConfigured('openai')).toBe(false);
    expect(() => registry.getEnvVar('nobody/m')).toThrow('Unknown provider "nobody"');
  });

  it('lists the models of the price list by the ids that it resolves', () => {
    const models = registry.models();
    const gpt = {
      model: 'gpt-5',
      name: 'GPT-5',
      contextWindow: 400_000,
      prices: { input: 1.25, output: 10, cacheRead: 0.125 },
    };
    expect(models).toContainEqual({ id: 'openai/gpt-5', provider: 'openai', ...gpt });
    expect(models).toContainEqual({ id: 'router/gpt-5', provider: 'router', ...gpt });
    const providers = new Set(models.map(model => model.provider));
    for (const id of ['anthropic', 'openai', 'router', 'google', 'xai']) expect(providers).toContain(id);
    expect(providers).not.toContain('local');
    expect(registry.model('anthropic/claude-sonnet-4-20250514')?.contextWindow).toBe(200_000);
    expect(registry.model('local/m')).toBeUndefined();
  });

  it('computes the cost of a call', () => {
    const usage = { inputTokens: 1_000_000, outputTokens: 100_000, cacheReadTokens: 400_000 };
    expect(registry.getPrice('openai/gpt-5', usage)).toBeCloseTo(0.6 * 1.25 + 0.4 * 0.125 + 1, 10);
    expect(registry.getPrice('router/gpt-5', usage)).toBe(registry.getPrice('openai/gpt-5', usage));
    expect(registry.getPrice('local/gpt-5', usage)).toBeUndefined();
  });
});
