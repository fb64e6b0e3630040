import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { LibSQLStore } from './libsql-store.ts';

const folder = mkdtempSync(join(tmpdir(), 'singletree-libsql-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a store that is named by a URL', () => {
  it.each([
    ['a path', `file:${join(folder, 'a.db')}`, 'a.db'],
    ['a whole URL', pathToFileURL(join(folder, 'b b.db')).href, 'b b.db'],
  ])('is a log in the file of %s', async (_, url, name) => {
    const store = new LibSQLStore({ id: 'store', url });
    const { id } = await store.createThread();
    await store.append(id, [{ type: 'user', runId: 'r', content: 'Hi.' }]);
    await store.close();
    expect(existsSync(join(folder, name))).toBe(true);
    const again = new LibSQLStore({ url });
    expect(await again.read(id)).toMatchObject([{ type: 'user', content: 'Hi.' }]);
    await again.close();
  });

  it.each([':memory:', 'file::memory:'])('is in memory: %s', async url => {
    const store = new LibSQLStore({ url });
    expect(await store.createThread()).toMatchObject({ seq: 0 });
    await store.close();
    expect(existsSync(':memory:')).toBe(false);
  });

  it.each([
    ['a remote database', { url: 'libsql://host.example' }, 'Remote databases'],
    ['a URL without a file', { url: 'file:' }, 'file:./data.db'],
    ['no URL', {} as { url: string }, 'url'],
    ['an unknown option', { url: 'file:a.db', syncUrl: 'x' } as { url: string }, 'syncUrl'],
  ])('refuses %s', (_, options, words) => {
    expect(() => new LibSQLStore(options)).toThrow(
      expect.objectContaining({ code: 'invalid_argument', message: expect.stringContaining(words) as string }) as Error,
    );
  });
});
