import { describe, expect, expectTypeOf, it } from 'vitest';
import * as z from 'zod';
import { agentTool } from '../../agents/subagents/agent-tool.ts';
import { defineTool } from '../../agents/loop/tool.ts';
import { loopAgent } from '../../agents/loop/loop-agent.ts';
import type { RunResult } from '../../agents/contract/run-result.ts';
import { scriptedModel } from '../../agents/model/scripted/scripted-model.ts';
import { addUsage, noUsage } from '../../events/usage-sum.ts';
import { MemoryLog } from '../../log/memory-log.ts';
import { readEvents } from '../../log/read-events.ts';
import { gate, scriptedAgent } from '../../../test/support/scripted-agent.ts';
import { Conversations } from '../conversations/conversations.ts';
import { Supervisor } from './supervisor.ts';

const call = (name: string, input: object) => [{ toolCall: { name, input } }];

/** A new supervisor with an empty thread. */
async function scene() {
  const log = new MemoryLog();
  const supervisor = new Supervisor({ log });
  const { id } = await log.createThread();
  return { log, supervisor, id };
}

/** The sum of the usage that a thread has. */
async function storedUsage(log: MemoryLog, threadId: string) {
  let usage = noUsage;
  for await (const event of readEvents(log, threadId)) if (event.type === 'usage') usage = addUsage(usage, event);
  return usage;
}

describe('the result of a run', () => {
  it('has the typed output, and the usage of its subagents', async () => {
    const { log, supervisor, id } = await scene();
    const helper = loopAgent({ id: 'helper', model: scriptedModel(['Rome has 3.']) });
    const agent = loopAgent({
      model: scriptedModel([call('agent', { agent: 'helper', task: 'Count' }), '{"count":3}']),
      tools: [agentTool({ agents: [{ agent: helper, description: 'Counts' }] })],
      output: z.object({ count: z.number() }),
      permissions: 'allow',
    });
    const run = await supervisor.start(id, { agent, content: 'How many?' });
    const result = await run.result;
    expectTypeOf(result).toEqualTypeOf<RunResult<{ count: number }>>();
    expect(result).toEqual({
      runId: run.runId,
      reason: 'complete',
      text: '{"count":3}',
      output: { count: 3 },
      usage: await storedUsage(log, id),
    });
    expect(await new Conversations({ log }).result(id, run.runId)).toEqual(result);
  });

  it('has the error of an agent that throws', async () => {
    const { supervisor, id } = await scene();
    const agent = scriptedAgent('broken', async function* ({ event }) {
      yield event('text', { id: 't', content: 'So far' });
      throw new Error('The disk is gone.');
    });
    const run = await supervisor.start(id, { agent, content: 'Go' });
    expect(await run.result).toMatchObject({
      reason: 'error',
      error: { code: 'agent_failed', message: 'The disk is gone.' },
    });
  });

  it('includes what a resumed run emitted in the process before, and is interrupted in that one', async () => {
    const { log, supervisor, id } = await scene();
    const reached = gate();
    const wait = defineTool({
      name: 'wait',
      description: '',
      input: z.object({}),
      repeatable: true,
      execute: () => {
        reached.open();
        return new Promise<string>(() => {});
      },
    });
    const steps = [call('wait', {}), 'Done.'];
    const before = loopAgent({ model: scriptedModel(steps), tools: [wait], permissions: 'allow' });
    const first = await supervisor.start(id, { agent: before, content: 'Go' });
    await reached.opened;
    await supervisor.close();
    expect(await first.result).toMatchObject({ reason: 'interrupted', error: { code: 'interrupted' } });
    const done = { ...wait, execute: () => 'waited' };
    const after = loopAgent({ model: scriptedModel(['Done.']), tools: [done], permissions: 'allow' });
    const next = new Supervisor({ log, agents: [after] });
    const [second] = await next.recover();
    expect(await second?.result).toMatchObject({
      runId: first.runId,
      reason: 'complete',
      text: 'Done.',
      usage: await storedUsage(log, id),
    });
    await next.close();
  });

  it('can be waited for in another process, and a message that was sent has a run to wait for', async () => {
    const { log, supervisor, id } = await scene();
    const opened = gate();
    const agent = scriptedAgent('slow', async function* ({ event, until }) {
      await until(opened.opened);
      yield event('text', { id: 't', content: 'Late.' });
    });
    const agents = { list: () => [agent], get: () => agent };
    const { runId } = await new Conversations({ log, control: supervisor, agents }).send(id, { content: 'Go' });
    const elsewhere = new Conversations({ log }).result(id, runId);
    opened.open();
    expect(await elsewhere).toMatchObject({ runId, text: 'Late.', reason: 'complete' });
    const stop = AbortSignal.abort(new Error('No more.'));
    await expect(new Conversations({ log }).result(id, 'never', stop)).rejects.toThrow('No more.');
  });
});

describe('onFinish', () => {
  it('receives each run that ended with its result, tenant and author, once its last event is stored', async () => {
    const log = new MemoryLog();
    const finished: object[] = [];
    const supervisor = new Supervisor({
      log,
      onFinish: async run => {
        const [last] = (await log.read(run.threadId)).slice(-1);
        finished.push({ ...run, last: last?.type });
      },
    });
    const { id } = await log.createThread({ resourceId: 'acme' });
    const agent = loopAgent({ id: 'bot', model: scriptedModel(['It is sunny.']) });
    const run = await supervisor.start(id, { agent, content: 'How is it?', by: 'ann' });
    await run.done;
    await supervisor.close();
    expect(finished).toMatchObject([
      {
        runId: run.runId,
        threadId: id,
        resourceId: 'acme',
        agentId: 'bot',
        by: 'ann',
        reason: 'complete',
        text: 'It is sunny.',
        last: 'harness_end',
      },
    ]);
  });

  it('is not called for a run that is detached, and a failure of it is a diagnostic', async () => {
    const log = new MemoryLog();
    const codes: string[] = [];
    const finished: string[] = [];
    const supervisor = new Supervisor({
      log,
      onFinish: ({ runId }) => {
        finished.push(runId);
        throw new Error('The receiver is gone.');
      },
      onDiagnostic: ({ code }) => codes.push(code),
    });
    const { id } = await log.createThread();
    const quick = await supervisor.start(id, { agent: loopAgent({ model: scriptedModel(['Done.']) }), content: 'Go' });
    await quick.done;
    const reached = gate();
    const waiting = scriptedAgent('slow', async function* ({ event }) {
      yield event('text', { id: 't', content: 'So far' });
      reached.open();
      await new Promise(() => {});
    });
    await supervisor.idle(id);
    await supervisor.start(id, { agent: waiting, content: 'Wait' });
    await reached.opened;
    await supervisor.close();
    expect([finished, codes]).toEqual([[quick.runId], ['on_finish_failed']]);
  });
});
