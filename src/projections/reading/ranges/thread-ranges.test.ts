import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { conversationLog, unlogged } from '../../../../test/support/random-conversations.ts';
import type { AgentEvent, LoggedEvent } from '../../../events/vocabulary.ts';
import { OrderChecker } from '../../../events/order.ts';
import { MemoryLog } from '../../../log/memory-log.ts';
import { readWindow } from '../../../log/window.ts';
import { threadReading, type ThreadReading } from '../thread-reading.ts';
import type { ViewNode } from '../view-node.ts';
import { ThreadRanges } from './thread-ranges.ts';

/** The events of a log without those that break its order, and without runs that never start. */
function legal(events: readonly AgentEvent[]): AgentEvent[] {
  const checker = new OrderChecker();
  return events.filter(event => !event.runId.endsWith('-model') && checker.check(event).length === 0);
}

const turn = (number: number, parentMessageId?: string): AgentEvent[] => {
  const runId = `r${number}`;
  return [
    { type: 'user', runId: `u${number}`, content: `question ${number}`, ...(parentMessageId && { parentMessageId }) },
    { type: 'harness_start', runId, agentId: 'a', parentId: `u${number}:user` },
    { type: 'text', runId, id: `${runId}/t`, content: `answer ${number}` },
    { type: 'harness_end', runId, agentId: 'a', reason: 'complete' },
  ];
};
const turns = (from: number, to: number): AgentEvent[] =>
  Array.from({ length: to - from + 1 }, (_, index) => turn(from + index)).flat();

/** A log and what a client has loaded of it; `show` does what a store does after it notified its listeners. */
async function sceneOf(events: readonly AgentEvent[], limit: number) {
  const log = new MemoryLog();
  const { id } = await log.createThread();
  if (events.length > 0) await log.append(id, [...events]);
  const { signal } = new AbortController();
  const read = (part: object) => readWindow(log, id, part);
  const ranges = new ThreadRanges({ read, limit, signal, changed: () => {} });
  const begun = await read({ limit });
  ranges.begin(begun);
  let taken = begun.lastSeq;
  const follow = async () => {
    for (const event of await log.read(id, { after: taken, limit: 10_000 })) {
      ranges.take(event);
      taken = event.seq;
    }
  };
  const show = () => {
    ranges.view();
    ranges.drop();
  };
  return { log, id, ranges, follow, show };
}

const allOf = (log: MemoryLog, id: string): Promise<LoggedEvent[]> => log.read(id, { limit: 100_000 });
const texts = ({ nodeList, hidden }: Pick<ThreadReading, 'nodeList' | 'hidden'>): string[] =>
  nodeList.items.flatMap(({ id, text }) => (hidden.has(id) ? [] : [text]));

/** An id that was used before gets a number, which counts from the beginning of what is loaded. */
const plain = (value: unknown) => JSON.stringify(value).replaceAll(/#\d+"/g, '"');
const partsFrom = (nodes: readonly ViewNode[], seq: number): string[] =>
  nodes.flatMap(({ id, parts }) => parts.flatMap(part => ((part.seq ?? 0) >= seq ? [`${id} ${plain(part)}`] : [])));

describe('what is loaded of a thread', () => {
  it('goes up to the first message and down to the newest with a bounded number of events', async () => {
    const { ranges, show } = await sceneOf(turns(1, 80), 10);
    const seen = new Set(texts(ranges.view()));
    let most = 0;
    const step = async (load: () => Promise<void>) => {
      await load();
      show();
      const view = ranges.view();
      most = Math.max(most, view.lastSeq - view.firstSeq + 1);
      for (const text of texts(view)) seen.add(text);
      return view;
    };
    while ((await step(() => ranges.loadEarlier())).hasEarlier);
    expect(texts(ranges.view()).slice(0, 2)).toEqual(['question 1', 'answer 1']);
    expect(ranges.view().hasLater).toBe(true);
    while ((await step(() => ranges.loadLater())).hasLater);
    expect(texts(ranges.view()).at(-1)).toBe('answer 80');
    expect(seen.size).toBe(160);
    expect(most).toBeLessThan(10 * 10);
  });

  it('shows the part around an event, and the newest messages again', async () => {
    const { ranges } = await sceneOf(turns(1, 200), 20);
    await ranges.goTo(401);
    expect(texts(ranges.view())).toContain('question 101');
    expect(ranges.eventAt(401)).toMatchObject({ type: 'user', content: 'question 101' });
    expect(ranges.view()).toMatchObject({ hasEarlier: true, hasLater: true, seq: 800 });
    await ranges.goTo(1);
    expect(texts(ranges.view())[0]).toBe('question 1');
    ranges.goToEnd();
    expect(ranges.view()).toMatchObject({ hasLater: false, lastSeq: 800 });
  });

  it('keeps the place of a reader above the end while new events come, and joins them on the way down', async () => {
    const { log, id, ranges, follow, show } = await sceneOf(turns(1, 10), 10);
    ranges.look(35);
    for (let number = 11; number <= 80; number++) {
      await log.append(id, turn(number));
      await follow();
      show();
    }
    expect(texts(ranges.view())).toContain('question 9');
    expect(ranges.view()).toMatchObject({ hasLater: true, seq: 320 });
    expect(texts({ ...ranges.view(), nodeList: ranges.view().newestList }).at(-1)).toBe('answer 80');
    while (ranges.view().hasLater) {
      await ranges.loadLater();
      show();
    }
    expect(texts(ranges.view()).at(-1)).toBe('answer 80');
  });

  it('never shows messages of a branch that an edit left, on the way up and down again', async () => {
    const edit = turn(100, 'r10').concat(turns(101, 140));
    const { log, id, ranges, show } = await sceneOf([...turns(1, 50), ...edit], 10);
    const whole = threadReading.view((await allOf(log, id)).reduce(threadReading.step, threadReading.initial));
    const active = new Set(texts(whole));
    const seen = new Set<string>();
    const look = () => {
      show();
      for (const text of texts(ranges.view())) seen.add(text);
      return ranges.view();
    };
    while (look().hasEarlier) await ranges.loadEarlier();
    while (look().hasLater) await ranges.loadLater();
    expect([...seen].filter(text => !active.has(text))).toEqual([]);
    expect(seen).toEqual(active);
  });

  it('shows of its range what a reading of the whole thread shows there, whatever is loaded', async () => {
    type Move = readonly ['up' | 'down' | 'end' | 'go' | 'look' | 'append', number];
    const move: fc.Arbitrary<Move> = fc.tuple(
      fc.constantFrom('up', 'up', 'down', 'end', 'go', 'look', 'append'),
      fc.nat(),
    );
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(conversationLog(80, 10), fc.array(move, { maxLength: 12 }), async (random, moves) => {
        const events = legal([...turns(1, 6), ...unlogged([...new Set(random)])]);
        const half = Math.ceil(events.length / 2);
        const { log, id, ranges, follow, show } = await sceneOf(events.slice(0, half), 6);
        let appended = half;
        for (const [kind, number] of moves) {
          if (kind === 'up') await ranges.loadEarlier();
          else if (kind === 'down') await ranges.loadLater();
          else if (kind === 'end') ranges.goToEnd();
          else if (kind === 'go') await ranges.goTo(1 + (number % appended));
          else if (kind === 'look') ranges.look(1 + (number % appended));
          else if (appended < events.length) {
            const next = events.slice(appended, appended + 1 + (number % 8));
            await log.append(id, next);
            appended += next.length;
            await follow();
          }
          show();
          const view = ranges.view();
          const all = await allOf(log, id);
          const whole = all.reduce(threadReading.step, threadReading.initial);
          const { seq, running, usage } = threadReading.view(whole);
          expect({ seq: view.seq, running: view.running, usage: view.usage }).toEqual({ seq, running, usage });
          const upTo = all.filter(event => event.seq <= view.lastSeq);
          const expected = threadReading.view(upTo.reduce(threadReading.step, threadReading.initial));
          const hasBranches = expected.nodes.some(({ siblings }) => siblings.count > 1);
          if (view.isOutdated || hasBranches) continue;
          const nodes = view.nodes.filter(node => !view.hidden.has(node.id));
          expect(partsFrom(nodes, view.firstSeq)).toEqual(partsFrom(expected.nodes, view.firstSeq));
          compared++;
        }
      }),
      { numRuns: 60 },
    );
    expect(compared).toBeGreaterThan(100);
  });
});
