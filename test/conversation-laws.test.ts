import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { QueueChange } from '../src/control/index.ts';
import { type EventOf, type LoggedEvent, SingletreeError } from '../src/events/index.ts';
import { messageQueue, type WaitingMessage } from '../src/projections/index.ts';
import { ConversationWorld, expiresMs, pass, type Surface, surfaces } from './support/conversation-world.ts';
import { lawRuns } from './support/run-size.ts';

beforeAll(() => void vi.useFakeTimers({ toFake: ['Date'], now: Date.now() }));
afterAll(() => void vi.useRealTimers());

type Act = (world: ConversationWorld, by: Surface, n: number) => unknown;

/** Edits the first or second message that waits, through a surface; resolves with it when that was done. */
async function edit(
  world: ConversationWorld,
  { by, n }: Pick<Step, 'by' | 'n'>,
  how: {
    readonly request: (id: string) => Parameters<ConversationWorld['post']>;
    readonly call: (id: string) => Promise<unknown>;
  },
): Promise<WaitingMessage | undefined> {
  const message = (await world.queue())[n % 2];
  if (message === undefined) return undefined;
  if (by !== 'HTTP') await how.call(message.id);
  else if (!(await world.post(...how.request(message.id)))) return undefined;
  return message;
}

const changing =
  (body: QueueChange): Act =>
  (world, by, n) =>
    edit(
      world,
      { by, n },
      {
        request: id => [`/queue/${id}`, body, 'PATCH'],
        call: id => world.editor(by).change(world.threadId, id, body),
      },
    );

const acts: Record<string, Act> = {
  send: (world, by) => world.send(by, 'now', 'steer'),
  'send slowly': (world, by) => world.send(by, 'slow', 'steer'),
  'follow up': (world, by) => world.send(by, 'later', 'follow_up'),
  ask: (world, by) => world.send(by, 'ask', 'steer'),
  answer: (world, by) => world.answer(by),
  expire: () => void vi.setSystemTime(Date.now() + expiresMs),
  'move to the end': changing({ before: null }),
  hold: changing({ isHeld: true }),
  release: changing({ isHeld: false }),
  withdraw: async (world, by, n) => {
    const message = await edit(
      world,
      { by, n },
      {
        request: id => [`/queue/${id}`, undefined, 'DELETE'],
        call: id => world.editor(by).withdraw(world.threadId, id),
      },
    );
    for (const text of textsIn(message ?? {})) world.withdrawn.add(text);
  },
  'send now': (world, by, n) =>
    edit(
      world,
      { by, n },
      {
        request: id => {
          world.sentNow.add(id);
          return [`/queue/${id}/send`];
        },
        call: id => {
          world.sentNow.add(id);
          if (by === 'Harness') return world.harness.sendFollowUps({ id });
          return world.editor(by).sendNow(world.threadId, id);
        },
      },
    ),
  abort: (world, by) => world.abort(by),
  branch: async world => {
    const branch = await world.store.branch(world.threadId, (await world.thread()).seq);
    expect(await world.reader.queue(branch)).toEqual([]);
  },
  'kill a server': (world, _, n) => world.killServer(n),
  'kill a Harness': (world, _, n) => world.killHarness(n),
  'restart the Harness': world => world.restartHarness(),
};

interface Step {
  readonly act: string;
  readonly by: Surface;
  readonly n: number;
  /** Whether the next step waits until it is over. */
  readonly isAwaited: boolean;
}

/** Another process delivers a follow-up of the Harness while its own turn for it finds the thread taken. */
const deliveredElsewhere: Step[] = [
  { act: 'ask', by: 'Harness', n: 6, isAwaited: false },
  { act: 'follow up', by: 'Harness', n: 10, isAwaited: false },
  { act: 'abort', by: 'Harness', n: 3, isAwaited: true },
];

/** The server delivers a message of `send` that a Harness is about to send too. */
const storedAgain: Step[] = [
  { act: 'follow up', by: 'Harness', n: 1, isAwaited: false },
  { act: 'follow up', by: 'send', n: 6, isAwaited: false },
  { act: 'ask', by: 'HTTP', n: 5, isAwaited: false },
];

const step = fc.record(
  {
    act: fc.constantFrom(...Object.keys(acts), 'send', 'send slowly', 'follow up', 'follow up', 'follow up', 'ask'),
    by: fc.constantFrom(...surfaces),
    n: fc.nat(12),
    isAwaited: fc.boolean(),
  },
  { noNullPrototype: true },
);
const script = fc.array(step, { minLength: 2, maxLength: 8 });

async function play(world: ConversationWorld, steps: readonly Step[]): Promise<void> {
  for (const { act, by, n, isAwaited } of steps) {
    const doing = (async () => acts[act]?.(world, by, n))().catch(() => {});
    world.doing.push(doing);
    await (isAwaited && act !== 'ask' ? Promise.race([doing, pass(20)]) : pass(n % 5));
  }
}

/** Compares what the surfaces report as soon as nothing happens meanwhile. */
async function compareSurfaces(world: ConversationWorld): Promise<void> {
  for (let tries = 0; tries < 20; tries++) {
    await pass(10);
    const { seq } = await world.thread();
    const { core, ...others } = await world.reports();
    if ((await world.thread()).seq !== seq) continue;
    for (const [surface, report] of Object.entries(others))
      expect([surface, { ...core, ...report }]).toEqual([surface, core]);
    return;
  }
}

/** Lets everything end: what is asked is answered, and what waits is delivered. */
async function settle(world: ConversationWorld): Promise<void> {
  await world.restartServer();
  for (let round = 0; round < 400; round++) {
    await world.library.control.takeOver(world.threadId);
    await world.answer('library').catch((error: unknown) => {
      // An earlier step may answer at the same time, and the owner of the run stores that a relay expired.
      if (!SingletreeError.is(error, 'relay_resolved') && !SingletreeError.is(error, 'relay_expired')) throw error;
    });
    const [message] = await world.queue();
    if (message !== undefined) await world.reader.change(world.threadId, message.id, { isHeld: false }).catch(() => {});
    await world.server.conversations.next(world.threadId).catch(() => {});
    await pass(3);
    if (((await world.thread()).open ?? []).length === 0 && !world.harness.isRunning()) return;
    if (round > 50) await new Promise<void>(resolve => setTimeout(resolve, 5));
  }
}

const textsIn = (event: object) => JSON.stringify('content' in event ? event.content : '').match(/m\d+\. \w+/g) ?? [];

/** Every accepted message is delivered once or waits; a waiting one never before another that was to be sent first. */
function checkDeliveries(world: ConversationWorld, events: readonly LoggedEvent[]): void {
  const said = events.filter(({ type }) => type === 'user').flatMap(textsIn);
  const fold = messageQueue();
  let queue = fold.initial;
  for (const event of events) {
    const waiting = fold.view(queue).filter(({ delivery }) => delivery === 'follow_up');
    const place = event.type === 'user' ? waiting.findIndex(({ id }) => id === event.id) : -1;
    const isEarly = place > 0 && event.type === 'user' && !world.sentNow.has(event.id ?? '');
    if (isEarly) expect(waiting.map(textsIn).flat()).toEqual(['delivered first', ...textsIn(event)]);
    queue = fold.step(queue, event);
  }
  const waiting = fold.view(queue).flatMap(textsIn);
  for (const text of world.accepted) {
    const times = [...said, ...waiting].filter(each => each === text).length;
    expect([text, times]).toEqual([text, world.withdrawn.has(text) ? 0 : 1]);
  }
  expect(new Set(said).size).toBe(said.length);
}

/** No relay has an answer of a person after it expired. */
function checkAnswers(events: readonly LoggedEvent[]): void {
  const relays = new Map(events.flatMap(event => (event.type === 'relay' ? [[event.id, event] as const] : [])));
  for (const event of events)
    if (event.type === 'relay_resolved' && event.outcome === 'answer') {
      const { expiresAt = '' } = relays.get(event.relayId) as EventOf<'relay'>;
      expect(Date.parse(event.ts)).toBeLessThan(Date.parse(expiresAt));
    }
}

describe('whatever people do with a conversation on every surface', () => {
  it.each([
    ['memory', 200],
    ['SQLite', 100],
  ] as const)(
    'delivers each message once, in order, and all report the same: %s',
    async (kind, count) => {
      await fc.assert(
        fc.asyncProperty(script, async steps => {
          const world = await ConversationWorld.open(kind);
          try {
            await play(world, steps);
            await compareSurfaces(world);
            await settle(world);
            const events = await world.store.read(world.threadId);
            checkDeliveries(world, events);
            checkAnswers(events);
            await compareSurfaces(world);
          } finally {
            await world.close();
          }
        }),
        { numRuns: lawRuns(count), examples: [[deliveredElsewhere], [storedAgain]] },
      );
    },
    120_000,
  );
});
