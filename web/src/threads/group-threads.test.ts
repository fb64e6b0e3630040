import { describe, expect, it } from 'vitest';
import type { ThreadInfo } from '../../../src/protocols/http-api.ts';
import { groupThreads, waitingIn } from './group-threads.ts';

const now = new Date(2026, 4, 20, 12).getTime();
const thread = (id: string, hoursAgo: number, fields: Partial<ThreadInfo> = {}): ThreadInfo => ({
  id,
  resourceId: 'default',
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: new Date(now - hoursAgo * 3_600_000).toISOString(),
  seq: 1,
  runs: [],
  ...fields,
});
const rowsOf = (threads: readonly ThreadInfo[], showArchived = false, by: 'day' | 'folder' = 'day') =>
  groupThreads(threads, { now, showArchived, by }).map(row =>
    row.kind === 'heading' ? `# ${row.label}` : row.thread.id,
  );

describe('the groups of threads', () => {
  it('come in the order of urgency, then by day', () => {
    const threads = [
      thread('a', 1),
      thread('b', 2, { status: 'waiting', waiting: ['1'] }),
      thread('c', 3, { status: 'running' }),
      // Its run was interrupted while it asked: the questions wait all the same.
      thread('d', 4, { status: 'interrupted', waiting: ['2', '3'] }),
      thread('e', 20),
      thread('f', 60, { isPinned: true }),
      thread('g', 80),
      thread('h', 24 * 60),
    ];
    expect(rowsOf(threads).join(' ')).toBe(
      '# Waiting for you d b # Pinned f # Running c # Today a # Yesterday e # Last 7 days g # March 2026 h',
    );
    expect(waitingIn(threads)).toBe(3);
  });

  it('are folders on request, the one that changed last first, below what is urgent', () => {
    const threads = [
      thread('a', 1, { folder: '/home/me/shop' }),
      thread('b', 2, { status: 'waiting', waiting: ['1'], folder: '/home/me/shop' }),
      thread('c', 3),
      thread('d', 4, { folder: '/home/me/tools' }),
      thread('e', 5, { folder: '/home/me/shop' }),
    ];
    expect(rowsOf(threads, false, 'folder').join(' ')).toBe(
      '# Waiting for you b # shop a e # Without a folder c # tools d',
    );
    const headings = groupThreads(threads, { now, showArchived: false, by: 'folder' }).slice(2, 3);
    expect(headings).toEqual([{ kind: 'heading', label: 'shop', folder: '/home/me/shop' }]);
  });

  it('leave out what is archived, unless it waits or is asked for', () => {
    const threads = [
      thread('a', 1, { isArchived: true }),
      thread('b', 2, { isArchived: true, status: 'waiting', waiting: ['1'] }),
    ];
    expect(rowsOf(threads)).toEqual(['# Waiting for you', 'b']);
    expect(rowsOf(threads, true)).toEqual(['# Waiting for you', 'b', '# Today', 'a']);
  });
});
