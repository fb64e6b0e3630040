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
import { foldSpans } from '../../src/protocols/otel/span-fold.ts';
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

  it('is one trace, with a span for each run and call and all of its usage', () => {
    const logged = events.map((event, index) => ({ ...event, seq: index + 1, ts: event.ts ?? '' }));
    const spans = foldSpans(logged, { threadId: 't', open: true });
    const named = (name: string) => spans.filter(span => span.name.startsWith(name));
    const of = (...types: string[]) => events.filter(({ type }) => types.includes(type));
    expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
    expect(spans.filter(({ parentSpanId }) => parentSpanId === undefined)).toHaveLength(1);
    expect(named('invoke_agent')).toHaveLength(of('harness_start').length);
    const calls = new Set(
      of('tool_call', 'tool_start', 'tool_result').map(event => `${event.runId} ${'id' in event && event.id}`),
    );
    expect(named('execute_tool')).toHaveLength(calls.size);
    expect(named('chat').filter(({ attributes }) => 'gen_ai.usage.input_tokens' in attributes)).toHaveLength(
      of('usage').length,
    );
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
