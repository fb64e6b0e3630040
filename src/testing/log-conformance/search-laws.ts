import assert from 'node:assert/strict';
import type { AgentEvent } from '../../events/vocabulary.ts';
import type { EventLog } from '../../log/event-log.ts';
import { importThread } from '../../log/jsonl.ts';
import type { SearchQuery } from '../../log/derived/search.ts';
import { searchLog } from '../../log/derived/log-queries.ts';
import { type Law, range, refuses } from './suite.ts';
import { defined } from '../../base/defined.ts';

const userEvent = (runId: string, content: string): AgentEvent => ({ type: 'user', runId, content });

/** A whole answer, its text in fragments. */
const answer = (runId: string, ...fragments: string[]): AgentEvent[] => [
  { type: 'harness_start', runId, agentId: 'agent' },
  ...fragments.map((content): AgentEvent => ({ type: 'text', runId, id: `${runId}/text`, content })),
  { type: 'harness_end', runId, agentId: 'agent' },
];

async function places(
  log: EventLog,
  query: SearchQuery | string,
): Promise<[string, string | undefined, number | undefined][]> {
  const { hits } = await searchLog(log, typeof query === 'string' ? { text: query } : query);
  return hits.map(({ threadId, messageId, seq }) => [threadId, messageId, seq]);
}

/** Registers the tests of `search`. */
export function searchLaws(law: Law): void {
  law('finds messages of people and whole texts of runs by their words, the newest first', async ({ log }) => {
    await log.createThread({ id: 'a' });
    await log.append('a', [userEvent('u1', 'Where is the Harbour?')]);
    await log.append('a', answer('r1', 'The har', 'bour is in the ', 'north.'));
    assert.deepEqual(await places(log, 'HARBOUR'), [
      ['a', 'r1', 3],
      ['a', 'u1:user', 1],
    ]);
    assert.deepEqual(await places(log, 'north harbour'), [['a', 'r1', 3]]);
    assert.deepEqual(await places(log, 'harbo'), []);
    assert.deepEqual(await places(log, '  ?! '), []);
    const { hits } = await searchLog(log, { text: 'north' });
    assert.equal(hits[0]?.snippet, 'The harbour is in the north.');
  });

  law('finds texts by the time of their events: what is imported later may be older', async ({ log }) => {
    await log.createThread({ id: 'own' });
    await log.append('own', [userEvent('u', 'the harbour of today')]);
    const at = (day: number, runId: string) => ({
      ...userEvent(runId, 'an old harbour'),
      ts: `2020-01-0${day}T00:00:00.000Z`,
    });
    for (const day of [2, 1]) {
      const events = [at(day, 'first'), at(day, 'second')];
      await importThread(
        log,
        events.map(event => `${JSON.stringify(event)}\n`),
        { id: `day ${day}`, title: 'Harbour' },
      );
    }
    const found = await places(log, 'old harbour');
    assert.deepEqual(found, [
      ['day 2', 'second:user', 2],
      ['day 2', 'first:user', 1],
      ['day 1', 'second:user', 2],
      ['day 1', 'first:user', 1],
    ]);
    assert.deepEqual((await places(log, 'harbour'))[0], ['own', 'u:user', 1]);
  });

  law('finds every text of one moment', async ({ log }) => {
    const ts = '2020-01-01T00:00:00.000Z';
    const events = range(1, 2500).map(number => `${JSON.stringify({ ...userEvent(`u${number}`, 'apple'), ts })}\n`);
    await importThread(log, events, { id: 'a' });
    while (!(await searchLog(log, { text: 'apple' })).isComplete);
    const found: (number | undefined)[] = [];
    for (let after: string | undefined; ; ) {
      const { hits, next } = await searchLog(log, { text: 'apple', limit: 100, ...defined({ after }) });
      found.push(...hits.map(({ seq }) => seq));
      after = next;
      if (next === undefined) break;
    }
    assert.deepEqual(found, range(1, 2500).toReversed());
  });

  law('finds no message that waits', async ({ log }) => {
    await log.createThread({ id: 'a' });
    const queued = { type: 'message_queued', runId: 'q', id: 'm', delivery: 'follow_up', agent: 'agent' } as const;
    await log.append('a', [
      { ...queued, content: 'harbour', order: 0 },
      { type: 'message_changed', runId: 'c', id: 'm', content: 'harbour at night' },
    ]);
    assert.deepEqual(await places(log, 'harbour'), []);
    await log.append('a', [{ type: 'user', runId: 'u1', id: 'm', content: 'harbour at night' }]);
    assert.deepEqual(await places(log, 'harbour'), [['a', 'u1:user', 3]]);
  });

  law('finds nothing of what a model is sent beside messages', async ({ log }) => {
    await log.createThread({ id: 'a' });
    const instructions = 'Look for the harbour.';
    const messages = [{ role: 'user' as const, content: 'harbour' }];
    await log.append('a', [
      { type: 'harness_start', runId: 'r', agentId: 'agent' },
      { type: 'model_context', runId: 'r', id: 'c', provider: 'p', instructions, tools: [], settings: {} },
      { type: 'step_start', runId: 'r', step: 0, contextId: 'c', messages },
    ]);
    assert.deepEqual(await places(log, 'harbour'), []);
  });

  law('finds a text when it is complete', async ({ log }) => {
    await log.createThread({ id: 'a' });
    const [start, first, second, end] = answer('r1', 'half ', 'whole') as [
      AgentEvent,
      AgentEvent,
      AgentEvent,
      AgentEvent,
    ];
    await log.append('a', [start, first]);
    await log.append('a', [second]);
    await log.append('a', [end]);
    assert.deepEqual(await places(log, 'half whole'), [['a', 'r1', 2]]);
  });

  law('finds words of any script, in text parts, and beside what is no text', async ({ log }) => {
    await log.createThread({ id: 'a' });
    const image = { type: 'image', data: 'aGFyYm91cg==', mediaType: 'image/png' } as const;
    await log.append('a', [
      { type: 'user', runId: 'u1', content: [{ type: 'text', text: 'Ünïcödé \u0000 snake_case' }, image] },
      userEvent('u2', '日本語の港'),
    ]);
    assert.deepEqual(await places(log, 'ünïcödé'), [['a', 'u1:user', 1]]);
    assert.deepEqual(await places(log, 'snake_case'), [['a', 'u1:user', 1]]);
    assert.deepEqual(await places(log, 'aGFyYm91cg'), []);
    assert.deepEqual(await places(log, '港'), [['a', 'u2:user', 2]]);
    assert.deepEqual(await places(log, '" OR * NEAR('), []);
  });

  law('finds titles, and after a change only the new one', async ({ log }) => {
    await log.createThread({ id: 'a', title: 'Pears and apples' });
    assert.deepEqual(await places(log, 'apples'), [['a', undefined, undefined]]);
    await log.updateThread('a', { title: 'Plums' });
    await log.updateThread('a', { metadata: { colour: 'apples' } });
    assert.deepEqual(await places(log, 'apples'), []);
    assert.deepEqual((await searchLog(log, { text: 'plums' })).hits, [
      { threadId: 'a', resourceId: 'default', title: 'Plums', snippet: 'Plums' },
    ]);
  });

  law('finds only what belongs to a resource, when one is named', async ({ log }) => {
    await log.createThread({ id: 'a', resourceId: 'one' });
    await log.createThread({ id: 'b', resourceId: 'two', title: 'shared words' });
    await log.append('a', [userEvent('u', 'shared words')]);
    assert.deepEqual(await places(log, { text: 'shared', resourceId: 'one' }), [['a', 'u:user', 1]]);
    assert.deepEqual(await places(log, { text: 'shared', resourceId: 'two' }), [['b', undefined, undefined]]);
    assert.deepEqual(await places(log, { text: 'shared', resourceId: 'three' }), []);
  });

  law('finds every text once, page by page', async ({ log }) => {
    await log.createThread({ id: 'a' });
    await log.append(
      'a',
      range(1, 25).map(number => userEvent(`u${number}`, `apple ${number}`)),
    );
    const found: (number | undefined)[] = [];
    let after: string | undefined;
    do {
      const page = await searchLog(log, { text: 'apple', limit: 7, ...defined({ after }) });
      assert.ok(page.hits.length <= 7 && page.isComplete);
      found.push(...page.hits.map(({ seq }) => seq));
      after = page.next;
    } while (after !== undefined);
    assert.deepEqual(found, range(1, 25).toReversed());
  });

  law('finds what a branch shares once, and in the branch when its parent is deleted', async ({ log }) => {
    await log.createThread({ id: 'parent', title: 'a harbour' });
    await log.append('parent', [userEvent('u1', 'the harbour'), userEvent('u2', 'another harbour')]);
    await log.branch('parent', 1, { id: 'child' });
    await log.append('child', [userEvent('u3', 'a third harbour')]);
    assert.deepEqual((await places(log, 'harbour')).length, 4);
    await log.deleteThread('parent');
    assert.deepEqual(await places(log, 'harbour'), [
      ['child', 'u3:user', 2],
      ['child', 'u1:user', 1],
    ]);
    await log.deleteThread('child');
    assert.deepEqual(await places(log, 'harbour'), []);
  });

  law('finds nothing of an append that was refused', async ({ log }) => {
    await log.createThread({ id: 'a' });
    await log.append('a', [userEvent('u1', 'first')]);
    await refuses('seq_conflict', log.append('a', [userEvent('u2', 'second')], { expectedSeq: 7 }));
    await refuses('invalid_event', log.append('a', [userEvent('u3', 'second'), { type: 'user' } as AgentEvent]));
    await log.append('a', [userEvent('u4', 'third')]);
    assert.deepEqual(await places(log, 'second'), []);
    assert.deepEqual(await places(log, 'third'), [['a', 'u4:user', 2]]);
  });

  law('refuses a query that is not valid', async ({ log }) => {
    for (const query of [
      { text: 1 },
      { text: 'a', limit: 0 },
      { text: 'a', limit: 101 },
      { text: 'a', after: 'x' },
      { query: 'a' },
    ])
      await refuses('invalid_argument', searchLog(log, query as unknown as SearchQuery));
  });
}
