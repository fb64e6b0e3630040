import { expect, it, vi } from 'vitest';
import { scriptedAgent } from '../../../test/support/scripted-agent.ts';
import { systemClock } from '../../agents/clock.ts';
import type { AgentEvent } from '../../events/vocabulary.ts';
import { importThread } from '../../log/jsonl.ts';
import { MemoryLog } from '../../log/memory-log.ts';
import { readWindow } from '../../log/window.ts';
import { ChatThreads } from './chat-threads.ts';

it('shows the mode of a long thread before it is open, unless the mode was imported', async () => {
  const log = new MemoryLog();
  const worker = scriptedAgent('worker', async function* () {});
  const modes = ['build', 'plan'].map(id => ({ id, name: id }));
  const agent = { id: 'worker', hasOwnModels: false, agent: { ...worker, modes } };
  const nothing = () => {};
  const host = new ChatThreads({
    log,
    agent,
    agents: { open: async () => agent, agentOf: async () => undefined },
    cwd: '/',
    onChange: nothing,
    onLost: nothing,
    clock: systemClock,
  });
  const chosen: AgentEvent = { type: 'mode_changed', runId: 'r', modeId: 'plan' };
  const words = Array.from(
    { length: 5_001 },
    (_, at): AgentEvent => ({ type: 'text', runId: 'r', id: 't', content: `${at}` }),
  );
  const { id } = await importThread(
    log,
    [...words, chosen].map(event => `${JSON.stringify(event)}\n`),
  );
  await host.switchTo(id);
  expect(host.mode.id).toBe('build');
  const own = await log.createThread();
  await log.append(own.id, [...words, chosen]);
  await host.switchTo(own.id);
  expect(host.mode.id).toBe('plan');
  await host.close();
});

it('opens a long thread and stores a message in it without reading it whole', async () => {
  const log = new MemoryLog();
  const { id } = await log.createThread({ metadata: { agentId: 'worker' } });
  const turn = (at: number): AgentEvent[] => [
    { type: 'user', runId: `asked-${at}`, content: `question ${at}` },
    { type: 'harness_start', runId: `run-${at}`, agentId: 'worker', parentId: `asked-${at}:user` },
    { type: 'text', runId: `run-${at}`, id: `t-${at}`, content: `answer ${at}` },
    { type: 'harness_end', runId: `run-${at}`, agentId: 'worker', reason: 'complete' },
  ];
  for (let at = 0; at < 10_000; at += 1_000)
    await log.append(id, Array.from({ length: 1_000 }, (_, index) => turn(at + index)).flat());
  // What is stored beside the events is stored by then, as in a thread that grew over days.
  await readWindow(log, id);
  const agent = { id: 'worker', hasOwnModels: false, agent: scriptedAgent('worker', async function* () {}) };
  const threads = new ChatThreads({
    log,
    agent,
    agents: { open: async () => agent, agentOf: async () => 'worker' },
    cwd: '/',
    clock: systemClock,
    onChange: () => {},
    onLost: () => {},
  });
  let [read, readBefore] = [0, -1];
  const [readPage, append] = [log.read.bind(log), log.append.bind(log)];
  vi.spyOn(log, 'read').mockImplementation(async (...range) => {
    const page = await readPage(...range);
    read += page.length;
    return page;
  });
  vi.spyOn(log, 'append').mockImplementation((threadId, events, options) => {
    if (events.some(({ type }) => type === 'user')) readBefore = read;
    return append(threadId, events, options);
  });
  await threads.switchTo(id);
  await threads.send('one more', { text: 'one more', title: 'one more' });
  await vi.waitFor(() => expect(threads.follower?.reading.nodeList.at(-1)?.status).toBe('complete'));
  expect(readBefore).toBeGreaterThan(0);
  expect(readBefore).toBeLessThan(2_500);
  await threads.close();
});

/** A chat with one agent, which asks when it is sent something. */
function setUp() {
  const log = new MemoryLog();
  const asker = scriptedAgent('worker', async function* ({ event, params, answer, until }) {
    yield event('relay', { id: `${params.run.runId}/q`, relayKind: 'question', question: 'Tea?' });
    await until(answer(`${params.run.runId}/q`));
  });
  const agent = { id: 'worker', hasOwnModels: false, agent: asker };
  const [clock, onLost] = [systemClock, () => {}];
  const agents = { open: async () => agent, agentOf: async () => 'worker' };
  let threads: ChatThreads | undefined;
  const shown: (readonly string[])[] = [];
  const onChange = () => void shown.push(threads?.pending.map(({ id }) => id) ?? []);
  threads = new ChatThreads({ log, agent, agents, cwd: '/', clock, onChange, onLost });
  return { log, threads, shown };
}

it('sends a message that is written while a thread opens to that thread', async () => {
  const { log, threads } = setUp();
  const { id } = await log.createThread();
  const opening = threads.switchTo(id);
  await threads.send('go on', { text: 'go on', title: 'go on' });
  await opening;
  expect(await log.listThreads()).toHaveLength(1);
  expect((await log.read(id)).map(({ type }) => type)).toContain('user');
  await threads.close();
});

it('shows a question no more from the moment it is answered', async () => {
  const { threads, shown } = setUp();
  await threads.send('ask me', { text: 'ask me', title: 'ask me' });
  await vi.waitFor(() => expect(threads.pending).toHaveLength(1));
  const [entry] = threads.pending;
  const before = shown.length;
  const answering = entry && threads.answer(entry, { type: 'answer', answer: 'yes' });
  expect(threads.pending).toEqual([]);
  await answering;
  await vi.waitFor(() => expect(threads.isRunning).toBe(false));
  expect(shown.slice(before).flat()).toEqual([]);
  await threads.close();
});
