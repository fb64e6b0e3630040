import { describe, expect, it } from 'vitest';
import { Harness, Supervisor } from '../src/control/index.ts';
import { RelayBooks } from '../src/control/conversations/relay-books.ts';
import { type AgentEvent, SingletreeError } from '../src/events/index.ts';
import { MemoryLog } from '../src/log/index.ts';
import { createRuntime } from '../src/runtime/index.ts';
import { ask } from './server/http.ts';
import { ManualClock } from './support/manual-clock.ts';
import { scriptedAgent } from './support/scripted-agent.ts';
import { startTestServer } from './support/test-server.ts';

/** An agent that asks until a time, and says what came of it. */
const asking = (expiresAt: string) => ({
  ...scriptedAgent('asker', async function* ({ event, answer, params }) {
    const id = `${params.run.runId}/ask`;
    if (params.run.resume === undefined)
      yield event('relay', { id, relayKind: 'question', question: 'Tea?', expiresAt });
    const { outcome } = await answer(id);
    yield event('text', { id: 't', content: outcome });
  }),
  abilities: { resumable: true },
});
const expired = { code: 'relay_expired' };
const started = async (log: MemoryLog, expiresAt: string, report: (line: string) => void = () => {}) => {
  const agent = asking(expiresAt);
  const clock = new ManualClock();
  const control = new Supervisor({ log, agents: [agent], clock, report });
  const { id: threadId } = await log.createThread({ resourceId: 'acme' });
  await control.start(threadId, { agent, content: 'Hi' });
  let relayId = '';
  for await (const event of log.tail(threadId)) {
    if (event.type === 'relay') relayId = event.id;
    if (relayId !== '') break;
  }
  return { agent, clock, control, threadId, relayId };
};
const textOf = (events: readonly AgentEvent[]) => events.flatMap(event => (event.type === 'text' ? event.content : []));

describe('a relay whose time is over', () => {
  it('is closed for every reader before anybody stores that, and takes no answer on any surface', async () => {
    let now = 0;
    const log = new MemoryLog({ now: () => now });
    const { agent, control, threadId, relayId } = await started(log, '1970-01-01T00:01:00.000Z');
    await control.close();
    now = 60_000;
    const answer = { outcome: 'answer', answer: 'Yes' } as const;
    const seq = (await log.getThread(threadId))?.seq;

    await expect(new Supervisor({ log }).answer(threadId, relayId, answer)).rejects.toMatchObject(expired);
    for await (const _ of new RelayBooks(log).pending()) expect.unreachable();

    const server = await startTestServer([agent], { log });
    const encoded = encodeURIComponent(relayId);
    for (const path of [`/api/relays/${encoded}`, `/api/threads/${threadId}/relays/${encoded}`])
      expect(await ask(server.url, path, { method: 'POST', body: answer })).toMatchObject({
        status: 410,
        json: expired,
      });
    expect((await ask(server.url, '/api/relays')).json).toEqual({ relays: [] });

    const runtime = createRuntime({ agent, resourceId: 'acme', storage: log });
    expect(await runtime.pendingApprovals()).toEqual([]);
    await expect(runtime.respondToApproval(relayId, 'approve', { answer: 'Yes' })).rejects.toMatchObject(expired);
    expect((await log.getThread(threadId))?.seq).toBe(seq);
    await server.close();
  });

  it('is answered as expired by the process that owns the run, so that the agent continues', async () => {
    const clock = new ManualClock();
    const log = new MemoryLog({ now: () => clock.now() });
    const { control, threadId, clock: own } = await started(log, '1970-01-01T00:01:00.000Z');
    const [run] = control.running();
    clock.advance(60_000);
    own.advance(60_000);
    expect(await run?.done).toBe('complete');
    expect(textOf(await log.read(threadId))).toEqual(['expired']);
    expect(own.timers).toBe(0);
  });

  it('detaches its run when the log refuses to store that, and reports why: the agent does not wait for ever', async () => {
    const clock = new ManualClock();
    const damaged = new SingletreeError('log_corrupt', 'The file is damaged.');
    class DamagedLog extends MemoryLog {
      override append(...[threadId, events, options]: Parameters<MemoryLog['append']>) {
        if (events.some(({ type }) => type === 'relay_resolved')) return Promise.reject(damaged);
        return super.append(threadId, events, options);
      }
    }
    const lines: string[] = [];
    const report = (line: string) => void lines.push(line);
    const scene = await started(new DamagedLog({ now: () => clock.now() }), '1970-01-01T00:01:00.000Z', report);
    const [run] = scene.control.running();
    clock.advance(60_000);
    scene.clock.advance(60_000);
    expect(await run?.done).toBe('interrupted');
    expect(lines).toEqual([`The runs of the thread "${scene.threadId}" are detached: The file is damaged.`]);
  });

  it('is answered as expired by the process that takes the run over', async () => {
    let now = 0;
    const log = new MemoryLog({ now: () => now });
    const { agent, control, threadId } = await started(log, '1970-01-01T00:01:00.000Z');
    await control.close();
    now = 120_000;
    const [run] = await new Supervisor({ log, agents: [agent], clock: new ManualClock() }).recover();
    expect(await run?.done).toBe('complete');
    expect(textOf(await log.read(threadId))).toEqual(['expired']);
  });

  it('that was due before it was asked never waits, also in a Harness', async () => {
    const log = new MemoryLog();
    const agent = asking('2020-01-01T00:00:00.000Z');
    const harness = new Harness({ id: 'h', storage: log, modes: [{ id: 'main', agent }] });
    await harness.sendMessage({ content: 'Hi' });
    const threadId = harness.getCurrentThreadId() ?? '';
    expect(textOf(await log.read(threadId))).toEqual(['expired']);
    await harness.destroy();
  });

  it('in a distant future is not due before', async () => {
    const log = new MemoryLog();
    const { control, threadId, relayId } = await started(log, '2999-01-01T00:00:00.000Z');
    const [run] = control.running();
    await control.answer(threadId, relayId, { outcome: 'answer', answer: 'Yes' });
    await run?.done;
    expect(textOf(await log.read(threadId))).toEqual(['answer']);
  });
});
