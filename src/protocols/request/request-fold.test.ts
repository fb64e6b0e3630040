import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { requestLog } from '../../../test/support/random-requests.ts';
import { type Line, request } from '../../../test/support/request-examples.ts';
import type { AgentEvent } from '../../events/vocabulary.ts';
import { relayBook } from '../../projections/relay-book.ts';
import type { Fact } from './fact.ts';
import { readProgress } from './shown-call.ts';
import { RequestFold, type RequestOptions } from './request-fold.ts';

function facts(events: readonly AgentEvent[], options?: RequestOptions): Fact[] {
  const fold = new RequestFold(options);
  return [...events.flatMap(event => fold.take(event)), ...fold.end()];
}

/** The facts in short: their types, with what they are about. */
function inShort(events: readonly AgentEvent[], options?: RequestOptions): string[] {
  return facts(events, options).map(fact => {
    if (fact.type === 'text') return `text ${fact.text}`;
    if (fact.type === 'call' || fact.type === 'result') return `${fact.type} ${fact.call.key}`;
    if (fact.type === 'agent-started' || fact.type === 'agent-ended') return `${fact.type} ${fact.agent.runId}`;
    return fact.type === 'ended' ? `ended ${fact.outcome.reason}` : fact.type;
  });
}

/** Several rows of names as one list. */
const list = (...rows: string[]) => rows.flatMap(row => row.split(', '));

const say = (content: string, runId = 'run'): Line => ({ type: 'text', runId, id: `${runId}/t`, content });
const call = (id: string, runId = 'run'): Line => ({
  type: 'tool_call',
  runId,
  id: `${runId}/${id}`,
  name: 'go',
  input: {},
});
const done = (id: string, runId = 'run'): Line => ({
  type: 'tool_result',
  runId,
  id: `${runId}/${id}`,
  name: 'go',
  output: { context: 'ok' },
});
const start = (runId: string, parentId: string): Line => ({ type: 'harness_start', runId, agentId: 'kid', parentId });
const stop = (runId: string): Line => ({ type: 'harness_end', runId, agentId: 'kid', reason: 'complete' });

describe('the facts of a request', () => {
  it('are those of the root run and of everything it caused', () => {
    const events = request([
      say('not of this request', 'stranger'),
      call('a'),
      start('kid', 'run/a'),
      call('b', 'kid'),
      start('grandkid', 'kid/b'),
      start('stray', 'nobody/x'),
      stop('grandkid'),
      done('b', 'kid'),
      stop('kid'),
      done('a'),
    ]);
    expect(inShort(events)).toEqual(
      list(
        'started, step, call run/a, agent-started kid, call kid/b, agent-started grandkid',
        'agent-ended grandkid, result kid/b, agent-ended kid, result run/a, ended complete',
      ),
    );
  });

  it('are those of the run that is named, whatever else the thread holds', () => {
    const events = [...request([say('first')]), ...request([say('second')])].map((event, index) => ({
      ...event,
      runId: index < 3 ? 'one' : 'two',
      seq: index + 1,
    }));
    expect(inShort(events, { runId: 'two' })).toEqual(['started', 'step', 'text second', 'ended complete']);
    expect(inShort(events)).toEqual(['started', 'step', 'text first', 'ended complete']);
  });

  it('let a subagent outlive the call that started it', () => {
    const events = request([
      call('a'),
      start('kid', 'run/a'),
      done('a'),
      start('late', 'run/a'),
      stop('kid'),
      stop('late'),
    ]);
    expect(inShort(events).slice(2)).toEqual(
      list(
        'call run/a, agent-started kid, result run/a, agent-started late',
        'agent-ended kid, agent-ended late, ended complete',
      ),
    );
  });

  it('take words under another id as those of the run that is their parent', () => {
    const voice: Line = { type: 'text', runId: 'model-1', parentId: 'run', id: 'm', content: 'hi' };
    expect(inShort(request([voice, stop('model-1'), say(' there')]))).toEqual(
      list('started, step, text hi, text  there, ended complete'),
    );
  });

  it('have an agent for a run that names another run as its parent and reports its start', () => {
    expect(inShort(request([start('kid', 'run'), say('hm', 'kid'), stop('kid')]))).toEqual(
      list('started, agent-started kid, agent-ended kid, ended complete'),
    );
  });

  it('begin a step with the first word after results when the run reports no steps', () => {
    expect(inShort(request([say('I look.'), call('a'), call('b'), done('a'), done('b'), say('Done.')]))).toEqual(
      list(
        'started, step, text I look., call run/a, call run/b, result run/a, result run/b',
        'step, text Done., ended complete',
      ),
    );
  });

  it('give a call whose id a replaced attempt used a key of its own, also in a later step', () => {
    const step = (number: number): Line => ({ type: 'step_start', step: number });
    const writing: Line = { type: 'tool_input_delta', id: 'run/a', name: 'go', delta: '{' };
    expect(inShort(request([step(0), call('a'), step(0), writing, step(0), step(1), call('a')], 'open'))).toEqual(
      list(
        'started, step, call run/a, result run/a, step, input, step, step, call run/a~3, result run/a~3, ended interrupted',
      ),
    );
  });

  it('keep a started call open when its step is repeated', () => {
    const step: Line = { type: 'step_start', step: 0 };
    const started: Line = { type: 'tool_start', id: 'run/a', name: 'go' };
    expect(inShort(request([step, call('a'), started, step, done('a')])).slice(2)).toEqual(
      list('call run/a, step, result run/a, ended complete'),
    );
  });

  it('open the call that a permission is about when the log does not', () => {
    const ask: Line = { type: 'relay', id: 'q', relayKind: 'permission', toolCallId: 'run/a', tool: 'go', params: {} };
    expect(inShort(request([ask], 'aborted'))).toEqual(
      list('started, step, call run/a, asked, decided, result run/a, ended aborted'),
    );
  });

  it('show executions of code as calls', () => {
    const events = request([
      { type: 'repl_input', id: 'x', code: 'print(1)' },
      { type: 'repl_progress', id: 'x', chunk: '1', stream: 'stdout' },
      { type: 'repl_output', id: 'x', stdout: '1', done: true },
    ]);
    expect(inShort(events)).toEqual(['started', 'step', 'call x', 'progress', 'result x', 'ended complete']);
  });

  it('count the time of a tool without the time in which a person was asked, and none of one that never ran', () => {
    const ask = (id: string, toolCallId: string): Line => {
      return { type: 'relay', id, relayKind: 'permission', toolCallId, tool: 'go', params: {} };
    };
    const answer = (relayId: string, outcome: 'approve' | 'reject'): Line => ({
      type: 'relay_resolved',
      relayId,
      outcome,
    });
    const [ended] = facts(
      request([
        call('a'),
        ask('q', 'run/a'),
        answer('q', 'approve'),
        done('a'),
        call('b'),
        ask('r', 'run/b'),
        answer('r', 'reject'),
        done('b'),
      ]),
    ).slice(-1);
    expect(ended).toMatchObject({
      totals: {
        latency: { toolMs: 200, approvalMs: 200, tools: [{ toolName: 'go', calls: 1, totalMs: 200, maxMs: 200 }] },
      },
    });
  });

  it('are only an end when the request has no events', () => {
    expect(inShort([])).toEqual(['ended interrupted']);
  });

  it('show an error that does not end the run as a warning', () => {
    const error = { type: 'error', runId: 'run', message: 'It was left out.', code: 'attachment_refused' } as const;
    expect(facts(request([error]))).toContainEqual({
      type: 'warning',
      warning: { message: 'It was left out.', code: 'attachment_refused' },
    });
  });

  it('fail when the run failed without saying why', () => {
    expect(facts(request([], 'error')).at(-1)).toMatchObject({
      outcome: { reason: 'error', message: 'The run failed and did not say why.', code: 'agent_failed' },
    });
  });
});

describe('an attempt at a step', () => {
  const begin: Line = { type: 'step_start', runId: 'run', step: 0 };
  const usage: Line = { type: 'usage', runId: 'run', inputTokens: 1, outputTokens: 1 };
  const attempts = (...lines: Line[]) =>
    facts(request(lines)).flatMap(fact => (fact.type === 'step' ? [fact.attempt] : []));

  it('is replaced by the next one at the same step, unless it was completed', () => {
    expect(attempts(begin, say('half'), begin, say('whole'))).toEqual([1, 2]);
    expect(attempts(begin, say('first'), usage, begin, say('second'), usage)).toEqual([1, 1]);
  });
});

describe('the relays of a request', () => {
  it('are asked once, whatever the log repeats', () => {
    const asked: Line = { type: 'relay', runId: 'run', id: 'q', relayKind: 'question', question: 'Which?' };
    const answered: Line = { type: 'relay_resolved', runId: 'run', relayId: 'q', outcome: 'answer', answer: 'A' };
    const types = inShort(request([asked, answered, asked, answered]));
    expect(types.filter(type => type === 'asked' || type === 'decided')).toEqual(['asked', 'decided']);
  });

  it('are open as long as the relay book has them pending and their call has no result', () => {
    fc.assert(
      fc.property(requestLog(), events => {
        const fold = new RequestFold();
        const open = new Set<string>();
        const done = new Set<string>();
        let book = relayBook.initial;
        for (const event of events) {
          for (const fact of fold.take(event)) {
            if (fact.type === 'asked') open.add(fact.relay.id);
            if (fact.type === 'decided') open.delete(fact.relay.id);
            if (fact.type === 'ended') return;
          }
          book = relayBook.step(book, event);
          if (event.type === 'tool_result') done.add(event.id);
          const pending = book.pending.filter(({ relay }) => !done.has(relay.toolCallId ?? ''));
          expect([...open]).toEqual(pending.map(({ id }) => id));
        }
      }),
    );
  });
});

describe('the progress of a tool', () => {
  it.each([
    ['half way', { label: 'half way', phaseIndex: 3, totalPhases: 3 }],
    [40, { label: 'go', phaseIndex: 3, totalPhases: 3, milestone: 40 }],
    [{ percent: 40 }, { label: 'go', phaseIndex: 3, totalPhases: 3, milestone: { percent: 40 } }],
    [
      { label: 'On it', totalPhases: 8 },
      { label: 'On it', phaseIndex: 3, totalPhases: 8 },
    ],
    [
      { label: 'Back', phaseIndex: 1, totalPhases: 4 },
      { label: 'Back', phaseIndex: 2, totalPhases: 4 },
    ],
    [
      { label: 'Far', phaseIndex: 6, totalPhases: 4, milestone: 0 },
      { label: 'Far', phaseIndex: 6, totalPhases: 6, milestone: 0 },
    ],
  ])('%j after phase 2 is %j', (content, expected) => {
    expect(readProgress(content, { toolName: 'go', phase: 2 })).toEqual(expected);
  });
});
