import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../events/vocabulary.ts';
import { activeUpTo, defaultActive } from '../../graph/conversation/active.ts';
import { createConversation, reduceConversation } from '../../graph/conversation/conversation.ts';
import type { Message } from '../message.ts';
import { projectMessages } from './project-messages.ts';
import type { MessagesOptions } from './model-input.ts';
import { type Beginning, RunInput } from './run-input.ts';

const runId = 'run';
const replay = (events: readonly AgentEvent[]) => events.reduce(reduceConversation, createConversation());
const messagesOf = (events: readonly AgentEvent[], options: MessagesOptions = {}) => {
  const conversation = replay(events);
  return projectMessages(conversation, defaultActive(conversation), options);
};
const user = (content: string, run = 'asked'): AgentEvent => ({ type: 'user', runId: run, content });
const step = (number: number): AgentEvent => ({ type: 'step_start', runId, step: number });
const text = (content: string, run = runId): AgentEvent => ({ type: 'text', runId: run, id: `${run}/t`, content });
const usage: AgentEvent = { type: 'usage', runId, inputTokens: 1, outputTokens: 1 };
const call = (raw: string, run = runId): AgentEvent => ({
  type: 'tool_call',
  runId: run,
  id: `${run}/${raw}`,
  name: 't',
  input: {},
});
const result = (raw: string, context: unknown, run = runId): AgentEvent => ({
  type: 'tool_result',
  runId: run,
  id: `${run}/${raw}`,
  name: 't',
  output: { context },
});
const said = (text: string): Message => ({ role: 'assistant', content: [{ type: 'text', text }] });
const idsOf = (messages: readonly Message[]) =>
  messages.flatMap(message => (message.role === 'tool' ? message.content.map(({ id }) => id) : []));

describe('what a model is sent', () => {
  it('has every call once, its result in the order of the calls', () => {
    const events = [
      user('Go.'),
      step(0),
      text('On'),
      text(' it.'),
      call('a'),
      call('b'),
      usage,
      result('b', 2),
      result('a', 1),
    ];
    expect(messagesOf(events)).toEqual([
      { role: 'user', content: 'Go.' },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'On it.' },
          { type: 'tool_call', id: 'a', name: 't', input: {} },
          { type: 'tool_call', id: 'b', name: 't', input: {} },
        ],
      },
      {
        role: 'tool',
        content: [
          { type: 'tool_result', id: 'a', name: 't', output: { context: 1 } },
          { type: 'tool_result', id: 'b', name: 't', output: { context: 2 } },
        ],
      },
    ]);
  });

  it('leaves out an attempt at a step that another one replaced, also when a person spoke between', () => {
    const attempt = [step(0), text('Half'), call('a')];
    expect(messagesOf([user('Go.'), ...attempt, step(0), text('Whole.'), usage])).toEqual([
      { role: 'user', content: 'Go.' },
      said('Whole.'),
    ]);
    expect(messagesOf([user('Go.'), ...attempt, user('Now.', runId), step(0), text('Whole.'), usage])).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Go.' },
          { type: 'text', text: 'Now.' },
        ],
      },
      said('Whole.'),
    ]);
  });

  it('keeps the last attempt when nothing replaced it, without reasoning that was cut off', () => {
    const reasoning: AgentEvent = { type: 'reasoning', runId, id: 'r', content: 'Hm', providerMetadata: { a: {} } };
    expect(messagesOf([user('Go.'), step(0), reasoning, text('Half')])).toEqual([
      { role: 'user', content: 'Go.' },
      said('Half'),
    ]);
    expect(messagesOf([user('Go.'), step(0), reasoning])).toEqual([{ role: 'user', content: 'Go.' }]);
    expect(messagesOf([user('Go.'), step(0), reasoning, text('Whole'), usage])[1]?.content).toEqual([
      { type: 'reasoning', text: 'Hm', providerMetadata: { a: {} } },
      { type: 'text', text: 'Whole' },
    ]);
    expect(messagesOf([user('Go.'), step(0), reasoning, usage])).toHaveLength(1);
  });

  it('says of a call without a result whether it was started', () => {
    const start: AgentEvent = { type: 'tool_start', runId, id: `${runId}/a`, name: 't' };
    const [, , results] = messagesOf([user('Go.'), step(0), call('a'), call('b'), usage, start]);
    expect(results?.content).toMatchObject([
      { id: 'a', output: { error: expect.stringContaining('outcome of this call is unknown') as string } },
      { id: 'b', output: { error: expect.stringContaining('no result') as string } },
    ]);
  });

  it('leaves out what subagents did inside, however deep', () => {
    const inner = (run: string, parentId: string): AgentEvent[] => [
      { type: 'harness_start', runId: run, parentId, agentId: 'sub' },
      text('inside', run),
      call('x', run),
    ];
    const events = [
      user('Go.'),
      step(0),
      call('a'),
      usage,
      ...inner('sub', 'run/a'),
      ...inner('deep', 'sub/x'),
      result('a', 1),
    ];
    expect(JSON.stringify(messagesOf(events))).not.toContain('inside');
  });

  it('numbers ids that repeat over the runs of a thread, the same from the log and from a history', () => {
    const turn = (run: string): AgentEvent[] => [
      user('Go.', `${run}-asked`),
      { type: 'step_start', runId: run, step: 0 },
      call('call_1', run),
      { ...usage, runId: run },
      result('call_1', run, run),
    ];
    const whole = [...turn('one'), ...turn('two'), ...turn('three')];
    expect(idsOf(messagesOf(whole))).toEqual(['call_1', 'call_1_2', 'call_1_3']);
    for (let at = 0; at <= 15; at += 5)
      expect(messagesOf(whole.slice(at), { history: messagesOf(whole.slice(0, at)) })).toEqual(messagesOf(whole));
  });

  it('gives the id of a call that was left out to the next that wants it', () => {
    const replaced = [user('Go.'), step(0), call('call_1'), step(0), text('No.'), usage];
    const next = [user('Again.', 'asked-2'), call('call_1', 'two'), result('call_1', 1, 'two')];
    expect(idsOf(messagesOf([...replaced, ...next]))).toEqual(['call_1']);
    expect(messagesOf(next, { history: messagesOf(replaced) })).toEqual(messagesOf([...replaced, ...next]));
  });

  it('sends ids that every provider takes', () => {
    const raw = ['a/b', 'ü', '', 'x'.repeat(99), `${'x'.repeat(98)}y`];
    const events = [user('Go.'), step(0), ...raw.map(id => call(id)), usage];
    expect(idsOf(messagesOf(events))).toEqual(['a_b', '_', 'call', 'x'.repeat(64), `${'x'.repeat(62)}_2`]);
  });
});

describe('a long output', () => {
  const long = (context: unknown) => [user('Go.'), step(0), call('a'), usage, result('a', context)];
  const outputOf = (messages: readonly Message[]) => {
    const last = messages.at(-1);
    const output = last?.role === 'tool' ? last.content[0]?.output : undefined;
    return output && 'context' in output ? (output.context as string) : undefined;
  };

  it('is cut in the middle to the limit, and says so', () => {
    const output = outputOf(messagesOf(long(`start${'.'.repeat(1000)}end`), { maxOutputLength: 100 }));
    expect(output).toMatch(/^start\.+\n\[… 9\d\d characters left out …\]\n\.+end$/);
    expect(output?.length).toBeLessThanOrEqual(100);
    expect(
      outputOf(messagesOf(long({ list: Array(100).fill(1) }), { maxOutputLength: 60 }))?.length,
    ).toBeLessThanOrEqual(60);
    expect(outputOf(messagesOf(long('x'.repeat(100)), { maxOutputLength: 10 }))).toBe('x'.repeat(10));
  });

  it('is the same when it comes from a history, shortened before or not', () => {
    const events = long('x'.repeat(1000));
    const expected = messagesOf(events, { maxOutputLength: 100 });
    for (const history of [messagesOf(events), expected])
      expect(messagesOf([], { history, maxOutputLength: 100 })).toEqual(expected);
  });

  it('is never cut within a character', () => {
    for (let max = 1; max < 120; max++) {
      const output = outputOf(messagesOf(long('😀'.repeat(200)), { maxOutputLength: max }));
      expect(() => encodeURIComponent(output ?? '')).not.toThrow();
      expect(output?.length).toBeLessThanOrEqual(max);
    }
  });
});

describe('what the model of a run is sent', () => {
  const blank: AgentEvent = { type: 'text', runId, id: `${runId}/b`, content: ' ' };
  const reasoning: AgentEvent = { type: 'reasoning', runId, id: 'r', content: 'Hm', providerMetadata: { a: {} } };
  const start: AgentEvent = { type: 'tool_start', runId, id: `${runId}/a`, name: 't' };
  const summaryOf = ({ from, to }: Beginning, id: number): AgentEvent => {
    return { type: 'summary', runId, id: `s-${id}`, covers: { from, to }, text: `Short ${id}.`, kind: 'compaction' };
  };
  const own = fc.oneof(
    fc.nat(3).map(step),
    fc.constantFrom(text('Yes. '), text('No. '), blank, reasoning, usage, start, user('Now.', runId), user(' ', runId)),
    fc.constantFrom('a', 'b', 'a/b').map(raw => call(raw)),
    fc.constantFrom('a', 'b').map(raw => result(raw, 'x'.repeat(200))),
    fc.record({ cover: fc.nat() }),
  );
  const before: AgentEvent[] = [
    user('First.', 'first'),
    { type: 'harness_start', runId: 'before', agentId: 'a', parentId: 'first:user' },
    call('a', 'before'),
    result('a', 'y'.repeat(200), 'before'),
    text('Done.', 'before'),
    { type: 'harness_end', runId: 'before', agentId: 'a', reason: 'complete' },
    user('Second.', 'second'),
    { type: 'harness_start', runId, agentId: 'a', parentId: 'second:user' },
  ];
  const inputFor = () => {
    const conversation = replay(before);
    const history = projectMessages(conversation, activeUpTo(conversation, 'second:user'));
    return new RunInput({ runId, history, maxOutputLength: 100, firstId: 'first:user', previousId: 'before' });
  };

  it('is the projection of its thread from scratch after every event, whenever it is looked at', () => {
    let summaries = 0;
    fc.assert(
      fc.property(fc.array(own, { maxLength: 40 }), fc.infiniteStream(fc.boolean()), (events, looks) => {
        const input = inputFor();
        let conversation = replay(before);
        for (const [index, next] of events.entries()) {
          const covered = 'cover' in next ? input.beginnings() : [];
          const beginning = 'cover' in next ? covered[next.cover % covered.length] : undefined;
          const event = 'type' in next ? next : beginning && summaryOf(beginning, index);
          if (event === undefined) continue;
          if (event.type === 'summary') summaries++;
          input.add(event);
          conversation = reduceConversation(conversation, event);
          if (looks.next().value === true)
            expect(input.messages()).toEqual(
              projectMessages(conversation, activeUpTo(conversation, runId), { maxOutputLength: 100 }),
            );
        }
      }),
      { numRuns: 300 },
    );
    expect(summaries).toBeGreaterThan(100);
  });

  it('has the same messages as before, where nothing changed', () => {
    const input = inputFor();
    for (const event of [step(0), call('b'), usage, result('b', 1)]) input.add(event);
    const earlier = input.messages();
    for (const event of [step(1), text('Done.'), usage]) input.add(event);
    expect(
      input
        .messages()
        .slice(0, earlier.length)
        .every((message, at) => message === earlier[at]),
    ).toBe(true);
    expect(input.messages()).toHaveLength(earlier.length + 1);
  });
});
