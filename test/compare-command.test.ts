import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { spawn as spawnAtTerminal } from '@lydell/node-pty';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bareEnvironment } from './support/bare-environment.ts';
import { scriptByStep, startScriptedServer } from '../src/testing/index.ts';
import { gitProject, type GitProject } from './support/git-project.ts';

const command = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
let project: GitProject;
beforeEach(() => (project = gitProject({ 'a.txt': 'one\n' })));
afterEach(() => project.remove());

async function run(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, [command, ...args], {
    cwd: project.folder,
    env: { ...bareEnvironment(), SINGLETREE_HOME: project.home, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { stdout, stderr, status };
}

describe('singletree compare', () => {
  it('runs two agents in worktrees, prints a table, and keeps one', { timeout: 60_000 }, async () => {
    const toolCall = { name: 'bash', input: { command: 'echo two >> a.txt' } };
    const server = await startScriptedServer({ script: scriptByStep([[{ toolCall }], 'Done.']) });
    const env = { OPENAI_API_KEY: 'scripted', OPENAI_BASE_URL: `${server.url}/v1` };
    const models = 'coder@openai/gpt-5.5,coder@openai/gpt-5.4-mini';
    const compared = await run(['compare', 'add a line', '--agents', models, '--yolo'], env);
    await server.close();
    expect([compared.stderr, compared.status]).toEqual(['', 0]);
    const [first = '', second = ''] = [...compared.stdout.matchAll(/^coder +complete .* (coder-\w+)$/gm)].map(
      ([, name]) => name,
    );
    expect(compared.stdout).toContain(`singletree worktrees keep ${first}`);
    expect(readFileSync(join(project.folder, 'a.txt'), 'utf8')).toBe('one\n');

    const listed = await run(['worktrees']);
    expect(listed.stdout).toMatch(new RegExp(`${first} +changed +1 file .* singletree/${first} +${project.home}`));
    const [, threadId = ''] = /^coder: thread (\S+),/m.exec(compared.stdout) ?? [];
    expect((await run(['show', threadId])).stdout).toContain(`branch singletree/${first}\n`);

    const kept = await run(['worktrees', 'keep', first]);
    expect(kept.stdout).toContain(`1 file changed in ${project.folder}\n  a.txt\n`);
    expect(readFileSync(join(project.folder, 'a.txt'), 'utf8')).toBe('one\ntwo\n');
    expect(await run(['worktrees', 'remove', second])).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('not kept'),
    });
    const conflict = await run(['worktrees', 'keep', second]);
    expect([conflict.status, conflict.stderr]).toEqual([1, expect.stringContaining('Nothing was applied')]);
    expect((await run(['worktrees', 'remove', second, '--force'])).stdout).toBe(`removed ${second}\n`);
    expect((await run(['worktrees', 'remove', '--clean'])).stdout).toBe(`removed ${first}\n`);
    expect(existsSync(join(project.home, 'worktrees', first))).toBe(false);
  });

  it('asks at the terminal what its agents ask, and shows where each stands', { timeout: 60_000 }, async () => {
    const toolCall = { name: 'bash', input: { command: 'echo two >> a.txt' } };
    const server = await startScriptedServer({ script: scriptByStep([[{ toolCall }], 'Done.']) });
    const models = 'coder@openai/gpt-5.5,coder@openai/gpt-5.4-mini';
    const terminal = spawnAtTerminal(process.execPath, [command, 'compare', 'add a line', '--agents', models], {
      cols: 100,
      rows: 40,
      cwd: project.folder,
      env: {
        ...bareEnvironment(),
        SINGLETREE_HOME: project.home,
        OPENAI_API_KEY: 'scripted',
        OPENAI_BASE_URL: `${server.url}/v1`,
      },
    });
    let printed = '';
    terminal.onData(data => (printed += data));
    const ended = new Promise<number>(resolve => terminal.onExit(({ exitCode }) => resolve(exitCode)));
    for (const count of [1, 2]) {
      await expect.poll(() => printed.split('y once').length - 1, { timeout: 30_000 }).toBe(count);
      terminal.write('a\r');
    }
    expect(await ended, printed).toBe(0);
    await server.close();
    const text = stripVTControlCharacters(printed);
    expect(text).toMatch(/^coder@\S+ +waiting for you · /m);
    for (const name of models.split(','))
      expect(text).toMatch(new RegExp(`${name} asks:\r\n\\? Run this command\\? \\(bash\\)\r\n {2}\\$ echo two`));
    expect(text).not.toContain('singletree inbox');
    expect(text.match(/^coder +complete .* \+1 −0 /gm)).toHaveLength(2);
  });

  it('refuses unknown agents, too few of them, and branch names that are not plain', { timeout: 60_000 }, async () => {
    const refused = await run(['compare', 'x', '--agents', 'demo']);
    expect([refused.status, refused.stderr]).toEqual([2, expect.stringContaining('two or more agents')]);
    const unknown = await run(['compare', 'x', '--agents', 'demo,nobody']);
    expect(unknown.stderr).toContain('There is no agent "nobody" here. Available: demo.');
    const missing = await run(['compare', 'x', '--agents', 'claude,demo']);
    expect(missing.stderr).toContain('Claude Code is not installed');
    expect(missing.stderr).toContain('Install it with `npm install -g @anthropic-ai/claude-code`. Available: demo.');
    expect((await run(['compare', 'x', '--agents', 'demo,coder'])).stderr).toContain('set ANTHROPIC_API_KEY');
    expect((await run(['worktrees', 'keep', '../../etc'])).stderr).toContain('There is no worktree "../../etc"');
  });
});
