import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HeldLock } from './thread-lock.ts';

describe('the lock of a harness', () => {
  it('acquires the new one, works, releases the old one', async () => {
    const log: string[] = [];
    const lock = new HeldLock(
      { acquire: id => void log.push(`acquire ${id}`), release: async id => void log.push(`release ${id}`) },
      () => {},
    );
    await lock.change('a', async () => log.push('work'));
    await lock.change('a', async () => log.push('again'));
    await lock.change('b', async () => log.push('work'));
    await lock.release();
    await lock.release();
    expect(log).toEqual(['acquire a', 'work', 'again', 'acquire b', 'work', 'release a', 'release b']);
  });

  it('works without a lock', async () => {
    const lock = new HeldLock(undefined, () => {});
    expect(await lock.change('a', async () => 1)).toBe(1);
    expect(lock.threadId).toBe('a');
  });

  it('reports a failed release, and continues', async () => {
    const errors: unknown[] = [];
    const release = () => Promise.reject(new Error('stuck'));
    const lock = new HeldLock({ acquire: () => {}, release }, error => errors.push(error));
    await lock.change('a', async () => {});
    await lock.change('b', async () => {});
    expect(errors).toEqual([new Error('stuck')]);
    expect(lock.threadId).toBe('b');
  });

  it('is on the open thread and on no other, whatever fails', async () => {
    const attempt = fc.record({
      id: fc.constantFrom('a', 'b', 'c'),
      fails: fc.constantFrom('acquire', 'work', 'nothing', 'nothing'),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(attempt), async attempts => {
        const held = new Set<string>();
        let fails = '';
        const lock = new HeldLock(
          {
            acquire: id => {
              if (fails === 'acquire') throw new Error('held');
              held.add(id);
            },
            release: id => void held.delete(id),
          },
          () => {},
        );
        for (const { id, fails: what } of attempts) {
          fails = what;
          const work = async () => {
            if (what === 'work') throw new Error('no');
          };
          await lock.change(id, work).catch(() => {});
          expect([...held]).toEqual(lock.threadId === null ? [] : [lock.threadId]);
        }
        await lock.release();
        expect(held.size).toBe(0);
      }),
    );
  });
});
