import { spawnSync } from 'node:child_process';
import { hostname } from 'node:os';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { steeredMessages } from '../src/agents/steered-messages.ts';
import { Conversations, Harness, Supervisor } from '../src/control/index.ts';
import { RelayBooks } from '../src/control/supervision/relay-books.ts';
import { type EventOf, type LoggedEvent, newId, SingletreeError } from '../src/events/index.ts';
import { type EventLog, MemoryLog, type Thread } from '../src/log/index.ts';
import { foldAll, messageQueue } from '../src/projections/index.ts';
import { createApp } from '../src/server/index.ts';
import { killedLog } from './support/killed-log.ts';
import { lawRuns } from './support/run-size.ts';
import { scriptedAgent } from './support/scripted-agent.ts';

const deadOwner = `${hostname()}/${spawnSync(process.execPath, ['--version']).pid}/x`;
const expiresMs = 1_000;

/** The agent of every process: it adds what it is sent, asks something when it is told to, and works for a while. */
function worker(now: () => number) {
  const agent = scriptedAgent('main', async function* ({ event, params, answer, until }) {
    const text = JSON.stringify(params.messages.at(-1)?.content ?? '');
    if (text.includes('ask')) {
      const id = `${params.runId}/q`;
      const expiresAt = new Date(now() + expiresMs).toISOString();
      if (params.resume === undefined) yield event('relay', { id, relayKind: 'question', question: 'Tea?', expiresAt });
      await until(answer(id));
    } else await until(pass(text.includes('slow') ? 8 : 1));
    yield* steeredMessages(params);
  });
  return { ...agent, resumable: true };
}

async function pass(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await new Promise<void>(resolve => setImmediate(resolve));
}

/** Surfaces on one log: a server and a library process that may be killed, a Harness, and `send`. */
class World {
  readonly store: MemoryLog = new MemoryLog({ now: () => this.now });
  readonly accepted = new Set<string>();
  readonly withdrawn = new Set<string>();
  readonly doing: Promise<unknown>[] = [];
  threadId = '';
  now = Date.now();
  #count = 0;
  #closing: (() => Promise<unknown>)[] = [];
  server!: ReturnType<World['openServer']>;
  library!: ReturnType<World['openProcess']>;
  harness!: Harness;

  async open(): Promise<void> {
    ({ id: this.threadId } = await this.store.createThread({ title: 'T', resourceId: 'h' }));
    this.server = this.openServer(this.store);
    this.library = this.openProcess(this.store);
    await this.openHarness();
  }

  openProcess(log: EventLog, owner?: string) {
    const agent = worker(() => this.now);
    const control = new Supervisor({ log, agents: [agent], graceMs: 1, ...(owner !== undefined && { owner }) });
    const agents = {
      list: () => [{ id: 'main', name: 'Main' }],
      get: (id: string) => (id === 'main' ? agent : undefined),
    };
    const conversations = new Conversations({ log, control, agents });
    conversations.deliver();
    if (log === this.store) this.#closing.push(() => control.close());
    return { log, control, agents, conversations };
  }

  openServer(log: EventLog, owner?: string) {
    const opened = this.openProcess(log, owner);
    const { control, agents } = opened;
    return { ...opened, app: createApp({ log, control, agents, onFailure: () => {} }) };
  }

  async openHarness(): Promise<void> {
    const agent = worker(() => this.now);
    this.harness = new Harness({ id: 'h', storage: this.store, modes: [{ id: 'm', agent }] });
    await this.harness.switchThread({ threadId: this.threadId });
  }

  /** Sends a text through a surface; what resolves was accepted. */
  send(surface: number, words: string, delivery: 'steer' | 'follow_up'): Promise<unknown> {
    const text = `m${this.#count++}. ${words}`;
    const id = newId();
    const accept = () => void this.accepted.add(text);
    if (surface === 0)
      return this.http('POST', '/messages', { content: text, id, delivery }).then(({ status }) => {
        if (status < 300) accept();
      });
    if (surface === 1) return this.library.conversations.send(this.threadId, { content: text, delivery }).then(accept);
    if (surface === 2) {
      const sending =
        delivery === 'steer' ? this.harness.sendMessage({ content: text }) : this.harness.followUp({ content: text });
      return sending.then(accept);
    }
    const control = new Supervisor({ log: this.store });
    const conversations = new Conversations({
      log: this.store,
      control,
      agents: { list: () => [], get: () => undefined },
    });
    return conversations
      .enqueue(this.threadId, { content: text, agent: 'main', delivery })
      .then(receipt => void (receipt !== undefined && accept()));
  }

  async http(method: string, path: string, body?: unknown): Promise<{ status: number; json: Record<string, unknown> }> {
    const response = await this.server.app.request(`http://127.0.0.1/api/threads/${this.threadId}${path}`, {
      method,
      headers: { host: '127.0.0.1', ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, json: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>) };
  }

  async queue() {
    const { conversations } = this.openReader();
    return conversations.queue((await this.store.getThread(this.threadId)) as Thread);
  }

  openReader() {
    const control = new Supervisor({ log: this.store });
    return {
      conversations: new Conversations({ log: this.store, control, agents: { list: () => [], get: () => undefined } }),
    };
  }

  /** The server dies before its next writes are answered, and another one takes its place. */
  async kill(writes: number): Promise<void> {
    const { log, killed } = killedLog(this.store, writes);
    const dying = this.openServer(log, deadOwner);
    this.server = dying;
    void dying.conversations.send(this.threadId, { content: `k${this.#count++}.` }).catch(() => {});
    await Promise.race([killed, pass(30)]);
    await this.restart();
  }

  async restart(): Promise<void> {
    this.server = this.openServer(this.store);
    await this.server.control.recover();
    await this.server.conversations.recover();
  }

  async close(): Promise<void> {
    await this.harness.destroy();
    for (const close of this.#closing) await close();
  }
}

type Act = (world: World, n: number) => unknown;

const acts: Record<string, Act> = {
  send: (world, n) => world.send(n % 4, 'now', 'steer'),
  'send slowly': (world, n) => world.send(n % 4, 'slow', 'steer'),
  'follow up': (world, n) => world.send(n % 4, 'later', 'follow_up'),
  ask: (world, n) => world.send(n % 4, 'ask', 'steer'),
  answer: async world => {
    for await (const { entry } of new RelayBooks(world.store).pending())
      await world.library.conversations.answer(world.threadId, entry.id, { outcome: 'answer', answer: 'Yes' });
  },
  expire: world => void (world.now += expiresMs),
  withdraw: async (world, n) => {
    const [message] = (await world.queue()).slice(n % 2);
    if (message === undefined) return;
    const { status } = await world.http('DELETE', `/queue/${message.id}`);
    if (status < 300) for (const text of textsIn(message)) world.withdrawn.add(text);
  },
  move: async world => {
    const message = (await world.queue()).at(-1);
    if (message !== undefined)
      await world.http('PATCH', `/queue/${message.id}`, { before: (await world.queue())[0]?.id });
  },
  'send now': async world => {
    const [message] = await world.queue();
    if (message !== undefined) await world.http('POST', `/queue/${message.id}/send`);
  },
  abort: world => world.library.conversations.abortAll(world.threadId),
  'abort here': world => world.harness.abort(),
  branch: async world => world.store.branch(world.threadId, (await world.store.getThread(world.threadId))?.seq ?? 0),
  kill: (world, n) => world.kill(n),
  'restart the Harness': async world => {
    await world.harness.destroy();
    await world.openHarness();
  },
};

/** Another process delivers a follow-up of the Harness while its own turn for it finds the thread taken. */
const deliveredElsewhere = [
  { name: 'ask', n: 6, wait: false },
  { name: 'follow up', n: 10, wait: false },
  { name: 'abort here', n: 3, wait: true },
];

const act = fc.constantFrom(...Object.keys(acts), 'send', 'send slowly', 'follow up', 'follow up');
const script = fc.array(fc.record({ name: act, n: fc.nat(12), wait: fc.boolean() }), { minLength: 2, maxLength: 8 });

/** Answers everything; an earlier step may do so at the same time, and the first answer counts. */
async function answerAll(world: World): Promise<void> {
  try {
    await acts['answer']?.(world, 0);
  } catch (error) {
    if (!SingletreeError.is(error, 'relay_resolved')) throw error;
  }
}

/** Lets everything end: what is asked is answered, and what waits is delivered. */
async function settle(world: World): Promise<void> {
  await world.restart();
  for (let round = 0; round < 400; round++) {
    await world.library.control.takeOver(world.threadId);
    await answerAll(world);
    await world.server.conversations.next(world.threadId).catch(() => {});
    await pass(3);
    const thread = await world.store.getThread(world.threadId);
    if ((thread?.open ?? []).length === 0 && !world.harness.isRunning()) return;
    if (round > 50) await new Promise<void>(resolve => setTimeout(resolve, 5));
  }
}

const textsIn = (event: LoggedEvent | { readonly content: unknown }) =>
  JSON.stringify('content' in event ? event.content : '').match(/m\d+\. \w+/g) ?? [];

it('delivers every accepted message once or keeps it waiting, and takes no answer too late, on every surface', async () => {
  await fc.assert(
    fc.asyncProperty(script, async steps => {
      const world = new World();
      await world.open();
      for (const { name, n, wait } of steps) {
        const doing = Promise.resolve(acts[name]?.(world, n)).catch(() => {});
        world.doing.push(doing);
        await (wait && name !== 'ask' ? Promise.race([doing, pass(20)]) : pass(n % 5));
      }
      await settle(world);
      const events = await world.store.read(world.threadId);
      const said = events.filter(({ type }) => type === 'user').flatMap(textsIn);
      const waiting = foldAll(messageQueue(), events);
      for (const text of world.accepted) {
        const times = said.filter(each => each === text).length;
        const isWaiting = waiting.flatMap(textsIn).includes(text);
        expect([text, times + (isWaiting ? 1 : 0)]).toEqual([text, world.withdrawn.has(text) ? 0 : 1]);
      }
      expect(new Set(said).size).toBe(said.length);
      const relays = new Map(events.flatMap(event => (event.type === 'relay' ? [[event.id, event] as const] : [])));
      for (const event of events)
        if (event.type === 'relay_resolved' && event.outcome === 'answer') {
          const asked = relays.get(event.relayId) as EventOf<'relay'>;
          expect(Date.parse(event.ts)).toBeLessThan(Date.parse(asked.expiresAt ?? ''));
        }
      const queued = waiting.filter(({ delivery }) => delivery === 'follow_up').map(({ id }) => id);
      expect((await world.queue()).map(({ id }) => id)).toEqual(queued);
      expect(((await world.http('GET', '/queue')).json['messages'] as { id: string }[]).map(({ id }) => id)).toEqual(
        queued,
      );
      await world.close();
    }),
    { numRuns: lawRuns(300), examples: [[deliveredElsewhere]] },
  );
}, 120_000);
