import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { bareEnvironment } from '../support/bare-environment.ts';
import { startScriptedServer } from '../../src/testing/index.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { type ChatScene, useChats } from './chat-scene.ts';

const start = useChats();
const long = Array.from({ length: 80 }, (_, at) => `paragraph ${at} ${at === 40 ? 'needle' : ''}`).join('\n\n');

async function talked(args: readonly string[] = []): Promise<ChatScene> {
  const scene = await start([long, 'Second answer.'], { args });
  await scene.say('first');
  await scene.shows('paragraph 79');
  return scene;
}

describe('the transcript', () => {
  it('scrolls, searches and jumps in the alternate screen, and leaves the scrollback alone', async () => {
    const scene = await talked();
    // A key that comes before it is drawn is for it, too.
    scene.type('\u000fg');
    await scene.shows('q close');
    expect(scene.isAlternate).toBe(true);
    await scene.shows('› first');
    scene.type('/needle\r');
    await scene.shows('paragraph 40 needle');
    scene.type('{');
    await scene.shows('› first');
    scene.type('q');
    await scene.until(() => !scene.isAlternate);
    await scene.shows('paragraph 79');
    expect(scene.scrollback().filter(line => line.startsWith('paragraph 40'))).toHaveLength(1);
  });
});

describe('a chat in plain lines', () => {
  const command = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

  it('reads messages from a pipe, prints hostile answers without what a terminal executes, and ends with its input', async () => {
    const hostile = `\u001b[2J\u001b]0;owned\u0007 \u202egnp.exe\u202c 漢字 e\u0301 ${'x'.repeat(100_000)} end\r\nnext`;
    const server = await startScriptedServer({ script: [hostile] });
    const folder = mkdtempSync(join(tmpdir(), 'singletree-pipe-'));
    try {
      const env = {
        ...bareEnvironment(),
        SINGLETREE_HOME: folder,
        OPENAI_API_KEY: 'sk-x',
        OPENAI_BASE_URL: `${server.url}/v1`,
      };
      const child = execFile(process.execPath, [command, 'chat', '--cwd', folder], { env, maxBuffer: 1 << 24 });
      let printed = '';
      child.stdout?.on('data', (text: string) => (printed += text));
      child.stdin?.end('go\n');
      expect(await new Promise(resolve => child.once('close', resolve))).toBe(0);
      expect(printed).toContain('› go');
      expect(printed).toContain('漢字 e\u0301');
      expect(printed).toContain('next');
      // oxlint-disable-next-line no-control-regex
      expect(printed).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202a-\u202e]|owned\u0007/);
    } finally {
      await server.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('prints rows without escape sequences when it is piped, and takes answers from its input', async () => {
    const server = await startScriptedServer({
      script: [[{ toolCall: { name: 'bash', input: { command: 'echo hi' } } }], '**Done** with it.'],
    });
    const folder = mkdtempSync(join(tmpdir(), 'singletree-plain-'));
    try {
      const env = {
        ...bareEnvironment(),
        SINGLETREE_HOME: folder,
        OPENAI_API_KEY: 'sk-x',
        OPENAI_BASE_URL: `${server.url}/v1`,
      };
      const child = execFile(process.execPath, [command, 'chat', '--screen-reader', '--cwd', folder], { env });
      let printed = '';
      child.stdout?.on('data', (text: string) => {
        if (!printed.includes('Answer y') && (printed + text).includes('Answer y')) child.stdin?.write('y\n');
        printed += text;
        if (printed.includes('Done.\u0007')) child.stdin?.end('/quit\n');
      });
      child.stdin?.write('go\n');
      const code = await new Promise(resolve => child.once('close', resolve));
      expect(code).toBe(0);
      expect(printed).toContain('Run this command? (bash)\n$ echo hi\n');
      expect(printed).toContain('Done with it.');
      expect(printed).not.toContain('\u001b');
    } finally {
      await server.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
