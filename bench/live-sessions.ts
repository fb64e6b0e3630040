import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CliAdapter, type CliAgentOptions, cliAdapters, cliAgent, SessionPool } from 'singletree/agents';
import { startScriptedServer } from 'singletree/testing';
import { channelOverhead } from './channel-overhead.ts';
import { race } from './measure.ts';
import type { Result } from './result.ts';

const cache = process.env['SINGLETREE_CLI_CACHE'] ?? join(homedir(), '.cache', 'singletree-test-programs');
const turns = 8;

/** The settings of a program for a model server, in a home of its own. */
type Settings = (home: string, url: string) => Pick<CliAgentOptions, 'env' | 'model' | 'extraArgs'>;

const programs: Readonly<Record<string, Settings>> = {
  claude: (home, url) => ({
    model: 'claude-sonnet-4-5',
    env: {
      HOME: home,
      CLAUDE_CONFIG_DIR: home,
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: 'k',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
    },
  }),
  codex: (home, url) => {
    const provider = [
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
    ];
    writeFileSync(join(home, 'config.toml'), `${provider.join('\n')}\n`);
    return { env: { HOME: home, CODEX_HOME: home, SCRIPTED_KEY: 'k' } };
  },
  pi: (home, url) => {
    const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
    const model = { id: 'fake-model', name: 'Fake', input: ['text'], cost, contextWindow: 128_000, maxTokens: 4_096 };
    const fake = { baseUrl: `${url}/v1`, api: 'openai-completions', apiKey: 'k', models: [model] };
    writeFileSync(join(home, 'models.json'), JSON.stringify({ providers: { fake } }));
    return {
      extraArgs: ['--provider', 'fake'],
      model: 'fake-model',
      env: { HOME: home, PI_CODING_AGENT_DIR: home, PI_OFFLINE: '1' },
    };
  },
};

/** The second turn of a warm session costs a fraction of a fresh process, and a channel little more than reading JSON. */
export async function* liveSessions(): AsyncGenerator<Result> {
  for (const [id, settings] of Object.entries(programs))
    if (existsSync(executableOf(id))) yield await warmTurn(id, settings);
  for (const id of ['claude', 'codex', 'pi', 'opencode', 'goose'])
    yield await channelOverhead(cliAdapters[id] as CliAdapter);
}

function executableOf(id: string): string {
  return join(cache, 'node_modules/.bin', id);
}

async function warmTurn(id: string, settings: Settings): Promise<Result> {
  const server = await startScriptedServer({ script: () => 'Done.' });
  const home = mkdtempSync(join(tmpdir(), 'singletree-bench-'));
  const cwd = join(home, 'project');
  mkdirSync(cwd);
  const sessions = new SessionPool();
  const options = { executable: executableOf(id), cwd, sessions, ...settings(home, server.url) };
  // Each channel has a session of its own: a session has one writer.
  const known = new Map<string, string>();
  const turn = async (channel: 'live' | 'print') => {
    const sessionId = known.get(channel);
    const session = sessionId === undefined ? {} : { session: { id: sessionId, known: 0 } };
    const messages = [{ role: 'user' as const, content: 'go' }];
    for await (const event of cliAgent(id, { ...options, channel }).invoke({
      conversation: { messages, ...session },
    })) {
      if (event.type === 'session') known.set(channel, event.sessionId);
      if (event.type === 'error') throw new Error(event.message);
    }
  };
  try {
    await turn('live');
    const { ours, peer } = await race(
      { ours: () => turn('live'), peer: () => turn('print') },
      { warmups: 1, rounds: turns, measure: 'median' },
    );
    return {
      claim: `${id}: second turn of a warm session vs a fresh print-mode process`,
      size: '1 turn',
      unit: 'ms',
      ours,
      peer,
      goal: { atMost: 0.3 },
    };
  } finally {
    await sessions.close();
    await server.close();
    rmSync(home, { recursive: true, force: true });
  }
}
