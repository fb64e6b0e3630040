import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { gate } from '../../../test/support/scripted-agent.ts';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import { defineTool } from '../../agents/tool-definition/define-tool.ts';
import { loopAgent } from '../../agents/loop/loop-agent.ts';
import { scriptByStep } from '../../agents/model/scripted/script.ts';
import { scriptedModel } from '../../agents/model/scripted/scripted-model.ts';
import { checkOrder } from '../../events/order.ts';
import type { EventType } from '../../events/vocabulary.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import type { EventLog } from '../../log/event-log.ts';
import { MemoryLog } from '../../log/memory-log.ts';
import { Supervisor } from './supervisor.ts';

const hourMs = 3_600_000;

/** An agent that calls a tool once; the tool is called with a signal, and waits for the gate. */
async function setUp() {
  const clock = new ManualClock();
  let jumped = 0;
  const log = new MemoryLog({ now: () => Date.UTC(2025, 0, 1) + clock.now() + jumped, uptime: () => clock.now() });
  const finish = gate();
  let signal: AbortSignal | undefined;
  const work = defineTool({
    name: 'work',
    description: 'works',
    input: z.object({}),
    execute: async (_, context) => {
      signal = context.signal;
      await finish.opened;
      return { context: 'worked' };
    },
  });
  const model = scriptedModel(scriptByStep([{ toolCall: { id: 'c', name: 'work', input: {} } }, 'Done.']));
  const agent = loopAgent({ model, tools: [work], permissions: { default: 'allow', rules: [] } });
  const { id: threadId } = await log.createThread();
  const owner = new Supervisor({ log, agents: [agent], clock, owner: 'owner', leaseMs: 1000 });
  const other = new Supervisor({ log, agents: [agent], clock, owner: 'other', leaseMs: 1000 });
  const run = await owner.start(threadId, { agent, content: 'Work' });
  await seen(log, threadId, 'tool_start');
  const jump = (ms: number) => (jumped += ms);
  const signalOf = () => signal;
  return { log, threadId, clock, jump, finish, owner, other, run, signalOf };
}

async function seen(log: EventLog, threadId: string, type: EventType): Promise<void> {
  for await (const event of log.tail(threadId)) if (event.type === type) return;
}

describe('a run whose owner is alive', () => {
  it.each([hourMs, -hourMs])('is not taken over when the time of day jumps by %i ms', async ms => {
    const { log, threadId, jump, finish, other, run } = await setUp();
    jump(ms);
    expect(await other.takeOver(threadId)).toEqual({ here: [], elsewhere: [run.runId] });
    finish.open();
    expect(await run.done).toBe('complete');
    const events = await log.read(threadId);
    expect(events.map(({ ts }) => ts)).toEqual(events.map(({ ts }) => ts).toSorted());
    expect(events.filter(({ type }) => type === 'tool_result')).toMatchObject([{ output: { context: 'worked' } }]);
  });

  it('keeps the result of a call that took longer than the lease when nobody took the run', async () => {
    const { log, threadId, clock, finish, run } = await setUp();
    clock.advance(hourMs);
    finish.open();
    expect(await run.done).toBe('complete');
    expect((await log.read(threadId)).filter(({ type }) => type === 'tool_result')).toMatchObject([
      { output: { context: 'worked' } },
    ]);
  });
});

describe('a run that another process took over while its owner was paused', () => {
  it('gets nothing more from the owner, which reports the call that finished there', async () => {
    const { log, threadId, clock, finish, other, run } = await setUp();
    clock.advance(hourMs);
    const [taken] = (await other.takeOver(threadId)).here;
    await taken?.done;
    finish.open();
    expect(await run.done).toBe('interrupted');
    await seen(log, threadId, 'warning');
    const events = await log.read(threadId);
    expect(events.filter(({ type }) => type === 'harness_end')).toMatchObject([{ reason: 'complete' }]);
    expect(events.filter(({ type }) => type === 'tool_result')).toMatchObject([
      { output: { error: expect.stringContaining('unknown') as string } },
    ]);
    expect(events.at(-1)).toMatchObject({
      type: 'warning',
      code: 'late_result',
      toolCallId: expect.stringContaining('c') as string,
      output: { context: 'worked' },
    });
    expect(checkOrder(events)).toEqual([]);
  });

  it('has its tools in the owner stopped', async () => {
    const { threadId, clock, owner, other, run, signalOf } = await setUp();
    clock.advance(hourMs);
    await (await other.takeOver(threadId)).here[0]?.done;
    expect(await run.done).toBe('interrupted');
    expect(signalOf()?.aborted).toBe(true);
    await owner.close();
  });
});

/** A log that cannot be followed once, while the first events are appended. */
class BrokenOnce extends MemoryLog {
  readonly #failed = gate();
  #isBroken = true;

  override tail(...args: Parameters<MemoryLog['tail']>): ReturnType<MemoryLog['tail']> {
    if (!this.#isBroken) return super.tail(...args);
    this.#isBroken = false;
    this.#failed.open();
    throw new SingletreeError('store_unreachable', 'The log cannot be read.');
  }

  override async append(...args: Parameters<MemoryLog['append']>): ReturnType<MemoryLog['append']> {
    if (this.#isBroken) await this.#failed.opened;
    return super.append(...args);
  }
}

describe('a run whose thread is lost before it begins', () => {
  it('does not begin there, where it would hear no answer, and is resumed', async () => {
    const log = new BrokenOnce();
    const model = scriptedModel(scriptByStep([{ toolCall: { id: 'c', name: 'pay', input: {} } }, 'Done.']));
    const pay = defineTool({ name: 'pay', description: 'pays', input: z.object({}), execute: () => 'paid' });
    const agent = loopAgent({ model, tools: [pay], permissions: 'ask' });
    const supervisor = new Supervisor({ log, agents: [agent] });
    const { id: threadId } = await log.createThread();
    const starting = supervisor.start(threadId, { agent, content: 'Pay.' });
    await expect(starting).rejects.toMatchObject({ code: 'store_unreachable' });
    const [run] = await supervisor.recover();
    await seen(log, threadId, 'relay');
    const [relay] = (await log.read(threadId)).filter(event => event.type === 'relay');
    await supervisor.answer(threadId, relay?.id ?? '', { outcome: 'approve' });
    expect(await run?.done).toBe('complete');
    await supervisor.close();
  });
});
