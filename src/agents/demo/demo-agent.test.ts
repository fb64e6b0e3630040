import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../events/vocabulary.ts';
import { checkOrder } from '../../events/order.ts';
import type { Answers } from '../contract/host.ts';
import { demoAgent, demoSuggestions } from './demo-agent.ts';

const folder = mkdtempSync(join(tmpdir(), 'singletree-demo-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const approve: Answers = { wait: relayId => Promise.resolve({ relayId, outcome: 'approve' }) };

async function ask(content: string): Promise<AgentEvent[]> {
  const events: AgentEvent[] = [];
  const agent = demoAgent({ folder, paceMs: 0 });
  const signal = new AbortController().signal;
  const messages = [{ role: 'user' as const, content }];
  for await (const event of agent.invoke({
    run: { runId: 'run', signal },
    conversation: { messages },
    host: { answers: approve },
  }))
    events.push(event);
  expect(checkOrder(events)).toEqual([]);
  expect(events.filter(event => event.type === 'error')).toEqual([]);
  return events;
}
const started = (events: readonly AgentEvent[]) =>
  events.flatMap(event => (event.type === 'harness_start' ? [event.agentId] : []));
const said = (events: readonly AgentEvent[]) =>
  events.map(event => (event.type === 'text' && event.runId === 'run' ? event.content : '')).join('');

describe('the demo agent', () => {
  const [note, team, book] = demoSuggestions;

  it('asks before it saves a note', async () => {
    const events = await ask(note);
    expect(events.filter(event => event.type === 'relay')).toHaveLength(1);
    expect(said(events)).toContain('the note is saved');
  });

  it('shows concurrent subagents', async () => {
    const events = await ask(team);
    expect(started(events)).toEqual(['demo', 'scout', 'scout', 'scout']);
    const ends = events.findIndex(event => event.type === 'harness_end');
    expect(events.findLastIndex(event => event.type === 'harness_start')).toBeLessThan(ends);
    expect(said(events)).toContain('All three are back');
  });

  it('shows a recursive language model that reads a long text', async () => {
    const events = await ask(book);
    expect(started(events)).toEqual(['demo', 'archivist', 'llm_query', 'llm_query', 'llm_query', 'llm_query']);
    expect(events.filter(event => event.type === 'repl_output')).toMatchObject([
      { stdout: expect.stringContaining('30000 lines') as string, done: false },
      { done: true },
    ]);
    expect(said(events)).toContain('Day 21417: the lighthouse keeper found a green bottle with a map in it.');
  });
});
