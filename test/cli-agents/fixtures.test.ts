import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkOrder, parseEvent } from '../../src/events/index.ts';
import {
  createConversation,
  createGraph,
  defaultActive,
  reduceConversation,
  reduceEvent,
} from '../../src/graph/index.ts';
import { projectMessages } from '../../src/projections/index.ts';
import { captures, linesOf, replay, toLines } from './captures.ts';

describe.each(captures())('$name', capture => {
  const { events, activity } = replay(capture);

  it('becomes these events', async () => {
    await expect(toLines(events)).toMatchFileSnapshot(join(capture.folder, 'events.jsonl'));
  });

  it('becomes this activity', async () => {
    await expect(toLines(activity)).toMatchFileSnapshot(join(capture.folder, 'activity.jsonl'));
  });

  it('is a legal run', () => {
    expect(events.map(parseEvent)).toEqual(events);
    expect(checkOrder(events)).toEqual([]);
  });

  it('reduces to one connected conversation graph', () => {
    const graph = events.reduce(reduceEvent, createGraph());
    const reached = new Set(['run:harness_start']);
    for (const id of reached) for (const next of graph.edges.get(id) ?? []) reached.add(next);
    expect([...graph.nodes.keys()].filter(id => !reached.has(id))).toEqual([]);
  });

  it('is sent on with one result for every call of the run itself', () => {
    const conversation = events.reduce(reduceConversation, createConversation());
    const messages = projectMessages(conversation, defaultActive(conversation));
    const count = (type: string) => JSON.stringify(messages).split(`"type":"${type}"`).length - 1;
    const calls = events.filter(event => event.type === 'tool_call' && event.runId === 'run').length;
    expect(count('tool_call')).toBeLessThanOrEqual(calls);
    expect(count('tool_result')).toBe(count('tool_call'));
  });

  it('names only lines that exist', () => {
    const count =
      linesOf(join(capture.folder, 'raw.jsonl')).length + linesOf(join(capture.folder, 'stderr.txt')).length;
    for (const { line = 0 } of events) expect(line).toBeLessThanOrEqual(count);
  });
});
