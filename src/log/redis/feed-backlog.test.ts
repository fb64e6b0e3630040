import { describe, expect, it } from 'vitest';
import { FeedBacklog } from './feed-backlog.ts';
import { entryArguments, newsIn, type StreamEntry } from './feed-entry.ts';

const kilobytes = (count: number) => 'x'.repeat(count * 1024);

describe('news that wait for Redis', () => {
  it('join consecutive events of a topic', () => {
    const backlog = new FeedBacklog();
    backlog.add('a', 1, ['one', 'two']);
    backlog.add('b', 5, ['five']);
    backlog.add('a', 3, ['three']);
    expect([...backlog.take()]).toMatchObject([
      ['a', { firstSeq: 1, lastSeq: 3, texts: ['one', 'two', 'three'] }],
      ['b', { firstSeq: 5, lastSeq: 5, texts: ['five'] }],
    ]);
    expect(backlog.isEmpty).toBe(true);
  });

  it('only announce events that are not consecutive', () => {
    const backlog = new FeedBacklog();
    backlog.add('a', 1, ['one']);
    backlog.add('a', 4, ['four']);
    backlog.add('a', 3, ['three']);
    expect(backlog.take().get('a')).toEqual({ lastSeq: 4, bytes: 0 });
  });

  it('only announce texts above 64 KiB in a topic, and above 4 MiB in all', () => {
    const backlog = new FeedBacklog();
    backlog.add('large', 1, [kilobytes(65)]);
    for (let topic = 0; topic < 100; topic++) backlog.add(`${topic}`, 1, [kilobytes(60)]);
    const news = backlog.take();
    expect(news.get('large')).toEqual({ lastSeq: 1, bytes: 0 });
    expect(news.get('0')?.texts).toHaveLength(1);
    expect(news.get('99')).toEqual({ lastSeq: 1, bytes: 0 });
  });

  it('drop the news of topics beyond 10,000', () => {
    const backlog = new FeedBacklog();
    for (let topic = 0; topic < 10_001; topic++) backlog.add(`${topic}`, 1, ['x']);
    expect(backlog.take().size).toBe(10_000);
  });
});

describe('an entry of a stream', () => {
  const roundTrip = (news: Parameters<typeof entryArguments>[0]) => {
    const [id = '', ...fields] = entryArguments(news);
    return newsIn([id, fields]);
  };

  it.each([{ firstSeq: 3, lastSeq: 4, texts: ['{"a":"first"}', 'event'] }, { lastSeq: 7 }])(
    'returns the news it was made from',
    news => {
      expect(roundTrip(news)).toEqual(news);
    },
  );

  it.each<[string, StreamEntry, unknown]>([
    ['an id of Redis itself', ['1700000000000-1', ['x', 'y']], undefined],
    ['a deleted entry', ['4-0', null], undefined],
    ['texts that are not as many as the seqs', ['4-0', ['first', '1', 'event', 'x']], { lastSeq: 4 }],
  ])('that is foreign is not trusted: %s', (_, entry, news) => {
    expect(newsIn(entry)).toEqual(news);
  });
});
