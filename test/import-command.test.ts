import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SqliteLog } from 'singletree/log';
import { afterAll, describe, expect, it } from 'vitest';
import { builtCommand } from './support/command.ts';
import { isWholeRun } from './support/run-size.ts';

const fixtures = fileURLToPath(new URL('./cli-agents/session-fixtures', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'singletree-import-'));
afterAll(() => rmSync(folder, { recursive: true }));

// The home of a person who has used three agents.
const person = join(folder, 'person');
for (const [from, to] of [
  ['claude', '.claude'],
  ['pi', '.pi'],
  ['gemini', '.gemini'],
] as const)
  cpSync(join(fixtures, from), join(person, to), { recursive: true });
const { singletree, start } = builtCommand(undefined, { HOME: person });
const megabytes = Number(process.env['SINGLETREE_IMPORT_MEGABYTES'] ?? (isWholeRun ? 200 : 50));
const store = (name: string) => ['--db', join(folder, `${name}.db`)];
const rows = (text: string) =>
  text
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as Record<string, unknown>);

describe('singletree import', () => {
  it('lists what it finds by project, with date, size and what is imported', () => {
    const { status, stdout } = singletree('import', ...store('list'));
    expect(status).toBe(0);
    expect(stdout).toMatch(/^\$CWD\n {2}\w+ +20\d\d-\d\d-\d\d {2}\d+\.\d kB +new +FIRST-PROMPT read the notes$/m);
    expect(stdout).toContain('3 sessions, 3 not imported or changed since. Import them: singletree import --all');
    expect(singletree('import', 'pi', '--all', ...store('list')).stdout).toContain('1 imported.');
    const listed = rows(singletree('import', '--json', ...store('list')).stdout);
    expect(listed.map(({ agentId, status: state }) => `${String(agentId)} ${String(state)}`).toSorted()).toEqual([
      'claude new',
      'gemini new',
      'pi imported',
    ]);
  });

  it('imports everything, skips what is imported, and search finds it under its own day', () => {
    expect(singletree('import', '--all', ...store('all')).stdout).toContain('3 imported.');
    expect(singletree('import', '--all', ...store('all')).stdout).toBe('3 unchanged.\n');
    expect(singletree('search', 'FIRST-ANSWER', ...store('all')).stdout.match(/FIRST-ANSWER done\./g)).toHaveLength(3);
    expect(singletree('usage', '--by', 'agent', ...store('all')).stdout).toBe('No usage yet.\n');
    const used = rows(singletree('usage', '--by', 'agent', '--imported', '--json', ...store('all')).stdout);
    expect(used.map(({ agentId, modelCalls }) => [agentId, modelCalls])).toContainEqual(['pi', 4]);
    const byThread = rows(singletree('usage', '--by', 'thread', '--imported', '--json', ...store('all')).stdout);
    expect(byThread.map(({ title, modelCalls }) => [title, modelCalls])).toContainEqual([
      'FIRST-PROMPT read the notes',
      4,
    ]);
    const tools = singletree('usage', '--by', 'tool', '--imported', ...store('all')).stdout;
    expect(tools).toMatch(/^read +\d+ calls? +0 failed/m);
    const threads = rows(singletree('threads', '--json', ...store('all')).stdout);
    expect(threads.map(({ updatedAt }) => String(updatedAt).slice(0, 10))).toEqual(Array(3).fill('2026-11-16'));
  });

  it('imports a path, adds what was appended to it, and reports lines that cannot be read', () => {
    const path = join(folder, 'session.jsonl');
    const text = readFileSync(piFile(), 'utf8');
    writeFileSync(path, `${text.split('\n').slice(0, 4).join('\n')}\n{broken\n`);
    const first = singletree('import', 'pi', path, ...store('path'));
    expect(first.stdout).toContain('1 event imported');
    expect(first.stderr).toContain('1 line could not be read and kept as raw lines');
    appendFileSync(path, `${text.split('\n').slice(4, 9).join('\n')}\n`);
    expect(singletree('import', 'pi', path, ...store('path')).stdout).toMatch(/thread pi-\S+: \d+ events added/);
    expect(singletree('show', 'last', ...store('path')).stdout).toContain('FIRST-ANSWER done.');
  });

  it('replaces the secrets of this machine when that is asked for, and reports how many', () => {
    const path = join(folder, 'secret.jsonl');
    writeFileSync(path, readFileSync(piFile(), 'utf8').replaceAll('SECOND-ANSWER', 'sk-my-own-key-1234'));
    const { singletree: run } = builtCommand(undefined, { HOME: person, ANTHROPIC_API_KEY: 'sk-my-own-key-1234' });
    expect(run('import', 'pi', path, '--skip-secrets', ...store('secret')).stdout).toContain('Replaced 1 secret.');
    expect(readFileSync(join(folder, 'secret.db')).includes('sk-my-own-key-1234')).toBe(false);
  });

  it(`imports a session of ${megabytes} MB with little memory`, { timeout: 60_000 + megabytes * 600 }, async () => {
    const path = join(folder, 'large.jsonl');
    writeFileSync(path, '{"type":"session","version":3,"id":"large","timestamp":"2026-01-01T00:00:00Z","cwd":"/w"}\n');
    const entry = (id: number, more: object) => `${JSON.stringify({ id: `e${id}`, parentId: null, ...more })}\n`;
    const snapshot = 'x'.repeat(250_000);
    for (let id = 0; id < megabytes * 4; id++) {
      const message = { role: 'user', content: `prompt ${id}` };
      appendFileSync(
        path,
        entry(2 * id, { type: 'custom', data: snapshot }) + entry(2 * id + 1, { type: 'message', message }),
      );
    }
    const { start: begin } = builtCommand(undefined, { NODE_OPTIONS: '--max-old-space-size=64' });
    const child = begin('import', 'pi', path, ...store('large'));
    expect(await new Promise(resolve => child.once('exit', resolve))).toBe(0);
    rmSync(path);
    rmSync(join(folder, 'large.db'));
  });

  it.each([
    ['an agent whose sessions cannot be read', ['import', 'copilot', '--all'], 'Expected one of: codex, claude, pi'],
    ['a file that does not exist', ['import', 'nothing.jsonl'], 'or one of these agents: codex, claude, pi'],
  ])('refuses %s with exit code 2', (_, args, message) => {
    const { status, stderr } = singletree(...args, ...store('refused'));
    expect([status, stderr]).toEqual([2, expect.stringContaining(message)]);
  });

  it('follows a session while its program goes on', async () => {
    const path = join(folder, 'watched.jsonl');
    const lines = readFileSync(piFile(), 'utf8').split('\n');
    writeFileSync(path, `${lines.slice(0, 9).join('\n')}\n`);
    const child = start('import', 'pi', path, '--watch', ...store('watched'));
    const ended = new Promise(resolve => child.once('exit', resolve));
    let printed = '';
    const seen = async (text: string) => {
      while (!printed.includes(text))
        printed += String(await new Promise(resolve => child.stdout.once('data', resolve)));
    };
    await seen('events imported');
    appendFileSync(path, lines.slice(9).join('\n'));
    await seen('events added');
    child.kill('SIGINT');
    expect(await ended).toBe(0);
    const log = await SqliteLog.open(join(folder, 'watched.db'));
    const [thread] = await log.listThreads();
    const texts = (await log.read(thread?.id ?? '')).flatMap(event => (event.type === 'text' ? [event.content] : []));
    await log.close();
    expect(texts).toEqual(['Reading the notes.', 'FIRST-ANSWER done.', 'SECOND-ANSWER.']);
  });
});

function piFile(): string {
  const [session] = rows(singletree('import', 'pi', '--json', ...store('find')).stdout);
  return String(session?.['path']);
}
