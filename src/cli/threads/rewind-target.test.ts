import { afterEach, describe, expect, it, vi } from 'vitest';
import { ThreadRewind } from '../../control/rewind/rewind-thread.ts';
import { MemoryLog } from '../../log/memory-log.ts';
import { findRewindTarget } from './find-thread.ts';

afterEach(() => vi.restoreAllMocks());

/** A log with one thread for each folder, the newest last. */
async function threadsIn(...folders: string[]) {
  const log = new MemoryLog();
  for (const [n, cwd] of folders.entries()) {
    const { id } = await log.createThread({ id: `thread-${n}`, title: `Work ${n}` });
    await log.append(id, [
      { type: 'user', runId: 'r', content: 'go' },
      { type: 'harness_start', runId: 'r', agentId: 'coder', cwd },
    ]);
  }
  const rewind = new ThreadRewind({ log, snapshots: '/nowhere' });
  return (text?: string, yes = false) => findRewindTarget(log, rewind, { direction: 'undo', text, yes });
}

describe('the thread that an undo rewinds', () => {
  it('is the newest one of this folder', async () => {
    vi.spyOn(process, 'cwd').mockReturnValue('/here');
    const find = await threadsIn('/here', '/here', '/elsewhere');
    expect((await find()).id).toBe('thread-1');
  });

  it.each([undefined, 'last', 'thread-1'])(
    'is refused without a terminal when it is of another folder: %s',
    async text => {
      vi.spyOn(process, 'cwd').mockReturnValue('/here');
      const find = await threadsIn('/elsewhere', '/elsewhere');
      await expect(find(text)).rejects.toMatchObject({
        code: 'invalid_argument',
        message: expect.stringMatching(
          /"Work 1" \(thread-1\) of \/elsewhere.*singletree undo thread-1 --yes$/,
        ) as string,
      });
      expect((await find(text, true)).id).toBe('thread-1');
    },
  );
});
