import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../events/vocabulary.ts';
import { MemoryLog } from '../../log/memory-log.ts';
import { readEvents } from '../../log/read-events.ts';
import { PlainRows, ThreadView } from '../../terminal/session/run-screen.ts';
import { demoRun } from '../demo.ts';
import { ageText } from '../../projections/presentation/wording.ts';
import { tableLines } from '../print.ts';
import { findThread, shortIds } from './find-thread.ts';

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
    expect(ageText(seconds * 1_000)).toBe(text);
  });
});

async function printed(events: readonly AgentEvent[], countBefore = 0): Promise<string> {
  const log = new MemoryLog({ now: () => 0 });
  const { id } = await log.createThread();
  await log.append(id, events);
  const view = await ThreadView.open(log, id, countBefore);
  const rows = new PlainRows({ view, cwd: '/' });
  let text = '';
  for await (const event of readEvents(log, id, countBefore)) {
    view.take(event);
    text += rows.take();
  }
  return text + rows.end();
}

describe('a thread that is printed without a terminal', () => {
  it('has the rows of the chat as text, and what is asked when it is asked', async () => {
    expect(await printed([...demoRun()])).toBe(
      [
        '› What is in this folder, and is any of it out of date?',
        '',
        '∴ Thought: A listing comes first, then somebody should read the dates.',
        '',
        "I'll list the files first.",
        '? Run $ ls -l',
        '',
        '• Ran $ ls -l',
        'notes.md  plan.md',
        '• Called agent Which notes are older than a year?',
        '  reader complete · plan.md was last changed in 2024.',
        '',
        'There are two files; plan.md is out of date.',
        '',
        '142 in, 35 out',
        '',
      ].join('\n'),
    );
  });

  it('begins after what was there before', async () => {
    const turn = (at: number): AgentEvent[] => [
      { type: 'user', runId: `u${at}`, content: `Question ${at}` },
      { type: 'harness_start', runId: `r${at}`, agentId: 'a', parentId: `u${at}:user` },
      { type: 'text', runId: `r${at}`, id: 't', content: `Answer ${at}` },
      { type: 'harness_end', runId: `r${at}`, agentId: 'a', reason: 'complete' },
    ];
    expect(await printed([...turn(1), ...turn(2)], 4)).toBe('› Question 2\n\nAnswer 2\n');
  });

  it('shows the size of a summary, its text and how to take it back', async () => {
    const summary = { type: 'summary', runId: 'r', covers: { from: 'u:user', to: 'r' } } as const;
    const text = await printed([
      { type: 'user', runId: 'u', content: 'Hello' },
      { type: 'harness_start', runId: 'r', agentId: 'a', parentId: 'u:user' },
      { ...summary, id: 's', kind: 'compaction', text: 'One.\n\nTwo.', tokens: 9, coveredTokens: 99 },
      { ...summary, id: 'b', kind: 'observation', active: false, text: 'Not yet.' },
      { type: 'harness_end', runId: 'r', agentId: 'a', reason: 'complete' },
    ]);
    const line =
      '≡ Earlier messages were summarised for the agent: 99 → 9 tokens · singletree branch THREAD --at 2 goes back to before it';
    expect(text).toBe(`› Hello\n\n${line}\nOne.\n\nTwo.\n`);
  });

  it('names no key of the chat, and has no control characters of a model or a title', async () => {
    const escape = '\u001b[2J\u009b1A\u0007';
    const text = await printed([
      { type: 'user', runId: 'u', content: `a${escape}b`, by: `x${escape}` },
      { type: 'harness_start', runId: 'r', agentId: 'a', parentId: 'u:user' },
      { type: 'text', runId: 'r', id: 't', content: `c${escape}d` },
      { type: 'error', runId: 'r', message: `e${escape}` },
      { type: 'tool_call', runId: 'r', id: 'c', name: 'bash', input: { command: 'seq 50' } },
      { type: 'tool_result', runId: 'r', id: 'c', name: 'bash', output: { context: 'x\n'.repeat(50) } },
      { type: 'harness_end', runId: 'r', agentId: 'a', reason: 'complete' },
    ]);
    // oxlint-disable-next-line no-control-regex
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
    expect(text).toContain('… 46 lines hidden …');
    expect(tableLines([[`x${escape}`, 'y']])[0]).toBe('x [2J 1A   y');
  });
});
