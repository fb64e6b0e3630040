import { execFile } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { Conversations, Supervisor } from '../../src/control/index.ts';
import { PostgresLog } from '../../src/log/index.ts';
import { messageQueue } from '../../src/projections/index.ts';
import { bareEnvironment } from '../support/bare-environment.ts';
import { testDatabase } from '../support/services.ts';
import { ChatScene } from '../terminal/chat-scene.ts';
import { createRandom } from './fault-plan.ts';

const run = promisify(execFile);
const command = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const seed = Number(process.env['SINGLETREE_FAULT_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
/** How often the chat is killed. */
const rounds = Math.ceil(Number(process.env['SINGLETREE_FAULT_RUNS'] ?? 20) / 20);
const database = await testDatabase();
afterAll(() => database?.drop());

describe.skipIf(database === undefined)('a chat, `send` and a library process on one PostgreSQL', () => {
  it(`deliver what waits once and in order, however often the chat is killed (seed ${seed})`, {
    timeout: 60_000 + rounds * 60_000,
  }, async () => {
    const url = database?.url ?? '';
    const random = createRandom(seed);
    const log = await PostgresLog.open(url);
    const control = new Supervisor({ log });
    const conversations = new Conversations({ log, control, agents: { list: () => [], get: () => undefined } });
    const scene = await ChatScene.start(() => ({ text: 'slow '.repeat(60), delayMs: 25 }), { args: ['--store', url] });
    const accepted: string[] = [];
    try {
      await scene.shows('Enter sends');
      await scene.say('Begin.');
      await scene.shows('slow slow');
      const [thread] = await log.listThreads();
      const threadId = thread?.id ?? expect.fail('no thread');
      const isStored = async (text: string) => JSON.stringify(await log.read(threadId)).includes(`"${text}"`);
      /** Each resolves when a message was accepted; one that was not, because nothing ran, is not counted. */
      const ways: readonly ((text: string) => Promise<boolean>)[] = [
        async text => {
          await scene.act(`${text}\t`, screen => screen.includes(text));
          return vi.waitUntil(() => isStored(text), { timeout: 5_000 }).catch(() => false);
        },
        async text => {
          await conversations.store(threadId, { id: text, content: text, agent: 'coder', delivery: 'follow_up' });
          return true;
        },
        text =>
          run(process.execPath, [command, 'send', threadId, text, '--follow-up', '--no-wait', '--store', url], {
            env: { ...bareEnvironment(), SINGLETREE_HOME: scene.home },
          }).then(
            () => true,
            () => false,
          ),
      ];
      for (let round = 0; round < rounds; round++) {
        await scene.shows('Esc stops', 5_000).catch(() => scene.say('Again.'));
        for (const [at, send] of ways.entries()) {
          const text = `message ${round}-${at}`;
          if (await send(text)) accepted.push(text);
        }
        await delay(random() * 2_000);
        process.kill(scene.pid, 'SIGKILL');
        await scene.ended();
        scene.launch(['--resume', threadId, '--store', url]);
        await scene.shows('Enter sends');
      }
      // What was stored while nothing ran waits for the end of the next turn.
      await scene.say('End.');
      await vi.waitUntil(async () => (await log.getThread(threadId))?.open === undefined, {
        timeout: 30_000 + rounds * 30_000,
        interval: 200,
      });
      const events = await log.read(threadId);
      const said = events.flatMap(event => (event.type === 'user' ? [event.content] : []));
      expect(said.filter(text => JSON.stringify(text).includes('message'))).toEqual(accepted);
      expect(accepted.length).toBeGreaterThan(rounds);
      expect(events.reduce(messageQueue().step, messageQueue().initial).size).toBe(0);
    } finally {
      await scene.close();
      await control.close();
      await log.close();
    }
  });
});
