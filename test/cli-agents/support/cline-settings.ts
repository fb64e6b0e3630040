import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CliAgentOptions } from '../../../src/agents/cli/agent/cli-agent-options.ts';

/** How to run Cline against a model server, with a home of its own: what `cline auth` would write. */
export function clineSettings(home: string, url: string): CliAgentOptions {
  const provider = 'openai-compatible';
  const settings = { provider, apiKey: 'k', model: 'fake-model', baseUrl: `${url}/v1` };
  const entry = { settings, updatedAt: '2026-01-01T00:00:00.000Z', tokenSource: 'manual' };
  const folder = join(home, '.cline', 'data', 'settings');
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, 'providers.json'),
    JSON.stringify({ version: 1, lastUsedProvider: provider, modes: {}, providers: { [provider]: entry } }),
  );
  return { env: { HOME: home } };
}
