import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../events/vocabulary.ts';
import { MemoryLog } from '../../log/memory-log.ts';
import { readEvents } from '../../log/read-events.ts';
import { threadReading } from '../../projections/reading/thread-reading.ts';
import { SentMessages } from './sent-messages.ts';

function turn(at: number, after: string): AgentEvent[] {
  const [asked, runId] = [`asked-${at}`, `run-${at}`];
  return [
    { type: 'user', runId: asked, content: `question ${at}`, parentMessageId: after },
    { type: 'harness_start', runId, agentId: 'coder', parentId: `${asked}:user` },
    { type: 'text', runId, id: `${runId}/t`, content: `answer ${at}` },
    { type: 'harness_end', runId, agentId: 'coder', reason: 'complete' },
  ];
}

/** A thread of 1,500 turns in which the messages 400 to 449 were taken back, and 1,000 to 1,009. */
async function longThread(): Promise<MemoryLog> {
  const log = new MemoryLog();
  await log.createThread({ id: 't' });
  const events: AgentEvent[] = [];
  for (let at = 0; at < 1_500; at++) {
    const after = at === 450 ? 'run-399' : at === 1_010 ? 'run-999' : at === 0 ? '' : `run-${at - 1}`;
    events.push(...turn(at, after));
  }
  await log.append('t', events);
  return log;
}

describe('the messages of the person', () => {
  it('are those of the newest part at first, and of the whole branch in the end', async () => {
    const log = await longThread();
    const sent = await SentMessages.open(log, 't');
    expect(sent.messages.length).toBeLessThan(400);
    expect(sent.messages.at(-1)).toMatchObject({ messageId: 'asked-1499:user', text: 'question 1499' });
    expect(sent.messages.at(-1)?.at).toBeGreaterThan(0);
    let rounds = 0;
    for (; sent.hasEarlier; rounds++) await sent.loadEarlier();
    expect(rounds).toBeGreaterThan(3);
    let state = threadReading.initial;
    for await (const event of readEvents(log, 't')) state = threadReading.step(state, event);
    const whole = threadReading.view(state).nodes.filter(({ role }) => role === 'user');
    expect(sent.messages.map(({ text }) => text)).toEqual(whole.map(({ text }) => text));
    expect(sent.messages).toHaveLength(1_440);
  });
});
