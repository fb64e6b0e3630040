import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { mentionedFiles } from './message-files.ts';

const root = mkdtempSync(join(tmpdir(), 'singletree-mentions-'));
const folder = join(root, 'project');
mkdirSync(join(folder, 'src'), { recursive: true });
for (const [name, text] of Object.entries({ 'a.md': 'one', 'src/b.ts': 'four', 'with space.md': '', '../secret': '' }))
  writeFileSync(join(folder, name), text);
symlinkSync(join(root, 'secret'), join(folder, 'link'));
symlinkSync(join(folder, 'a.md'), join(folder, 'inner'));
afterAll(() => rmSync(root, { recursive: true }));

const names = async (text: string) =>
  (await mentionedFiles(text, folder)).map(({ path }) => path.slice(folder.length + 1));

describe('the files that a message mentions', () => {
  it('are those after an at sign, each once, with their sizes', async () => {
    expect(await mentionedFiles('see @a.md and @src/b.ts, not @a.md again', folder)).toEqual([
      { path: join(folder, 'a.md'), bytes: 3 },
      { path: join(folder, 'src/b.ts'), bytes: 4 },
    ]);
    expect(await names('(@a.md) "@src/b.ts" @"with space.md" @inner')).toEqual([
      'a.md',
      'src/b.ts',
      'with space.md',
      'inner',
    ]);
  });

  it.each([
    ['a word that names no file', 'ask @alice about @missing.md and a@a.md'],
    ['a folder', '@src @. @'],
    ['a path outside the folder', `@../secret @${join(root, 'secret')} @/etc/passwd`],
    ['a link that leads outside', '@link'],
    ['a quote that never ends', '@"with space.md and @"\\u" @"a\\q.md"'],
  ])('are not %s: it stays text', async (_, text) => expect(await names(text)).toEqual([]));
});
