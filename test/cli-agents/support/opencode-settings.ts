import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CliAgentOptions } from '../../../src/agents/cli/agent/cli-agent-options.ts';

/** How OpenCode, or Kilo Code which is made from it, runs against a model server and nothing else. */
export function opencodeSettings(id: 'opencode' | 'kilo'): (home: string, url: string) => CliAgentOptions {
  return (home, url) => {
    const folder = join(home, '.config', id);
    const takesImages = { attachment: true, modalities: { input: ['text', 'image'], output: ['text'] } };
    const models = { 'fake-model': { name: 'Fake', limit: { context: 128_000, output: 4_096 }, ...takesImages } };
    const provider = {
      fake: {
        npm: '@ai-sdk/openai-compatible',
        name: 'Fake',
        options: { baseURL: `${url}/v1`, apiKey: 'k' },
        models,
      },
    };
    mkdirSync(folder, { recursive: true });
    writeFileSync(
      join(folder, `${id}.json`),
      JSON.stringify({
        provider,
        model: 'fake/fake-model',
        small_model: 'fake/fake-model',
        enabled_providers: ['fake'],
        // It would ask the model for a title of the session.
        agent: { title: { disable: true } },
        autoupdate: false,
        share: 'disabled',
      }),
    );
    const off = ['AUTOUPDATE', 'MODELS_FETCH', 'LSP_DOWNLOAD', 'DEFAULT_PLUGINS', 'SHARE'];
    return {
      model: 'fake/fake-model',
      env: Object.fromEntries(off.map(name => [`${id.toUpperCase()}_DISABLE_${name}`, '1'])),
    };
  };
}
