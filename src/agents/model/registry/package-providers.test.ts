import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { scriptedModel } from '../scripted/scripted-model.ts';
import { findLocalServers } from './local-servers.ts';
import { packageProviders } from './package-providers.ts';
import { createModelRegistry } from './registry.ts';

describe('providers with a package of their own', () => {
  it('explain which package to install', async () => {
    const registry = createModelRegistry({ env: { MISTRAL_API_KEY: 'k' } });
    expect(registry.isConfigured('mistral/large')).toBe(true);
    await expect(registry.resolve('mistral/large')).rejects.toMatchObject({
      code: 'driver_missing',
      message: expect.stringContaining('npm install @ai-sdk/mistral') as string,
    });
  });

  it('pass the key to the function of the package', async () => {
    const given: unknown[] = [];
    const createGroq = (options: unknown) => {
      given.push(options);
      return (modelId: string) => scriptedModel(['hi'], { modelId, provider: 'groq' });
    };
    const providers = packageProviders(() => Promise.resolve({ createGroq }));
    const registry = createModelRegistry({ env: { GROQ_API_KEY: 'secret' }, providers });
    expect((await registry.resolve('groq/fast')).modelId).toBe('fast');
    expect(given).toEqual([{ apiKey: 'secret' }]);
  });

  it('explain a package without the function', async () => {
    const providers = packageProviders(() => Promise.resolve({}));
    const registry = createModelRegistry({ env: { XAI_API_KEY: 'k' }, providers });
    await expect(registry.resolve('xai/g')).rejects.toThrow('has no "createXai"');
  });
});

describe('local servers', () => {
  it('are found by the list of their models', async () => {
    const server = createServer((request, response) => {
      response.end(request.url === '/v1/models' ? JSON.stringify({ data: [{ id: 'small' }] }) : '');
    });
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const nowhere = { lmstudio: 1, llamacpp: 1, vllm: 1 };
    try {
      expect(await findLocalServers({ ports: { ...nowhere, ollama: port } })).toEqual([
        { provider: { id: 'ollama', name: 'Ollama', baseURL: `http://127.0.0.1:${port}/v1` }, models: ['small'] },
      ]);
    } finally {
      server.close();
    }
  });

  it('are left out when another program answers, or nobody does', async () => {
    const server = createServer((_, response) => response.end('<html>'));
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    try {
      expect(await findLocalServers({ ports: { ollama: port, lmstudio: 1, llamacpp: 1, vllm: 1 } })).toEqual([]);
    } finally {
      server.close();
    }
  });
});
