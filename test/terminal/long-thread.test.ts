import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../src/events/index.ts';
import { SqliteLog } from '../../src/log/index.ts';
import { ChatScene } from './chat-scene.ts';

const turns = 25_000;
const folder = mkdtempSync(join(tmpdir(), 'singletree-long-'));
const file = join(folder, 'long.db');
let scene: ChatScene | undefined;
afterEach(() => scene?.close());
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function turnOf(turn: number): AgentEvent[] {
  const [asked, runId] = [`asked-${turn}`, `run-${turn}`];
  const parent = turn === 0 ? {} : { parentMessageId: `run-${turn - 1}` };
  return [
    { type: 'user', runId: asked, content: `question ${turn}`, ...parent },
    { type: 'harness_start', runId, agentId: 'coder', parentId: `${asked}:user` },
    { type: 'text', runId, id: `${runId}/t`, content: turn === 12_345 ? 'the needle' : `answer ${turn}` },
    { type: 'harness_end', runId, agentId: 'coder', reason: 'complete' },
  ];
}

beforeAll(async () => {
  const log = new SqliteLog(file);
  await log.createThread({ id: 'long', resourceId: 'default' });
  for (let at = 0; at < turns; at += 500)
    await log.append('long', Array.from({ length: 500 }, (_, index) => turnOf(at + index)).flat());
  await log.close();
}, 60_000);

const firstTurn = (screen: string) => Number(/question (\d+)/.exec(screen)?.[1]);

describe('a thread of 100,000 events', () => {
  it('opens at its end, is read back to its first message, searched, and answered', async () => {
    const chat = await ChatScene.start(['The newest answer.'], {
      args: ['coder', '--resume', 'long', '--db', file],
    });
    scene = chat;
    await chat.shows(`answer ${turns - 1}`);
    expect(chat.scrollback().join('\n')).toContain('Earlier messages are in the transcript: Ctrl+O.');
    expect(chat.scrollback().join('\n')).not.toContain(`question ${turns - 2_000}`);

    // Earlier rows are read on demand: page by page, the first ones at once, and where a search leads.
    chat.type('\u000f');
    await chat.shows('q close');
    await chat.shows(`answer ${turns - 1}`);
    chat.type('b'.repeat(60));
    await chat.shows(screen => firstTurn(screen) < turns - 200);
    chat.type('g');
    await chat.shows(screen => screen.startsWith('› question 0\n'));
    chat.type(' ');
    await chat.shows(screen => firstTurn(screen) > 3);
    chat.type('/the needle\r');
    await chat.shows('the needle\n\n› question 12346');
    chat.type('G');
    await chat.shows(`answer ${turns - 1}`);
    chat.type('q');
    await chat.until(() => !chat.isAlternate);

    // Messages to go back to are read as the person goes up, and where the filter needs them.
    await chat.act('/rewind\r', /question 24999[^]*› \(now\)/);
    await chat.act('\u001b[5~'.repeat(60), /› question 24750\s/);
    await chat.act('\u001b[5~'.repeat(60), /› question 24500\s/);
    await chat.act('question 23456', /› question 23456\s/);
    await chat.act('\u001b', screen => !screen.includes('Go back to before'));

    // A message is in the thread at once. Its run is sent the whole conversation: reading it holds no key up.
    await chat.say('one more question');
    await chat.shows(/› one more question\n[^]*Reading the thread/);
    await chat.act('the next one', /Reading the thread[^]*› the next one/);
    await chat.shows('The newest answer.', 100_000);
  }, 180_000);
});
