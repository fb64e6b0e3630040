import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Agent } from '../../src/agents/contract/agent.ts';
import { Harness, type HarnessEvent } from '../../src/control/index.ts';
import { MemoryLog } from '../../src/log/index.ts';
import { foldAll, messageQueue } from '../../src/projections/index.ts';
import { scriptedAgent } from '../support/scripted-agent.ts';
import { unpaired } from '../support/unpaired-events.ts';

/** A message, the thread it was sent to where that is known, and what its caller learned. */
interface Sent {
  readonly text: string;
  readonly kind: 'sendMessage' | 'steer' | 'followUp';
  readonly thread: Promise<string | undefined>;
  outcome: 'pending' | 'resolved' | 'rejected';
}

/** Harnesses on one storage, one after another, whose agent and storage are slow, and fail where a test wants. */
class World {
  readonly storage = new MemoryLog();
  readonly events: HarnessEvent[][] = [];
  readonly sent: Sent[] = [];
  /** The messages that each run answered. */
  readonly answered: string[] = [];
  readonly doing: Promise<unknown>[] = [];
  readonly held = new Set<string>();
  readonly deleted = new Set<string>();
  readonly #slowness: number;
  harness: Harness;
  failures = 0;
  #threads: string[] = [];
  #target: Promise<string | undefined> = Promise.resolve(undefined);

  constructor(slowness: number) {
    this.#slowness = slowness;
    const { storage } = this;
    const append = storage.append.bind(storage);
    storage.append = async (...given) => {
      await pass(slowness % 3);
      if (this.failures > 0 && given[2]?.metadata !== undefined && given[1].some(({ type }) => type === 'user')) {
        this.failures--;
        throw new Error('The disk is full.');
      }
      return append(...given);
    };
    this.harness = this.#start();
  }

  send(kind: Sent['kind']): Promise<void> {
    const sent: Sent = { text: `m${this.sent.length}.`, kind, thread: this.#target, outcome: 'pending' };
    this.sent.push(sent);
    return this.harness[kind]({ content: sent.text }).then(
      () => void (sent.outcome = 'resolved'),
      () => void (sent.outcome = 'rejected'),
    );
  }

  /** Opens a thread; later messages belong to it, unless it cannot be opened. */
  async open(opening: Promise<string>): Promise<void> {
    const before = this.#target;
    this.#target = opening.catch(() => before);
    this.#threads.push(await opening);
  }

  switch(n: number): Promise<void> {
    const threadId = this.#threads[n % Math.max(1, this.#threads.length)];
    if (threadId === undefined) return Promise.resolve();
    return this.open(this.harness.switchThread({ threadId }).then(() => threadId));
  }

  choose(n: number): void {
    this.forget();
    this.harness.setResourceId({ resourceId: `r${n % 2}` });
  }

  async deleteElsewhere(): Promise<void> {
    const threadId = this.harness.getCurrentThreadId();
    if (threadId === null) return;
    this.forget();
    this.deleted.add(threadId);
    await this.storage.deleteThread(threadId);
  }

  forget(): void {
    this.#target = Promise.resolve(undefined);
  }

  async restart(): Promise<void> {
    const { harness } = this;
    this.harness = this.#start();
    this.forget();
    await harness.destroy();
  }

  #start(): Harness {
    const lock = { acquire: () => pass(this.#slowness), release: () => pass(this.#slowness % 2) };
    const agent = this.#agent();
    const modes = ['a', 'b'].map(id => ({ id, agent }));
    const harness = new Harness({ id: 'h', modes, storage: this.storage, threadLock: this.#counted(lock) });
    const events: HarnessEvent[] = [];
    this.events.push(events);
    harness.subscribe(event => void events.push(event));
    return harness;
  }

  #counted(lock: { acquire: () => Promise<void>; release: () => Promise<void> }) {
    return {
      acquire: (id: string) => lock.acquire().then(() => void this.held.add(id)),
      release: (id: string) => lock.release().then(() => void this.held.delete(id)),
    };
  }

  /** Reads injected messages in some runs only; works for a while, and takes a while to stop. */
  #agent(): Agent {
    const { answered } = this;
    const slowness = this.#slowness;
    return scriptedAgent('main', async function* ({ event, params }) {
      const last = params.conversation.messages.findLast(({ role }) => role === 'user');
      answered.push(...textsIn(last));
      yield event('text', { id: 't', content: 'Well.' });
      for (let step = 0; step < slowness; step++) if (!params.run.signal.aborted) await pass(3);
      for (const message of slowness % 2 === 0 ? (params.host.steering?.take() ?? []) : []) {
        answered.push(...textsIn(message));
        yield event('user', { id: message.id, content: message.content as string });
      }
      yield event('text', { id: 'u', content: 'Done.' });
      await pass(slowness * 4);
    });
  }
}

const acts: Record<string, (world: World, n: number) => Promise<unknown> | void> = {
  send: world => world.send('sendMessage'),
  'send again': world => world.send('sendMessage'),
  steer: world => world.send('steer'),
  'follow up': world => world.send('followUp'),
  create: world => world.open(world.harness.createThread().then(({ id }) => id)),
  'create another': world => world.open(world.harness.createThread().then(({ id }) => id)),
  clone: world => world.open(world.harness.cloneThread().then(({ id }) => id)),
  switch: (world, n) => world.switch(n),
  'switch the mode': (world, n) => world.harness.switchMode({ modeId: n % 2 === 0 ? 'a' : 'b' }),
  rename: world => world.harness.renameThread({ title: 'new' }),
  'choose a resource': (world, n) => world.choose(n),
  'delete elsewhere': world => world.deleteElsewhere(),
  abort: world => world.harness.abort(),
  'fail to store': world => void world.failures++,
  restart: world => world.restart(),
  wait: () => {},
  'wait longer': () => {},
};

it('loses, repeats and misplaces no message, and pairs all events, whatever is called and fails', async () => {
  const act = fc.record({ name: fc.constantFrom(...Object.keys(acts)), n: fc.nat(40) });
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 2, maxLength: 14 }), fc.nat(7), async (sequence, slowness) => {
      const world = new World(slowness);
      for (const { name, n } of sequence) {
        world.doing.push(Promise.resolve(acts[name]?.(world, n)).catch(() => {}));
        await pass(name.startsWith('wait') ? n * 5 : n % 4 === 0 ? n : 0);
      }
      await Promise.all(world.doing);
      world.failures = 0;
      await world.harness.createThread();
      await expect.poll(() => world.harness.isRunning()).toBe(false);
      expect(world.harness.getDisplayState().isRunning).toBe(false);
      await world.harness.destroy();
      for (const events of world.events) expect(unpaired(events)).toEqual([]);
      expect([...world.held]).toEqual([]);
      const found = await messagesIn(world.storage);
      for (const { text, kind, thread, outcome } of world.sent) {
        const threads = found.filter(([said]) => said === text).map(([, threadId]) => threadId);
        expect(outcome).not.toBe('pending');
        expect(threads.length).toBeLessThanOrEqual(1);
        const expected = await thread;
        const isKnown = expected !== undefined && !world.deleted.has(expected);
        if (isKnown && threads.length > 0) expect(threads).toEqual([expected]);
        if (outcome === 'resolved' && world.deleted.size === 0)
          expect([kind, threads]).toEqual([kind, [expect.anything()]]);
        expect(world.answered.filter(answered => answered === text).length).toBeLessThanOrEqual(1);
      }
    }),
    { numRuns: 120 },
  );
});

/** Each message of a person with the thread that stores it, or in which it waits; a copy shares those of its source. */
async function messagesIn(storage: MemoryLog): Promise<[string, string][]> {
  const found: [string, string][] = [];
  for (const { id, branchedFrom } of await storage.listThreads({ limit: 1000 })) {
    const events = await storage.read(id, { after: branchedFrom?.seq ?? 0 });
    const said = [...events.filter(({ type }) => type === 'user'), ...foldAll(messageQueue(), events)];
    found.push(...said.flatMap(textsIn).map((text): [string, string] => [text, id]));
  }
  return found;
}

function textsIn(message: unknown): string[] {
  return JSON.stringify(message ?? '').match(/m\d+\./g) ?? [];
}

/** Lets what is under way go on for a while. */
async function pass(ticks: number): Promise<void> {
  for (let tick = 0; tick < ticks; tick++) await Promise.resolve();
}
