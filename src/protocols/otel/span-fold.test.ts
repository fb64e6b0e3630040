import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AgentEvent, LoggedEvent } from '../../events/vocabulary.ts';
import { conversationLog } from '../../../test/support/random-conversations.ts';
import { foldSpans, SpanFold } from './span-fold.ts';
import type { Span } from './span.ts';

const threadId = 't';
const base = Date.parse('2026-01-01T00:00:00.000Z');

/** Events with their times in seconds. */
function logged(...events: [seconds: number, event: AgentEvent][]): LoggedEvent[] {
  return events.map(([seconds, event], index) => ({
    ...event,
    seq: index + 1,
    ts: new Date(base + seconds * 1000).toISOString(),
  }));
}
const run = 'r';
const call = { runId: run, id: 'r/1', name: 'bash' };
const start: AgentEvent = { type: 'harness_start', runId: run, agentId: 'coder', parentId: 'u:user', model: 'zai/glm' };
const end: AgentEvent = { type: 'harness_end', runId: run, agentId: 'coder', reason: 'complete' };
const ask: AgentEvent = {
  type: 'relay',
  runId: run,
  id: 'q',
  relayKind: 'permission',
  toolCallId: 'r/1',
  tool: 'bash',
  params: {},
};
const turn = logged(
  [0, { type: 'user', runId: 'u', content: 'Test it.' }],
  [1, start],
  [2, { type: 'step_start', runId: run, step: 0, model: 'zai/glm', callId: 'c1' }],
  [3, { type: 'text', runId: run, id: 'r/t', content: 'Running ' }],
  [3, { type: 'text', runId: run, id: 'r/t', content: 'it.' }],
  [4, { type: 'tool_call', ...call, input: { command: 'npm test' } }],
  [4, { type: 'usage', runId: run, inputTokens: 7, outputTokens: 3, callId: 'c1', finishReason: 'tool-calls' }],
  [5, ask],
  [15, { type: 'relay_resolved', runId: run, relayId: 'q', outcome: 'approve', by: 'ada' }],
  [15, { type: 'tool_start', ...call }],
  [16, { type: 'harness_start', runId: 'child', agentId: 'reader', parentId: 'r/1' }],
  [17, { type: 'harness_end', runId: 'child', agentId: 'reader', reason: 'complete' }],
  [18, { type: 'tool_result', ...call, output: { context: 'ok' } }],
  [18, { type: 'step_start', runId: run, step: 1, model: 'zai/glm', callId: 'c2' }],
  [19, { type: 'text', runId: run, id: 'r/t2', content: 'Passed.' }],
  [20, { type: 'usage', runId: run, inputTokens: 9, outputTokens: 1, callId: 'c2', finishReason: 'stop', cost: 0.5 }],
  [21, end],
);
const rows = (spans: readonly Span[]) =>
  spans.map(({ name, start: from, end: to, parentSpanId }) => {
    const parent = spans.find(({ spanId }) => spanId === parentSpanId)?.name ?? 'none';
    return `${name} ${(from - base) / 1000}-${(to - base) / 1000} in ${parent}`;
  });
const named = (spans: readonly Span[], name: string) => spans.find(span => span.name === name);

describe('the spans of a thread', () => {
  it('are one for each run, model call, tool, subagent and relay, each inside of the right one', () => {
    expect(rows(foldSpans(turn, { threadId }))).toEqual([
      'chat glm 2-4 in invoke_agent coder',
      'relay permission 5-15 in execute_tool bash',
      'invoke_agent reader 16-17 in execute_tool bash',
      'execute_tool bash 4-18 in invoke_agent coder',
      'chat glm 18-20 in invoke_agent coder',
      'invoke_agent coder 1-21 in none',
    ]);
  });

  it('have the attributes of the conventions, and no content', () => {
    const spans = foldSpans(turn, { threadId });
    expect(spans.at(-1)?.attributes).toEqual({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': 'coder',
      'gen_ai.agent.id': 'coder',
      'gen_ai.conversation.id': 't',
      'gen_ai.provider.name': 'zai',
      'gen_ai.request.model': 'glm',
      'gen_ai.usage.input_tokens': 16,
      'gen_ai.usage.output_tokens': 4,
      'singletree.cost_usd': 0.5,
      'singletree.outcome': 'complete',
      'gen_ai.response.finish_reasons': ['stop'],
    });
    expect(spans[0]?.attributes).toMatchObject({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'zai',
      'gen_ai.request.model': 'glm',
      'gen_ai.usage.input_tokens': 7,
      'gen_ai.response.finish_reasons': ['tool-calls'],
    });
    expect(named(spans, 'execute_tool bash')?.attributes).toEqual({
      'gen_ai.conversation.id': 't',
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'bash',
      'gen_ai.tool.call.id': 'r/1',
      'gen_ai.tool.type': 'function',
      'singletree.wait_ms': 10_000,
    });
    expect(JSON.stringify(spans)).not.toMatch(/npm test|Passed|Test it/);
  });

  it('say how long a person was waited for, and who answered', () => {
    expect(named(foldSpans(turn, { threadId }), 'relay permission')?.attributes).toEqual({
      'gen_ai.conversation.id': 't',
      'singletree.relay.id': 'q',
      'singletree.relay.kind': 'permission',
      'singletree.relay.tool': 'bash',
      'singletree.relay.outcome': 'approve',
      'singletree.relay.by': 'ada',
      'singletree.wait_ms': 10_000,
    });
  });

  it('have what was said when it is asked for, as JSON of bounded length', () => {
    const spans = foldSpans(turn, { threadId, content: true });
    const read = (span: Span | undefined, key: string): unknown => JSON.parse(String(span?.attributes[key]));
    const user = { role: 'user', parts: [{ type: 'text', content: 'Test it.' }] };
    expect(read(spans[0], 'gen_ai.input.messages')).toEqual([user]);
    expect(read(spans[0], 'gen_ai.output.messages')).toEqual([
      {
        role: 'assistant',
        parts: [
          { type: 'text', content: 'Running it.' },
          { type: 'tool_call', id: 'r/1', name: 'bash', arguments: { command: 'npm test' } },
        ],
        finish_reason: 'tool-calls',
      },
    ]);
    expect(read(spans[4], 'gen_ai.input.messages')).toEqual([
      { role: 'tool', parts: [{ type: 'tool_call_response', id: 'r/1', response: 'ok' }] },
    ]);
    expect(read(named(spans, 'execute_tool bash'), 'gen_ai.tool.call.arguments')).toEqual({ command: 'npm test' });
    expect(read(named(spans, 'execute_tool bash'), 'gen_ai.tool.call.result')).toBe('ok');
    expect(read(spans.at(-1), 'gen_ai.input.messages')).toEqual([user]);
    expect(read(spans.at(-1), 'gen_ai.output.messages')).toMatchObject([{ parts: [{ content: 'Passed.' }] }]);
    const long = foldSpans(
      logged([0, { type: 'user', runId: 'u', content: 'x'.repeat(100_000) }], [1, start], [2, end]),
      { threadId, content: true },
    );
    expect(String(long[0]?.attributes['gen_ai.input.messages']).length).toBeLessThan(32_768);
    expect(long[0]?.attributes['singletree.truncated']).toBe(true);
  });

  it('belong to the trace that the caller named, inside of its span', () => {
    const trace = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', parentSpanId: '00f067aa0ba902b7', sampled: false };
    expect(foldSpans(logged([0, { ...start, trace }], [1, end]), { threadId })).toMatchObject([
      { traceId: trace.traceId, parentSpanId: trace.parentSpanId, hasRemoteParent: true, isSampled: false },
    ]);
  });

  it('include a run that ended before its agent began', () => {
    const requested: AgentEvent = { type: 'run_requested', runId: run, agentId: 'coder', parentId: 'u:user' };
    expect(rows(foldSpans(logged([1, requested], [2, end]), { threadId }))).toEqual(['invoke_agent coder 1-2 in none']);
  });

  it('say what a tool did, whatever agent called it', () => {
    const spans = foldSpans(
      logged(
        [0, start],
        [1, { type: 'tool_call', ...call, input: { command: 'npm test' } }],
        [2, { type: 'tool_result', ...call, output: { context: 'ok' } }],
      ),
      { threadId },
    );
    expect(spans[0]?.attributes['singletree.activity']).toBe('command');
  });

  it('link the root of a turn with that of the turn before', () => {
    const again = { ...start, runId: 'r2' } as AgentEvent;
    const spans = foldSpans(logged([0, start], [1, end], [2, again], [3, { ...end, runId: 'r2' }]), {
      threadId,
    });
    expect(spans[1]?.links).toMatchObject([{ traceId: spans[0]?.traceId, spanId: spans[0]?.spanId }]);
    expect(spans[1]?.traceId).not.toBe(spans[0]?.traceId);
  });

  it('fail where a run, a tool or an attempt failed', () => {
    const spans = foldSpans(
      logged(
        [0, start],
        [1, { type: 'step_start', runId: run, step: 0 }],
        [2, { type: 'step_start', runId: run, step: 0 }],
        [3, { type: 'tool_call', ...call, input: {} }],
        [4, { type: 'tool_result', ...call, output: { status: 'denied', reason: 'no' } }],
        [5, { type: 'error', runId: run, message: 'It broke.', code: 'provider_failed', fatal: true }],
        [6, { ...end, reason: 'error' }],
      ),
      { threadId },
    );
    expect(spans.map(({ name, failure, attributes }) => [name, attributes['error.type'], failure])).toEqual([
      ['chat glm', 'replaced', 'The attempt was repeated.'],
      ['execute_tool bash', 'denied', 'no'],
      ['chat glm', undefined, undefined],
      ['invoke_agent coder', 'provider_failed', 'It broke.'],
    ]);
    expect(spans.at(-1)?.events).toMatchObject([{ name: 'exception' }]);
  });

  it('of an open run are exported only when they are asked for; a recorded run counts as interrupted', () => {
    const events = logged([0, start], [1, { type: 'tool_call', ...call, input: {} }]);
    expect(foldSpans(events, { threadId })).toEqual([]);
    expect(foldSpans(events, { threadId, open: true }).at(-1)?.attributes).toMatchObject({ 'singletree.open': true });
    const recorded = logged(
      [0, { ...start, recorded: true }],
      [3, { type: 'text', runId: run, id: 'x', content: 'Hi' }],
    );
    expect(rows(foldSpans(recorded, { threadId }))).toEqual([
      'chat glm 0-3 in invoke_agent coder',
      'invoke_agent coder 0-3 in none',
    ]);
  });

  it('leave out what a branch shares with the thread it was cut from, but for the link to it', () => {
    const own = turn.map(event => ({ ...event, seq: event.seq + 2, runId: event.runId === run ? 'own' : event.runId }));
    const events = [...logged([0, start], [1, end]), ...own] as LoggedEvent[];
    const spans = foldSpans(events, { threadId: 'branch', sharedSeq: 2 });
    expect(spans).toHaveLength(6);
    const [shared] = foldSpans(events.slice(0, 2), { threadId });
    expect(spans.at(-1)?.links).toMatchObject([{ spanId: shared?.spanId }]);
  });
});

describe('for random logs', () => {
  it('events that are delivered twice have no effect', () => {
    fc.assert(
      fc.property(conversationLog(80), fc.boolean(), (events, content) => {
        const fold = new SpanFold({ threadId, content });
        const twice = events.flatMap(event => [...fold.take(event), ...fold.take(event)]);
        const once = [...new Map(events.map(event => [event.seq, event])).values()];
        expect(twice).toEqual(foldSpans(once, { threadId, content }));
      }),
    );
  });

  it('every run, tool, relay and usage has exactly one span, each in its run, ended after its start', () => {
    fc.assert(
      fc.property(conversationLog(80), events => {
        const spans = foldSpans(events, { threadId, open: true });
        const ids = new Map(spans.map(span => [span.spanId, span]));
        expect(ids.size).toBe(spans.length);
        for (const { parentSpanId, traceId, start: from, end: to } of spans) {
          expect(to).toBeGreaterThanOrEqual(from);
          if (parentSpanId !== undefined) expect(ids.get(parentSpanId)?.traceId).toBe(traceId);
        }
        const once = [...new Map(events.map(event => [event.seq, event])).values()];
        const count = (name: string) => spans.filter(span => span.name.startsWith(name)).length;
        const of = (type: AgentEvent['type']) => once.filter(event => event.type === type);
        expect(count('invoke_agent')).toBe(of('harness_start').length);
        expect(count('relay')).toBe(of('relay').length);
        const calls = new Set(of('tool_call').map(event => (event as { id: string }).id));
        const tools = spans.filter(({ name }) => name.startsWith('execute_tool') && name !== 'execute_tool repl');
        expect(new Set(tools.map(({ attributes }) => attributes['gen_ai.tool.call.id']))).toEqual(calls);
        expect(count('execute_tool repl')).toBe(of('repl_input').length);
        expect(count('chat')).toBeGreaterThanOrEqual(of('step_start').length);
        const roots = spans.filter(({ parentSpanId }) => parentSpanId === undefined);
        expect(roots.every(({ name }) => name.startsWith('invoke_agent'))).toBe(true);
        expect(new Set(roots.map(({ traceId }) => traceId)).size).toBe(roots.length);
        for (const root of spans.filter(({ name }) => name.startsWith('invoke_agent'))) {
          const chats = spans.filter(
            ({ name, parentSpanId }) => parentSpanId === root.spanId && name.startsWith('chat'),
          );
          const sum = (span: Span) => Number(span.attributes['gen_ai.usage.input_tokens'] ?? 0);
          expect(chats.reduce((total, span) => total + sum(span), 0)).toBe(sum(root));
        }
      }),
    );
  });

  it('ids and spans of ended runs do not depend on what follows', () => {
    fc.assert(
      fc.property(conversationLog(60), fc.nat(60), (events, cut) => {
        const before = foldSpans(events.slice(0, cut), { threadId });
        expect(foldSpans(events, { threadId }).slice(0, before.length)).toEqual(before);
      }),
    );
  });
});
