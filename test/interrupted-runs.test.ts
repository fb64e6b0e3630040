import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bareEnvironment } from './support/bare-environment.ts';
import { type ScriptedServer, startScriptedServer } from '../src/testing/index.ts';

const command = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
let folder: string;
let model: ScriptedServer;

beforeEach(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'singletree-interrupted-')));
  for (const name of ['project', 'elsewhere']) mkdirSync(join(folder, name));
  model = await startScriptedServer({
    script: ({ step }) =>
      step === 0 ? [{ toolCall: { name: 'bash', input: { command: 'echo done > made' } } }] : 'It is made.',
  });
});
afterEach(async () => {
  await model.close();
  rmSync(folder, { recursive: true, force: true });
});

function start(cwd: string, args: readonly string[]) {
  return spawn(process.execPath, [command, ...args], {
    cwd: join(folder, cwd),
    env: {
      ...bareEnvironment(),
      SINGLETREE_HOME: join(folder, 'home'),
      OPENAI_API_KEY: 'sk-scripted-key',
      OPENAI_BASE_URL: `${model.url}/v1`,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** Runs the command in another folder than that of the run. */
async function run(...args: string[]) {
  const child = start('elsewhere', args);
  const [stdout, stderr, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { status: status as number, stdout, stderr };
}

/** Kills a run that waits for an approval; returns its thread. */
async function killedWhileAsking(): Promise<string> {
  const child = start('project', ['run', 'coder', 'Make it', '--wait', '--output', 'events']);
  for await (const chunk of child.stdout) if (String(chunk).includes('"type":"relay"')) break;
  child.kill('SIGKILL');
  await once(child, 'exit');
  const [thread = ''] = (await run('threads', '--json')).stdout.split('\n');
  return (JSON.parse(thread) as { id: string }).id;
}

describe('a run whose process was killed while it asks', () => {
  it('is interrupted in threads and inbox, with the command that resumes it', async () => {
    const id = await killedWhileAsking();
    const resume = `singletree run coder --resume ${id}`;
    for (const list of ['threads', 'inbox']) {
      const { stdout } = await run(list);
      expect(stdout).toMatch(/ interrupted /);
      expect(stdout).toContain(resume);
      expect(JSON.parse((await run(list, '--json')).stdout)).toMatchObject({ status: 'interrupted', resume });
    }
  }, 60_000);

  it('is resumed by an answer, in its own folder, until its turn ends', async () => {
    const id = await killedWhileAsking();
    const answered = await run('inbox', 'approve', '1');
    expect([answered.status, answered.stdout], answered.stderr).toEqual([0, expect.stringContaining('It is made.')]);
    expect(existsSync(join(folder, 'project', 'made'))).toBe(true);
    const events = (await run('export', id)).stdout.trimEnd().split('\n');
    const types = events.map(line => (JSON.parse(line) as { type: string }).type);
    expect(types.filter(type => type.startsWith('relay') || type.startsWith('harness'))).toEqual([
      'harness_start',
      'relay',
      'relay_resolved',
      'harness_end',
    ]);
    expect((await run('inbox')).stdout).toBe('Nothing waits for you.\n');
  }, 60_000);

  it('stays as it is with --no-resume, which names the command, and with an answer that is not possible', async () => {
    const id = await killedWhileAsking();
    const before = (await run('export', id)).stdout;
    const refused = await run('inbox', 'approve', '1', '--no-resume');
    expect([refused.status, refused.stdout]).toEqual([1, '']);
    expect(refused.stderr).toContain(`singletree run coder --resume ${id}`);
    expect((await run('inbox', 'answer', '1', 'Tea')).stderr).toContain('expected approve');
    expect((await run('export', id)).stdout).toBe(before);
    expect((await run('rm', id)).stdout).toBe(`deleted ${id}\n`);
  }, 60_000);
});
