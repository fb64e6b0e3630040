import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { CliAgentOptions } from '../../../src/agents/cli/cli-agent.ts';

/** Where the real programs are installed, once for all test runs; outside the repository. */
const cache = process.env['SINGLETREE_CLI_CACHE'] ?? join(homedir(), '.cache', 'singletree-test-programs');

const packages: Readonly<Record<string, string>> = {
  codex: '@openai/codex@0.166.0',
  claude: '@anthropic-ai/claude-code@2.1.197',
  pi: '@mariozechner/pi-coding-agent@0.73.1',
};

/** Whether the real programs are here, or may be installed; says in one line what is skipped when not. */
export function programsReady(skipped: string): boolean {
  if (process.env['CI'] || Object.keys(packages).every(name => existsSync(programPath(name)))) return true;
  console.warn(
    `SKIPPED ${skipped}: ${Object.values(packages).join(', ')} are not installed. CI=true npm test installs them.`,
  );
  return false;
}

/** Installs the programs that are not there yet. */
export async function installPrograms(): Promise<void> {
  const missing = Object.entries(packages).filter(([name]) => !existsSync(programPath(name)));
  if (missing.length === 0) return;
  mkdirSync(cache, { recursive: true });
  const args = ['install', '--no-audit', '--no-fund', '--prefix', cache, ...missing.map(([, name]) => name)];
  await promisify(execFile)('npm', args, { cwd: cache, maxBuffer: 64 * 1024 * 1024 });
}

/** How to run a program against a model server, with a home and a folder of its own. */
export function realProgram(name: string, url: string): CliAgentOptions & { readonly cwd: string } {
  mkdirSync(join(cache, 'homes'), { recursive: true });
  const home = mkdtempSync(join(cache, 'homes', `${name}-`));
  const cwd = join(home, 'project');
  mkdirSync(cwd);
  writeFileSync(join(cwd, 'notes.txt'), 'line 1\nline 2\nline 3\n');
  const { env, ...options } = (settings[name] as Settings)(home, url);
  return { executable: programPath(name), cwd, yolo: true, settleMs: 3_000, env: { HOME: home, ...env }, ...options };
}

type Settings = (home: string, url: string) => CliAgentOptions;

const settings: Readonly<Record<string, Settings>> = {
  codex: (home, url) => {
    const config = [
      'model = "gpt-5.5"',
      'model_provider = "scripted"',
      'check_for_update_on_startup = false',
      '[analytics]',
      'enabled = false',
      '[model_providers.scripted]',
      'name = "scripted"',
      `base_url = "${url}/v1"`,
      'wire_api = "responses"',
      'env_key = "SCRIPTED_KEY"',
      'request_max_retries = 0',
      'stream_max_retries = 0',
    ];
    writeFileSync(join(home, 'config.toml'), `${config.join('\n')}\n`);
    return { env: { CODEX_HOME: home, SCRIPTED_KEY: 'k', TMPDIR: mkdtempSync(join(home, 'tmp-')) } };
  },
  claude: (home, url) => ({
    model: 'claude-sonnet-4-5',
    env: {
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: 'k',
      CLAUDE_CONFIG_DIR: home,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      CLAUDE_CODE_MAX_RETRIES: '0',
      DISABLE_AUTOUPDATER: '1',
      IS_SANDBOX: '1',
    },
  }),
  pi: (home, url) => {
    const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
    const model = {
      id: 'fake-model',
      name: 'Fake',
      reasoning: false,
      input: ['text'],
      cost,
      contextWindow: 128_000,
      maxTokens: 4_096,
    };
    const provider = { baseUrl: `${url}/v1`, api: 'openai-completions', apiKey: 'k', models: [model] };
    writeFileSync(join(home, 'settings.json'), JSON.stringify({ retry: { enabled: false } }));
    writeFileSync(join(home, 'models.json'), JSON.stringify({ providers: { fake: provider } }));
    return {
      extraArgs: ['--provider', 'fake'],
      model: 'fake-model',
      env: { PI_CODING_AGENT_DIR: home, PI_OFFLINE: '1' },
    };
  },
};

function programPath(name: string): string {
  return join(cache, 'node_modules', '.bin', name);
}
