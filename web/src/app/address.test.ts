import { describe, expect, it } from 'vitest';
import { type Address, readAddress, writeAddress } from './address.ts';

const read = (path: string): Address => {
  const { pathname, search } = new URL(path, 'http://page');
  return readAddress({ pathname, search });
};

describe('the address', () => {
  it.each<Address>([
    { section: 'start' },
    { section: 'start', agent: 'my agent' },
    { section: 'inbox' },
    { section: 'inbox', view: 'history' },
    { section: 'inbox', relayId: 'run/ask 1' },
    { section: 'usage' },
    { section: 'compare', threads: [] },
    { section: 'compare', threads: ['a', 'b/ü'] },
    { section: 'thread', threadId: 'a/b ü' },
    { section: 'thread', threadId: 't', view: 'graph', at: 3 },
    { section: 'thread', threadId: 't', view: 'graph' },
    { section: 'thread', threadId: 't', at: 3, find: 'roses & tulips' },
  ])('reads what it wrote: %j', address => expect(read(writeAddress(address))).toEqual(address));

  it.each(['/nowhere', '/threads', '/threads/'])('names %s as unknown', path =>
    expect(read(path)).toEqual({ section: 'unknown', path }),
  );

  it.each(['/threads/t/nothing', '/threads/t?at=x'])('ignores what is not known in %s', path =>
    expect(read(path)).toEqual({ section: 'thread', threadId: 't' }),
  );
});
