import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Composer, emptyComposer, insertText, pasteText } from './composer.ts';
import { DraftStore } from './draft-store.ts';
import {
  addEntry,
  type HistoryEntry,
  HistoryFile,
  type HistoryWalk,
  mostEntries,
  recentTexts,
  walkHistory,
} from './history.ts';
import { isImagePath, pastedPaths } from '../session/message-files.ts';

let folder = '';
beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), 'singletree-history-'))));
afterEach(() => rm(folder, { recursive: true, force: true }));

const entry = (text: string, where = '/project'): HistoryEntry => ({ text, folder: where, at: 1 });

describe('the history', () => {
  it('has each text once, the newest first, of one folder or of all', () => {
    const entries = [entry('a'), entry('b', '/other'), entry('c'), entry('a')];
    expect(recentTexts(entries, '/project')).toEqual(['a', 'c']);
    expect(recentTexts(entries)).toEqual(['a', 'c', 'b']);
  });

  it('is bounded, and repeats no message that was just entered', () => {
    const many = Array.from({ length: mostEntries + 5 }, (_, index) => entry(`m${index}`));
    const entries = many.reduce<readonly HistoryEntry[]>(addEntry, []);
    expect(entries).toHaveLength(mostEntries);
    expect(addEntry(entries, entry(`m${mostEntries + 4}`))).toBe(entries);
    expect(addEntry(entries, entry('  '))).toBe(entries);
    expect(addEntry(entries, entry('x'.repeat(100_001)))).toBe(entries);
  });

  it('is kept in a file that only its owner can read, which several programs may write', async () => {
    const path = join(folder, 'deep', 'history.jsonl');
    const [one, other] = await Promise.all([HistoryFile.open(path), HistoryFile.open(path)]);
    one.add(entry('a\nb'));
    await one.flush();
    other.add(entry('c'));
    await other.flush();
    expect((await HistoryFile.open(path)).entries.map(({ text }) => text)).toEqual(['a\nb', 'c']);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it('survives lines that cannot be read, and is written anew when it grows too long', async () => {
    const path = join(folder, 'history.jsonl');
    const line = (text: string) => `${JSON.stringify(entry(text))}\n`;
    const lines = Array.from({ length: mostEntries * 2 }, (_, index) => line(`m${index}`));
    await writeFile(path, `{"text":\nnonsense\n${lines.join('')}`);
    const file = await HistoryFile.open(path);
    expect(file.entries).toHaveLength(mostEntries);
    file.add(entry('new'));
    await file.flush();
    const kept = (await readFile(path, 'utf8')).trimEnd().split('\n');
    expect(kept).toHaveLength(mostEntries);
    expect(kept.at(-1)).toBe(line('new').trimEnd());
  });
});

describe('a walk through the history', () => {
  const step = (composer: Composer, walk: HistoryWalk | undefined, by: 1 | -1) =>
    walkHistory(composer, walk, { entries: ['newest', 'older'], step: by });

  it('goes to older messages and back to the draft', () => {
    const draft = insertText(emptyComposer, 'my draft');
    const first = step(draft, undefined, 1);
    const second = step(first?.composer ?? draft, first?.walk, 1);
    expect([first?.composer.text, second?.composer.text]).toEqual(['newest', 'older']);
    expect(step(second?.composer ?? draft, second?.walk, 1)).toBeUndefined();
    const back = step(second?.composer ?? draft, second?.walk, -1);
    expect(step(back?.composer ?? draft, back?.walk, -1)).toMatchObject({
      composer: { text: 'my draft', cursor: 8 },
      walk: undefined,
    });
    expect(step(draft, undefined, -1)).toBeUndefined();
  });

  it('restores the draft after as many steps back as forth', () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.array(fc.string({ minLength: 1 }), { maxLength: 5 }),
        fc.nat(6),
        (text, entries, count) => {
          const draft = insertText(emptyComposer, text);
          let composer = draft;
          let walk: HistoryWalk | undefined;
          for (const by of [1, -1] as const)
            for (let each = 0; each < count; each++)
              ({ composer, walk } = walkHistory(composer, walk, { entries, step: by }) ?? { composer, walk });
          expect({ text: composer.text, cursor: composer.cursor }).toEqual({ text: draft.text, cursor: draft.cursor });
        },
      ),
    );
  });
});

describe('the drafts', () => {
  it('survive a crash and a switch of the thread, with their chips and what was put aside', async () => {
    const composer = {
      ...pasteText(insertText(emptyComposer, 'see '), 'line\n'.repeat(20)),
      stashed: [{ text: 'later', cursor: 5, isLiteral: false }],
    };
    const store = new DraftStore(join(folder, 'drafts'));
    await store.save('thread/../1', composer);
    await store.save('t2', insertText(emptyComposer, 'two'));
    const { text, cursor, chips, stashed } = await new DraftStore(join(folder, 'drafts')).load('thread/../1');
    expect({ text, cursor, chips, stashed }).toEqual({
      text: composer.text,
      cursor: composer.cursor,
      chips: composer.chips,
      stashed: composer.stashed,
    });
    expect((await store.load('t2')).text).toBe('two');
    await store.save('t2', emptyComposer);
    expect(await store.load('t2')).toEqual(emptyComposer);
  });

  it('are empty when their file cannot be read', async () => {
    await writeFile(join(folder, 't.json'), '{');
    expect(await new DraftStore(folder).load('t')).toEqual(emptyComposer);
  });
});

describe('paths that are pasted', () => {
  it.each([
    ['/tmp/a b.png', []],
    ['/tmp/a\\ b.png', ['/tmp/a b.png']],
    ["'/tmp/a b.png' /tmp/c.pdf", ['/tmp/a b.png', '/tmp/c.pdf']],
    ['~/x.txt', ['/home/me/x.txt']],
    ['file:///tmp/a%20b.png', ['/tmp/a b.png']],
    ['/help', []],
    ['see /tmp/a.png', []],
    ["it's", []],
    ['', []],
  ])('finds in %j %j', (text, paths) => {
    expect(pastedPaths(text, '/home/me')).toEqual(paths);
  });

  it('recognises images', () => {
    expect([isImagePath('/a/b.PNG'), isImagePath('/a/png')]).toEqual([true, false]);
  });
});
