import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { gate } from './support/scripted-agent.ts';
import { type ScriptedServer, startScriptedServer } from '../src/testing/index.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const programs = join(root, 'build/guides');
const folder = mkdtempSync(join(tmpdir(), 'singletree-guides-'));
let server: ScriptedServer | undefined;

afterEach(() => server?.close());
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Writes the first program of a guide where the built package is found; `edits` adapt it to this machine. */
function programOf(guide: string, edits: readonly (readonly [string, string])[] = []): string {
  const [, code = ''] =
    /^```ts\n([\s\S]*?)^```$/m.exec(readFileSync(join(root, `docs/guides/${guide}.md`), 'utf8')) ?? [];
  let adapted = code.replaceAll(' as const', '');
  for (const [from, to] of edits) {
    expect(adapted).toContain(from);
    adapted = adapted.replace(from, to);
  }
  mkdirSync(programs, { recursive: true });
  const file = join(programs, `${guide}.mjs`);
  writeFileSync(file, adapted);
  return file;
}

const call = (name: string, input: object) => [{ toolCall: { name, input } }];
const env = () => ({ PATH: process.env['PATH'], ANTHROPIC_API_KEY: 'key', ANTHROPIC_BASE_URL: server?.url });

describe('the program of a guide', () => {
  writeFileSync(join(folder, 'notes.txt'), 'hello');
  writeFileSync(join(folder, 'server.log'), 'INFO\nERROR disk full\n');
  const mcpServer = join(root, 'test/support/mcp-server.mjs');

  it.each<
    [string, Parameters<typeof startScriptedServer>[0]['script'], readonly string[], (readonly [string, string])[]?]
  >([
    ['coding-agent', [call('list', {}), 'There are notes.'], ['→ list {}', 'notes.txt', 'There are notes.']],
    ['recursive-language-model', ['```js\nFINAL(context.split("\\n")[1])\n```'], ['> FINAL', 'ERROR disk full']],
    [
      'subagents',
      ({ toolNames, messages }) => {
        if (!toolNames.includes('agent')) return 'It greets.';
        return messages.some(({ role }) => role === 'tool')
          ? 'It says hello.'
          : call('agent', { agent: 'reader', task: 'Read.' });
      },
      [
        'lead starts',
        'reader starts',
        'It greets.',
        'reader ends (complete)',
        'It says hello.',
        'lead ends (complete)',
      ],
    ],
    [
      'permissions',
      [call('bash', { command: 'rm -r .' }), call('bash', { command: 'echo done' }), 'Tidy.'],
      ['nothing is deleted here', 'May I use bash with {"command":"echo done"}?', 'done', 'Tidy.'],
    ],
    [
      'mcp-and-skills',
      ({ messages, toolNames }) =>
        messages.some(({ role }) => role === 'tool') ? 'They are here.' : call(toolNames[0] ?? '', {}),
      ['→ mcp__files__', 'They are here.'],
      [
        [
          "command: 'npx', args: ['-y', '@modelcontextprotocol/server-filesystem', '.']",
          `command: process.execPath, args: ['${mcpServer}']`,
        ],
      ],
    ],
    ['coming-from-the-ai-sdk', [], ['weather', 'Sunny in Bern.', 'It is sunny in Bern.']],
    ['harness', ['Hello to you.'], ['user', 'Hello!', 'assistant', 'Hello to you.']],
    ['workspace', [], ['ready: project', 'Moin, Ada!']],
    ['stores', [], ['1']],
  ])('%s ends and shows what happened', async (guide, script, expected, edits) => {
    server = await startScriptedServer({ script });
    const { stdout } = await promisify(execFile)(process.execPath, [programOf(guide, edits)], {
      cwd: folder,
      env: env(),
      timeout: 20_000,
    });
    let from = 0;
    for (const text of expected) {
      const at = stdout.indexOf(text, from);
      expect(at, `${JSON.stringify(text)} in\n${stdout}`).toBeGreaterThanOrEqual(from);
      from = at + text.length;
    }
  });

  it('harness ends its run on Ctrl-C, and then itself', async () => {
    const asked = gate();
    server = await startScriptedServer({
      script: () => {
        asked.open();
        return { text: 'Hello to you.', delayMs: 60_000 };
      },
    });
    const child = spawn(process.execPath, [programOf('harness')], { cwd: folder, env: env(), stdio: 'ignore' });
    const ended = once(child, 'exit');
    await asked.opened;
    child.kill('SIGINT');
    expect(await ended).toEqual([0, null]);
  });

  it('embed-the-server ends on Ctrl-C', async () => {
    const program = programOf('embed-the-server', [['port: 4800', 'port: 0']]);
    const child = spawn(process.execPath, [program], { cwd: folder, env: env(), stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = once(child, 'exit');
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    expect(String(line)).toMatch(/^http:\/\/127\.0\.0\.1:\d+\n$/);
    const page = await fetch(String(line).trim());
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<div id="root">')]);
    child.kill('SIGINT');
    expect(await ended).toEqual([0, null]);
  });

  it('embed-the-server has no page with `page: false`', async () => {
    const program = programOf('embed-the-server', [['port: 4800', 'port: 0, page: false']]);
    const child = spawn(process.execPath, [program], { cwd: folder, env: env(), stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    expect((await fetch(String(line).trim())).status).toBe(404);
    child.kill('SIGINT');
    await once(child, 'exit');
  });
});
