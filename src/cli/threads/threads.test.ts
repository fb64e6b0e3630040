import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../events/vocabulary.ts';
import { MemoryLog } from '../../log/memory-log.ts';
import { readEvents } from '../../log/read-events.ts';
import { demoRun } from '../demo.ts';
import { ageText, tableLines } from '../print.ts';
import { findThread, shortIds } from './find-thread.ts';
import { Transcript } from './transcript.ts';

describe('finding a thread', () => {
  it('takes an id, a unique beginning of one, and "last"', async () => {
    const log = new MemoryLog();
    for (const id of ['aaaa-1', 'aaaa-2', 'bbbb-1']) await log.createThread({ id });
    expect((await findThread(log, 'aaaa-1')).id).toBe('aaaa-1');
    expect((await findThread(log, 'bbbb')).id).toBe('bbbb-1');
    expect((await findThread(log, 'last')).id).toBe((await log.listThreads({ limit: 1 }))[0]?.id);
    await expect(findThread(log, 'aaaa')).rejects.toThrow('is the beginning of 2 threads');
    await expect(findThread(log, 'bb')).rejects.toMatchObject({ code: 'thread_not_found' });
    await expect(findThread(new MemoryLog(), 'last')).rejects.toMatchObject({ code: 'thread_not_found' });
  });

  it('shortens ids as far as they stay unique', () => {
    expect([...shortIds(['0123456789ab', '0123456789ac', 'ffff0000ffff']).values()]).toEqual([
      '0123456789ab',
      '0123456789ac',
      'ffff0000ffff',
    ]);
    expect(shortIds([]).size).toBe(0);
  });
});

describe('the age of a thread', () => {
  it.each([
    [5, '5 s'],
    [150, '2 min'],
    [7200, '2 h'],
    [200_000, '2 d'],
    [-5, '0 s'],
  ])('states its age in one unit: %i s', (seconds, text) => {
    const now = Date.parse('2026-01-01T00:00:00Z');
    expect(ageText(new Date(now - seconds * 1000).toISOString(), now)).toBe(text);
  });
});

describe('a summary in a printed thread', () => {
  it('shows its size, its text and how to take it back', async () => {
    const covers = { from: 'u:user', to: 'a' };
    const text = await printed([
      { type: 'user', runId: 'u', content: 'Hello' },
      {
        type: 'summary',
        runId: 'a',
        id: 's',
        covers,
        kind: 'compaction',
        text: 'One.\nTwo.',
        tokens: 9,
        coveredTokens: 99,
      },
      { type: 'summary', runId: 'a', id: 'b', covers, kind: 'observation', active: false, text: 'Not yet.' },
    ]);
    expect(text).toBe(
      '\n› Hello\n≡ Summarised what came before: 99 → 9 tokens. To take it back: singletree branch THREAD --at 1\n  │ One.\n  │ Two.\n',
    );
  });
});

async function printed(events: readonly AgentEvent[]): Promise<string> {
  const log = new MemoryLog();
  const { id } = await log.createThread();
  await log.append(id, events);
  const transcript = new Transcript();
  let text = '';
  for await (const event of readEvents(log, id)) text += transcript.take(event);
  return text + transcript.end();
}

describe('a transcript', () => {
  it('shows messages, text, calls and decisions, without the text of subagents', async () => {
    expect(await printed([...demoRun()])).toBe(
      [
        '',
        '› What is in this folder, and is any of it out of date?',
        'I’ll list the files first.'.replace('’', "'"),
        '? Run $ ls -l',
        '  → Approved by you',
        '• Listed .',
        '  • subagent started (reader)',
        '  • subagent completed (reader)',
        'There are two files; plan.md is out of date.',
        '',
      ].join('\n'),
    );
  });

  it('prints no control characters of a model or a title', async () => {
    const escape = '\u001b[2J\u009b1A\u0007';
    const text = await printed([
      { type: 'user', runId: 'u', content: `a${escape}b`, by: `x${escape}` },
      { type: 'text', runId: 'r', id: 't', content: `c${escape}d` },
      { type: 'error', runId: 'r', message: `e${escape}` },
    ]);
    // oxlint-disable-next-line no-control-regex
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
    expect(tableLines([[`x${escape}`, 'y']])[0]).toBe('x [2J 1A   y');
  });
});
