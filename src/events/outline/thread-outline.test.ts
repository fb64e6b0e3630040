import { afterEach, describe, expect, it, vi } from 'vitest';
import type { AgentEvent } from '../vocabulary.ts';
import { OutlinedCalls } from './outlined-calls.ts';
import { OutlinedRuns } from './outlined-runs.ts';
import { ThreadOutline } from './thread-outline.ts';

afterEach(() => void vi.restoreAllMocks());

const asked: AgentEvent[] = [
  { type: 'user', runId: 'asked', content: 'Go.' },
  { type: 'harness_start', runId: 'run', agentId: 'a', parentId: 'asked:user' },
];
const numbers = (count: number) => Array.from({ length: count }, (_, at) => at);
const begin = (at: number): AgentEvent[] => [
  { type: 'tool_call', runId: 'run', id: `call-${at}`, name: 'ask', input: {} },
  { type: 'harness_start', runId: `sub-${at}`, agentId: 'b', parentId: `call-${at}` },
  { type: 'tool_call', runId: `sub-${at}`, id: `own-${at}`, name: 'read', input: {} },
];
const finish = (at: number): AgentEvent => ({ type: 'harness_end', runId: `sub-${at}`, agentId: 'b' });
const answer = (at: number): AgentEvent => ({
  type: 'tool_result',
  runId: 'run',
  id: `call-${at}`,
  name: 'ask',
  output: { context: 'done' },
});

describe('the outline of a run with many subagents at once', () => {
  it('looks at everything that is open as often for ten times as many of them', () => {
    const looks = (count: number): number => {
      const all = [vi.spyOn(OutlinedRuns.prototype, 'all'), vi.spyOn(OutlinedCalls.prototype, 'all')];
      const outline = new ThreadOutline();
      const at = numbers(count);
      for (const event of [...asked, ...at.flatMap(begin), ...at.map(finish), ...at.map(answer)]) outline.take(event);
      const sum = all.reduce((total, { mock }) => total + mock.calls.length, 0);
      vi.restoreAllMocks();
      return sum;
    };
    expect(looks(400)).toBe(looks(40));
  });

  it('holds nothing of a subagent that has ended, and everything of those that run', () => {
    const outline = new ThreadOutline();
    for (const event of [...asked, ...numbers(9).flatMap(begin)]) outline.take(event);
    for (const at of [3, 0, 8, 1]) outline.take(finish(at));
    const held = () => new Set(outline.snapshot().events.map(({ runId }) => runId));
    expect(held()).toEqual(new Set(['asked', 'run', 'sub-2', 'sub-4', 'sub-5', 'sub-6', 'sub-7']));
    for (const at of [2, 4, 5, 6, 7]) outline.take(finish(at));
    expect(held()).toEqual(new Set(['asked', 'run']));
  });

  it('holds a subagent that has ended while one that it started runs', () => {
    const outline = new ThreadOutline();
    for (const event of [...asked, ...begin(1)]) outline.take(event);
    outline.take({ type: 'harness_start', runId: 'deeper', agentId: 'c', parentId: 'own-1' });
    outline.take(finish(1));
    const held = () => outline.snapshot().events.map(({ type, runId }) => `${type} ${runId}`);
    expect(held()).toEqual(expect.arrayContaining(['harness_start sub-1', 'tool_call sub-1', 'harness_start deeper']));
    outline.take({ type: 'harness_end', runId: 'deeper', agentId: 'c' });
    expect(held().filter(each => /sub-1|deeper/.test(each))).toEqual([]);
  });
});
