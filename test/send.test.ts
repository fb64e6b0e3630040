import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bareEnvironment } from './support/bare-environment.ts';
import { createClient } from '../src/client/index.ts';
import { type ScriptedServer, startScriptedServer } from '../src/testing/index.ts';
import { startProduct } from './support/product.ts';
import { gate } from './support/scripted-agent.ts';

const command = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
let folder: string;
let model: ScriptedServer;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'singletree-send-')));
});
afterEach(async () => {
  await model.close();
  rmSync(folder, { recursive: true, force: true });
});

const environment = () => ({ OPENAI_API_KEY: 'sk-scripted-key', OPENAI_BASE_URL: `${model.url}/v1` });

function start(args: readonly string[]) {
  return spawn(process.execPath, [command, ...args], {
    cwd: folder,
    env: { ...bareEnvironment(), SINGLETREE_HOME: join(folder, 'home'), ...environment() },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

async function run(...args: string[]) {
  const child = start(args);
  const [stdout, stderr, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { status: status as number, stdout, stderr };
}
const typesOf = (lines: string) =>
  lines
    .trimEnd()
    .split('\n')
    .map(line => (JSON.parse(line) as { type: string }).type);

describe('singletree send', () => {
  it('starts the next turn of a finished thread, by "last" and by the beginning of its id', async () => {
    model = await startScriptedServer({ script: ({ lastUserText }) => `You said: ${lastUserText}` });
    const [, threadId = ''] = /^thread (\S+)/m.exec((await run('run', 'coder', 'One')).stderr) ?? [];
    const second = await run('send', 'last', 'Two');
    expect([second.status, second.stdout]).toEqual([0, expect.stringContaining('You said: Two')]);
    const third = await run('send', threadId.slice(0, 20), 'Three', '--json');
    expect(typesOf(third.stdout)).toContain('harness_end');
    expect((await run('show', threadId)).stdout.match(/^› .*/gm)).toEqual(['› One', '› Two', '› Three']);
    expect((await run('send', 'last', 'Four', '--no-wait')).stderr).toContain('Nothing runs in this thread');
    expect((await run('send', 'nothing-like-it', 'Hi')).status).toBe(2);
    expect((await run('send', 'last', ' ')).status).toBe(2);
  }, 60_000);

  it('denies what would have to be asked without a terminal, as a run does', async () => {
    model = await startScriptedServer({
      script: ({ step, lastUserText }) =>
        step === 0 && lastUserText === 'Make it'
          ? [{ toolCall: { name: 'bash', input: { command: 'touch made' } } }]
          : 'Answered.',
    });
    await run('run', 'coder', 'One');
    const { status, stdout, stderr } = await run('send', 'last', 'Make it');
    expect([status, stdout]).toEqual([1, 'Answered.\n']);
    expect(stderr).toContain('denied: bash. Allow it with rules');
    expect(existsSync(join(folder, 'made'))).toBe(false);
  }, 60_000);

  it.each(['steer', 'follow-up'])(
    'sends into the run of another process: %s',
    async delivery => {
      const asked = gate();
      model = await startScriptedServer({
        script: ({ step, lastUserText }) => {
          if (step > 0 || lastUserText !== 'Look around') return `Noted: ${lastUserText}`;
          asked.open();
          return [{ toolCall: { name: 'bash', input: { command: 'until [ -e go ]; do sleep 0.05; done' } } }];
        },
      });
      const child = start(['run', 'coder', 'Look around', '--yolo']);
      await asked.opened;
      const more = delivery === 'steer' ? [] : ['--follow-up'];
      const receipt = JSON.parse(
        (await run('send', 'last', 'Be quick', '--no-wait', '--json', ...more)).stdout,
      ) as object;
      expect(receipt).toMatchObject(delivery === 'steer' ? { steered: true } : { queued: true });
      const answer = start(['send', 'last', 'And quiet', '--json', ...more]);
      const printed = text(answer.stdout);
      await once(answer.stderr, 'data');
      writeFileSync(join(folder, 'go'), '');
      const [status] = await once(answer, 'exit');
      if (child.exitCode === null) await once(child, 'exit');
      expect(status).toBe(0);
      expect(typesOf(await printed).at(-1)).toBe('harness_end');
      const { stdout: shown } = await run('show', 'last');
      expect(shown.match(/^› And quiet.*/gm)).toHaveLength(1);
    },
    60_000,
  );

  it('leaves a follow-up to the process that runs the thread, which answers it when its run has ended', async () => {
    const asked = gate();
    model = await startScriptedServer({
      script: ({ step, lastUserText }) => {
        if (step > 0 || lastUserText !== 'Look around') return `Noted: ${lastUserText}`;
        asked.open();
        return [{ toolCall: { name: 'bash', input: { command: 'until [ -e go ]; do sleep 0.05; done' } } }];
      },
    });
    const child = start(['run', 'coder', 'Look around', '--yolo']);
    const printed = text(child.stdout);
    const ended = once(child, 'exit');
    await asked.opened;
    for (const message of ['First', 'Second']) {
      const sent = await run('send', 'last', message, '--follow-up', '--no-wait');
      expect([sent.status, sent.stdout]).toEqual([0, expect.stringMatching(/^sent to thread /)]);
    }
    writeFileSync(join(folder, 'go'), '');
    expect(await ended).toEqual([0, null]);
    expect((await printed).match(/Noted: \w+/g)).toEqual(['Noted: Look', 'Noted: First', 'Noted: Second']);
    expect((await run('show', 'last')).stdout.match(/^› \w+/gm)).toEqual(['› Look', '› First', '› Second']);
  }, 60_000);

  it('sends to a thread of a server', async () => {
    model = await startScriptedServer({ script: ({ lastUserText }) => `You said: ${lastUserText}` });
    const product = await startProduct(join(folder, 'home'), 0, { cwd: folder, env: environment() });
    try {
      const { id } = await createClient({ baseUrl: product.url, token: product.token }).createThread();
      const { status, stdout } = await run('send', id.slice(0, 20), 'Hello', '--server', product.url);
      expect([status, stdout]).toEqual([0, expect.stringContaining('You said: Hello')]);
      const receipt = await run('send', 'last', 'Again', '--server', `${product.url}/`, '--no-wait', '--json');
      expect(JSON.parse(receipt.stdout)).toMatchObject({ threadId: id, runId: expect.any(String) as string });
    } finally {
      await product.end('SIGTERM');
    }
  }, 60_000);
});
