import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { hostname } from 'node:os';
import { describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import type { Agent } from '../../agents/contract/agent.ts';
import { defineTool } from '../../agents/loop/tool.ts';
import { loopAgent } from '../../agents/loop/loop-agent.ts';
import { scriptByStep } from '../../agents/model/scripted/script.ts';
import { scriptedModel } from '../../agents/model/scripted/scripted-model.ts';
import type { AgentEvent, EventType } from '../../events/vocabulary.ts';
import { checkOrder } from '../../events/order.ts';
import type { EventLog } from '../../log/event-log.ts';
import { MemoryLog } from '../../log/memory-log.ts';
import { Supervisor } from './supervisor.ts';
import type { SupervisorOptions } from './supervisor-options.ts';

const echo = defineTool({
  name: 'echo',
  description: 'Repeats a value.',
  input: z.object({ value: z.string() }),
  execute: ({ value }) => ({ context: value }),
});
const oneCall = scriptByStep([{ toolCall: { id: 'c', name: 'echo', input: { value: 'hi' } } }, 'Done.']);
/** Asks a person, and can be resumed by another process. */
const asking = loopAgent({
  model: scriptedModel(oneCall),
  tools: [echo],
  permissions: { default: 'ask', rules: [] },
});
/** Works until it is stopped, and cannot be resumed. */
const endless: Agent = {
  id: 'endless',
  async *invoke({ run: { runId, signal } }) {
    yield { type: 'harness_start', runId, agentId: 'endless' };
    if (!signal.aborted) await new Promise(resolve => signal.addEventListener('abort', resolve));
  },
};
const { pid: endedPid } = spawnSync(process.execPath, ['--version']);
const endedOwner = `${hostname()}/${endedPid}/x`;

async function setUp(options: Partial<SupervisorOptions> = {}) {
  const log = options.log ?? new MemoryLog();
  const { id: threadId } = await log.createThread();
  return { log, threadId, owner: new Supervisor({ log, ...options }) };
}

async function until(log: EventLog, threadId: string, type: EventType): Promise<AgentEvent> {
  for await (const event of log.tail(threadId)) if (event.type === type) return event;
  throw new Error('the tail ended');
}
const ofType = (events: readonly AgentEvent[], type: EventType) => events.filter(event => event.type === type);

describe('an abort request', () => {
  it('reaches a run that another live process owns, and names its sender', async () => {
    const { log, threadId, owner } = await setUp();
    const run = await owner.start(threadId, { agent: endless, content: 'go' });
    await until(log, threadId, 'harness_start');
    await new Supervisor({ log }).abort(run.runId, { by: 'ann' });
    expect(await run.done).toBe('aborted');
    const events = await log.read(threadId);
    expect(events.slice(-2)).toMatchObject([
      { type: 'abort_requested', by: 'ann' },
      { type: 'harness_end', reason: 'aborted' },
    ]);
    expect(checkOrder(events)).toEqual([]);
  });

  it('ends an orphaned run, and cancels its relays', async () => {
    const { log, threadId, owner } = await setUp({ owner: endedOwner });
    const run = await owner.start(threadId, { agent: asking, content: 'Say hi' });
    await until(log, threadId, 'relay');
    await new Supervisor({ log, agents: [asking] }).abort(run.runId, { threadId });
    expect((await log.read(threadId)).slice(-3)).toMatchObject([
      { type: 'abort_requested' },
      { type: 'relay_resolved', outcome: 'cancelled' },
      { type: 'harness_end', reason: 'aborted' },
    ]);
    expect(await log.listThreads({ open: 'run' })).toEqual([]);
  });

  it('that came while the run had no owner ends it on takeover', async () => {
    const { log, threadId, owner } = await setUp();
    const { runId } = await owner.start(threadId, { agent: asking, content: 'Say hi' });
    await until(log, threadId, 'relay');
    await owner.close();
    await log.append(threadId, [{ type: 'abort_requested', runId }]);
    expect(await new Supervisor({ log, agents: [asking] }).recover()).toEqual([]);
    expect((await log.read(threadId)).at(-1)).toMatchObject({ type: 'harness_end', reason: 'aborted' });
  });

  it('is rejected when no such run is open', async () => {
    const { log, threadId, owner } = await setUp();
    const run = await owner.start(threadId, { agent: endless, content: 'go' });
    await owner.abort(run.runId);
    const refused = { code: 'run_not_found' };
    await expect(owner.abort(run.runId)).rejects.toMatchObject(refused);
    await expect(owner.abort(run.runId, { threadId })).rejects.toMatchObject(refused);
    await expect(owner.abort('none', { threadId: 'none' })).rejects.toMatchObject(refused);
    expect(ofType(await log.read(threadId), 'abort_requested')).toHaveLength(1);
  });
});

describe('a takeover', () => {
  it('happens without a restart when the lease of the owner expires', async () => {
    const clock = new ManualClock();
    const log = new MemoryLog({ now: () => clock.now() });
    const { threadId, owner } = await setUp({ log });
    const server = new Supervisor({ log, agents: [asking], clock, leaseMs: 1000 });
    expect(await server.recover()).toEqual([]);
    const run = await owner.start(threadId, { agent: asking, content: 'Say hi' });
    const relay = (await until(log, threadId, 'relay')) as AgentEvent & { id: string };
    clock.advance(1000);
    expect(server.running()).toEqual([]);
    clock.advance(60_000);
    await expect.poll(() => server.running().map(each => each.runId)).toEqual([run.runId]);
    await server.answer(threadId, relay.id, { outcome: 'approve' });
    expect(await server.running()[0]?.done).toBe('complete');
    expect(ofType(await log.read(threadId), 'tool_result')).toHaveLength(1);
    await server.close();
  });

  it('happens a second after the process of the owner was killed, long before its lease expires', async () => {
    const clock = new ManualClock();
    const process = spawn('sleep', ['60'], { stdio: 'ignore' });
    const { log, threadId, owner } = await setUp({ owner: `${hostname()}/${process.pid}/x` });
    const server = new Supervisor({ log, agents: [asking], clock });
    await server.recover();
    const run = await owner.start(threadId, { agent: asking, content: 'Say hi' });
    await until(log, threadId, 'relay');
    clock.advance(1_000);
    expect(await server.takeOver(threadId)).toEqual({ here: [], elsewhere: [run.runId] });
    process.kill('SIGKILL');
    await once(process, 'exit');
    await vi.waitFor(() => expect(clock.timers).toBe(1));
    clock.advance(1_000);
    await expect.poll(() => server.running().map(({ runId }) => runId)).toEqual([run.runId]);
    await server.close();
  });

  it('resumes a run at once when a relay of it is answered', async () => {
    const { log, threadId, owner } = await setUp({ owner: endedOwner });
    const server = new Supervisor({ log, agents: [asking] });
    await server.recover();
    await owner.start(threadId, { agent: asking, content: 'Say hi' });
    const relay = (await until(log, threadId, 'relay')) as AgentEvent & { id: string };
    await server.answer(threadId, relay.id, { outcome: 'approve' });
    await until(log, threadId, 'harness_end');
    await server.close();
  });

  it('resumes a run once for concurrent calls', async () => {
    const { log, threadId, owner } = await setUp({ owner: endedOwner });
    const { runId } = await owner.start(threadId, { agent: asking, content: 'Say hi' });
    await until(log, threadId, 'relay');
    const server = new Supervisor({ log, agents: [asking] });
    const [first, second, handles] = await Promise.all([
      server.takeOver(threadId),
      server.takeOver(threadId),
      server.recover(),
    ]);
    expect(server.running()).toHaveLength(1);
    expect([first.here[0]?.runId, second.here[0]?.runId, handles[0]?.runId]).toEqual([runId, runId, runId]);
    await server.close();
  });

  it('of one run that fails is reported once, and does not keep the others from being taken over', async () => {
    const clock = new ManualClock();
    const { log, threadId, owner } = await setUp({ owner: endedOwner });
    const { runId } = await owner.start(threadId, { agent: asking, content: 'Say hi' });
    const { id: other } = await log.createThread();
    const second = await owner.start(other, { agent: asking, content: 'Say hi' });
    for (const id of [threadId, other]) await until(log, id, 'relay');
    const lines: string[] = [];
    const report = (line: string) => void lines.push(line);
    const agents: SupervisorOptions['agents'] = open => {
      if (open.runId === runId) throw new Error('no model');
      return asking;
    };
    const next = new Supervisor({ log, agents, clock, report });
    expect((await next.recover()).map(run => run.runId)).toEqual([second.runId]);
    clock.advance(10_000);
    await next.takeOver(threadId).catch(() => {});
    expect(lines).toEqual([`The run "${runId}" cannot be resumed, and is tried again: no model`]);
    await next.close();
  });

  it('ignores runs of other resources when it is for one', async () => {
    const { log, threadId, owner } = await setUp({ owner: endedOwner });
    await owner.start(threadId, { agent: asking, content: 'Say hi' });
    await until(log, threadId, 'relay');
    expect(await new Supervisor({ log, agents: [asking], resourceId: 'other' }).recover()).toEqual([]);
    expect(await log.listThreads({ open: 'run' })).toHaveLength(1);
  });

  it('reports a run that another live process owns', async () => {
    const { log, threadId, owner } = await setUp();
    const { runId } = await owner.start(threadId, { agent: endless, content: 'go' });
    const other = new Supervisor({ log, agents: [asking] });
    expect(await other.takeOver(threadId)).toEqual({ here: [], elsewhere: [runId] });
    await expect(other.select(threadId, 'any')).rejects.toMatchObject({ code: 'run_under_way' });
    const idle = other.idle(threadId);
    await owner.abort(runId);
    await idle;
    expect(await other.takeOver(threadId)).toEqual({ here: [], elsewhere: [] });
  });
});

describe('a new run', () => {
  it('replaces an orphaned run, so that a thread never has both', async () => {
    const { log, threadId, owner } = await setUp({ owner: endedOwner });
    const before = await owner.start(threadId, { agent: asking, content: 'Say hi' });
    await until(log, threadId, 'relay');
    const other = new Supervisor({ log, agents: [asking] });
    const run = await other.start(threadId, { agent: endless, content: 'go' });
    await until(log, threadId, 'harness_end');
    const [end] = ofType(await log.read(threadId), 'harness_end');
    expect(end).toMatchObject({ runId: before.runId, reason: 'interrupted' });
    expect(other.running()).toEqual([run]);
    await other.abort(run.runId);
  });
});

describe('a relay', () => {
  it('cannot be answered when its run was interrupted', async () => {
    const { log, threadId, owner } = await setUp({ owner: endedOwner });
    await owner.start(threadId, { agent: asking, content: 'Say hi' });
    const relay = (await until(log, threadId, 'relay')) as AgentEvent & { id: string };
    const other = new Supervisor({ log });
    expect(await other.recover()).toEqual([]);
    const refused = { code: 'relay_resolved', details: { reason: 'cancelled' } };
    await expect(other.answer(threadId, relay.id, { outcome: 'approve' })).rejects.toMatchObject(refused);
    await other.close();
  });
});
