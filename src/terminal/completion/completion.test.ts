import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import { workspace } from '../../agents/workspace/workspace-folder.ts';
import { type Composer, emptyComposer, insertText, pasteText, replaceRange } from '../composer/composer.ts';
import { actions, actionNames } from '../keys/actions.ts';
import { commandsByUse, parseCommand, slashCommands } from './commands.ts';
import {
  type Completion,
  completionFor,
  completionRequest,
  type CompletionSources,
  isWholeLine,
  markedChange,
  moveCompletion,
} from '../../projections/completion/completion.ts';
import { fuzzyMatch, ranked } from '../../projections/completion/fuzzy-match.ts';
import { FileIndex } from '../../agents/workspace/file-index.ts';

const accepted = (composer: Composer, completion: Completion) => {
  const { from, to, text } = markedChange(completion);
  return replaceRange(composer, from, to, text);
};
const typed = (text: string) => insertText(emptyComposer, text);
const paths = ['src/events/index.ts', 'src/terminal/keys/key-map.ts', 'README.md', 'docs/a b.md'];
const sources: CompletionSources = {
  files: (query, limit) => ranked(paths, query, { textOf: path => path, limit }),
  commands: slashCommands,
  values: kind => (kind === 'mode' ? [{ text: 'build' }, { text: 'plan', detail: 'reads only' }] : []),
};
const offered = (text: string) => completionFor(typed(text), sources)?.items.map(({ label }) => label);

describe('a fuzzy match', () => {
  it('prefers the starts of names and characters side by side', () => {
    const order = (query: string, texts: string[]) =>
      ranked(texts, query, { textOf: text => text, limit: 9 }).map(({ entry }) => entry);
    expect(order('km', ['src/bookmarks.ts', 'src/keys/key-map.ts'])[0]).toBe('src/keys/key-map.ts');
    expect(order('index', ['src/in/dex.ts', 'src/index.ts'])[0]).toBe('src/index.ts');
    expect(order('cw', ['a/cow.ts', 'ComposerWindow.ts'])[0]).toBe('ComposerWindow.ts');
  });

  it('finds exactly the texts that have the characters in this order', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-cA-C]{0,4}$/), fc.stringMatching(/^[a-cA-C/._-]{0,12}$/), (query, text) => {
        const pattern = new RegExp(query.toLowerCase().split('').join('.*'));
        const match = fuzzyMatch(query, text);
        expect(match !== undefined).toBe(pattern.test(text.toLowerCase()));
        const shown = match?.positions.map(position => text[position]).join('');
        if (match !== undefined) expect(shown?.toLowerCase()).toBe(query.toLowerCase());
      }),
      { numRuns: 500 },
    );
  });
});

describe('completion', () => {
  it('offers files after an at sign, not inside a word', () => {
    expect(offered('see @km')).toEqual(['src/terminal/keys/key-map.ts']);
    expect(offered('me@km')).toBeUndefined();
    expect(offered('see @km ')).toBeUndefined();
    const composer = typed('see @km');
    const completion = completionFor(composer, sources);
    expect(completion && accepted(composer, completion).text).toBe('see @src/terminal/keys/key-map.ts ');
  });

  it('quotes a path with spaces', () => {
    const composer = typed('@a b'.replace(' ', ''));
    const completion = completionFor(composer, sources);
    expect(completion && accepted(composer, completion).text).toBe('@"docs/a b.md" ');
  });

  it('offers commands at the start, with their arguments, and then the arguments', () => {
    expect(offered('/mod')).toEqual(['/mode [mode]', '/model [provider/model]']);
    expect(offered('/mode p')).toEqual(['plan']);
    expect(offered('a /mod')).toBeUndefined();
    expect(offered('/quit')).toBeUndefined();
    expect(completionFor(pasteText(emptyComposer, '/mod'), sources)).toBeUndefined();
    expect(completionRequest(typed('/etc/x'))).toBeUndefined();
  });

  it('moves around the ends and keeps its mark while files are found', () => {
    const completion = completionFor(typed('/'), sources);
    if (completion === undefined) throw new Error('no completions');
    const last = moveCompletion(completion, -1);
    expect(last.index).toBe(slashCommands.length - 1);
    expect(moveCompletion(last, 1).index).toBe(0);
    expect(completionFor(typed('/'), sources, last)?.index).toBe(last.index);
    expect(completionFor(typed('/q'), sources, last)?.index).toBe(0);
  });

  it('is a whole line when nothing more can be written', () => {
    const whole = (text: string) => {
      const completion = completionFor(typed(text), sources);
      return completion && isWholeLine(completion, slashCommands);
    };
    expect([whole('/qui'), whole('/ren'), whole('/mode p'), whole('@km')]).toEqual([true, false, true, false]);
    expect([whole('/mode'), whole('/agent'), whole('/agen')]).toEqual([true, true, false]);
  });

  it('mark what is written in full, whichever command was used most', () => {
    const commands = slashCommands.toReversed();
    const completion = completionFor(typed('/agent'), { ...sources, commands });
    expect(completion?.items.map(({ label }) => label)).toContain('/agents');
    expect(completion?.items[completion.index]?.text).toBe('/agent ');
  });
});

describe('commands', () => {
  it('are recognised by a beginning that only one has', () => {
    expect(parseCommand('/model  a/b ')).toEqual({ type: 'command', name: 'model', argument: 'a/b' });
    expect(parseCommand('/thr')).toEqual({ type: 'command', name: 'threads', argument: '' });
    expect(parseCommand('/mode')).toEqual({ type: 'command', name: 'mode', argument: '' });
    expect(parseCommand('/mod')).toEqual({ type: 'unknown', name: 'mod', near: ['model', 'mode'] });
    expect(parseCommand('/nonsense x')).toEqual({ type: 'unknown', name: 'nonsense', near: [] });
  });

  it('come in the order of their use', () => {
    const names = commandsByUse(['/usage', 'hello', '/usage', '/tasks x', '/usage2']).map(({ name }) => name);
    expect(names.slice(0, 3)).toEqual(['usage', 'tasks', 'help']);
    expect(names).toHaveLength(slashCommands.length);
  });

  it('exist for every action that names one', () => {
    const named = actionNames.flatMap(name => actions[name].command ?? []);
    const known = slashCommands.map(({ name }) => `/${name}`);
    expect(named.filter(command => !known.includes(command as never))).toEqual([]);
  });
});

describe('the index of files', () => {
  let root = '';
  beforeEach(() => void (root = mkdtempSync(join(tmpdir(), 'singletree-index-'))));
  afterEach(() => rmSync(root, { recursive: true, force: true }));
  const put = (path: string, text = '') => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  const found = (index: FileIndex) => index.search('', 1_000).map(({ entry }) => entry);

  it('has the files that git does not ignore, without another program', async () => {
    put('.gitignore', 'dist/\n');
    for (const path of ['dist/a.js', 'src/a.ts', 'node_modules/x/index.js']) put(path);
    const index = new FileIndex(workspace(root), new ManualClock());
    await index.refresh();
    expect(found(index)).toEqual(['.gitignore', 'src/a.ts']);
    expect(index.search('a', 5)[0]?.entry).toBe('src/a.ts');
  });

  it('can be searched while it is built, and reports when it grows', async () => {
    for (let file = 0; file < 450; file++) put(`f${file}`);
    const index = new FileIndex(workspace(root), new ManualClock());
    const sizes: number[] = [];
    index.onChange(() => void sizes.push(found(index).length));
    await index.refresh();
    expect(sizes).toEqual([200, 400, 450]);
  });

  it('is built anew when it is no longer fresh, and ends when it is closed', async () => {
    const clock = new ManualClock();
    const index = new FileIndex(workspace(root), clock);
    await index.refresh();
    put('new');
    await index.refresh();
    expect(found(index)).toEqual([]);
    clock.advance(10_000);
    await index.refresh();
    expect(found(index)).toEqual(['new']);
    index.close();
    clock.advance(10_000);
    await index.refresh();
  });
});
