import { once } from 'node:events';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Agent } from '../../agents/contract/agent.ts';
import type { AgentEvent, EventOf, LoggedEvent } from '../../events/vocabulary.ts';
import { MemoryLog } from '../../log/memory-log.ts';
import { LostCalls } from './lost-calls.ts';
import { Supervisor } from './supervisor.ts';

const call = (id: string, runId: string): EventOf<'tool_call'> => ({
  type: 'tool_call',
  runId,
  id,
  name: 'bash',
  input: {},
});
const result = (id: string, runId: string): AgentEvent => ({
  type: 'tool_result',
  runId,
  id,
  name: 'bash',
  output: { context: 'done' },
});

describe('the calls that a run leaves open', () => {
  it('get one result each when it ends early, and none when it ends normally', () => {
    const ids = fc.uniqueArray(fc.nat(20), { maxLength: 12 });
    fc.assert(
      fc.property(ids, fc.func(fc.boolean()), fc.func(fc.boolean()), (numbers, isChild, hasResult) => {
        const calls = new LostCalls();
        const runOf = (id: string) => (isChild(id) ? 'child' : 'run');
        const all = numbers.map(String);
        for (const id of all) calls.take(call(id, runOf(id)));
        const done = all.filter(id => hasResult(id));
        for (const id of done) calls.take(result(id, runOf(id)));
        expect(calls.close('run', 'complete')).toEqual([]);
        const closed = [...calls.close('child', 'aborted'), ...calls.close('run', 'error')] as EventOf<'tool_result'>[];
        expect([...done, ...closed.map(({ id }) => id)].toSorted()).toEqual(all.toSorted());
        expect(closed.every(({ id, runId }) => runId === runOf(id))).toBe(true);
        expect([...calls.close('child', 'aborted'), ...calls.close('run', 'error')]).toEqual([]);
      }),
    );
  });

  const resultsIn = (events: readonly LoggedEvent[]) =>
    events.flatMap(event => (event.type === 'tool_result' ? [[event.runId, event.output]] : []));
  const hanging = (emitted: () => void): Agent => ({
    id: 'external',
    abilities: { isExternal: true },
    async *invoke({ run: { runId } }) {
      yield { type: 'harness_start', runId, agentId: 'external' };
      yield call('a', runId);
      yield { type: 'harness_start', runId: 'child', agentId: 'sub', parentId: 'a' };
      yield call('b', 'child');
      emitted();
      await new Promise(() => {});
    },
  });

  it('have a result when an external agent does not stop in time', async () => {
    const log = new MemoryLog();
    const supervisor = new Supervisor({ log, graceMs: 10, checkOrder: true });
    const { id: threadId } = await log.createThread({});
    const emitted = new AbortController();
    const working = once(emitted.signal, 'abort');
    const run = await supervisor.start(threadId, { agent: hanging(() => emitted.abort()), content: 'go' });
    await working;
    await supervisor.abort(run.runId);
    expect(await run.done).toBe('aborted');
    await supervisor.flush(threadId);
    const error = expect.stringMatching(/^The call was aborted/) as string;
    expect(resultsIn(await log.read(threadId))).toEqual([
      ['child', { error }],
      [run.runId, { error }],
    ]);
    await supervisor.close();
  });

  it('have an unknown outcome when the process of an external agent that cannot resume is gone', async () => {
    const log = new MemoryLog();
    const emitted = new AbortController();
    const working = once(emitted.signal, 'abort');
    const agent = hanging(() => emitted.abort());
    const first = new Supervisor({ log, agents: [agent] });
    const { id: threadId } = await log.createThread({});
    const run = await first.start(threadId, { agent, content: 'go' });
    await working;
    await first.close();
    const second = new Supervisor({ log, agents: [agent] });
    await second.recover();
    const error = expect.stringContaining('outcome of this call is unknown') as string;
    expect(resultsIn(await log.read(threadId))).toEqual([
      ['child', { error }],
      [run.runId, { error }],
    ]);
    await second.close();
  });
});
