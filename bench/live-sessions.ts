import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CliAdapter, cliAdapters, cliAgent, SessionPool } from 'singletree/agents';
import { startScriptedServer } from 'singletree/testing';
import { race } from './measure.ts';
import type { Result } from './result.ts';

const fixtures = new URL('../../test/cli-agents/channels/fixtures/', import.meta.url);
const cache = process.env['SINGLETREE_CLI_CACHE'] ?? join(homedir(), '.cache', 'singletree-test-programs');
const claude = join(cache, 'node_modules/.bin/claude');
const turns = 8;

/** The second turn of a warm session costs a fraction of a fresh process, and a channel little more than reading JSON. */
export async function* liveSessions(): AsyncGenerator<Result> {
  if (existsSync(claude)) yield await warmTurn();
  yield await channelOverhead(cliAdapters['claude'] as CliAdapter);
}

async function warmTurn(): Promise<Result> {
  const server = await startScriptedServer({ script: () => 'Done.' });
  const home = mkdtempSync(join(tmpdir(), 'singletree-bench-'));
  const cwd = join(home, 'project');
  mkdirSync(cwd);
  const sessions = new SessionPool();
  const env = {
    HOME: home,
    CLAUDE_CONFIG_DIR: home,
    ANTHROPIC_BASE_URL: server.url,
    ANTHROPIC_API_KEY: 'k',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
  };
  const options = { executable: claude, cwd, env, sessions, model: 'claude-sonnet-4-5' };
  let sessionId: string | undefined;
  const turn = async (channel: 'live' | 'print') => {
    const session = sessionId === undefined ? {} : { session: { id: sessionId, known: 0 } };
    const messages = [{ role: 'user' as const, content: 'go' }];
    for await (const event of cliAgent('claude', { ...options, channel }).invoke({ messages, ...session })) {
      if (event.type === 'session') sessionId ??= event.sessionId;
      if (event.type === 'error') throw new Error(event.message);
    }
  };
  try {
    await turn('live');
    const { ours, peer } = await race(
      { ours: () => turn('live'), peer: () => turn('print') },
      { warmups: 1, rounds: turns },
    );
    return {
      claim: 'claude: second turn of a warm session vs a fresh print-mode process',
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

/** Handling a message in a channel, against reading it as JSON. */
async function channelOverhead({ id, live }: CliAdapter): Promise<Result> {
  const recordings = readdirSync(fixtures)
    .filter(folder => folder.startsWith(`${id}@`))
    .flatMap(folder =>
      readdirSync(new URL(`${folder}/`, fixtures))
        .filter(file => file.endsWith('.jsonl') && !file.includes('.expected.') && !file.startsWith('controls'))
        .map(file => linesOf(new URL(`${folder}/${file}`, fixtures))),
    );
  const count = recordings.reduce((sum, lines) => sum + lines.length, 0);
  const { ours, peer } = await race(
    {
      ours: () => {
        for (const lines of recordings) receive(live as NonNullable<CliAdapter['live']>, lines);
      },
      peer: () => {
        for (const lines of recordings) for (const line of lines) JSON.parse(line);
      },
    },
    { warmups: 5, rounds: 20, repeat: 5 },
  );
  return { claim: `${id}: a message of its channel vs JSON.parse`, size: `${count} messages`, unit: 'ms', ours, peer };
}

/** The lines of the program; the first request of the channel is answered under its own id. */
function linesOf(file: URL): string[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap(line => {
      if (line === '') return [];
      const { dir, line: text } = JSON.parse(line) as { dir: string; line: string };
      return dir === 'out'
        ? [text.replace(/("response":\{"subtype":"success","request_id":")c\d+/, '$1singletree-1')]
        : [];
    });
}

function receive(live: NonNullable<CliAdapter['live']>, lines: readonly string[]): void {
  let isReady = false;
  let isOpen = false;
  const channel = live.channel(
    {
      send: () => {},
      ready: () => (isReady = true),
      failed: () => (isReady = false),
      emit: () => {},
      request: request => channel.answer(request.id, { outcome: 'approve' }),
      withdraw: () => {},
      steered: () => {},
      turnEnded: () => (isOpen = false),
      after: () => () => {},
    },
    { cwd: '/', folder: '/', environment: {} },
  );
  channel.open();
  for (const [index, line] of lines.entries()) {
    if (isReady && !isOpen) {
      isOpen = true;
      channel.prompt({ runId: `r${index}`, content: 'go' });
    }
    channel.receive(line, index + 1);
  }
  void channel.closed();
}
