import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import { workspace } from '../../agents/workspace/workspace-folder.ts';
import { FileIndex } from '../../agents/workspace/file-index.ts';
import { DraftStore } from '../composer/draft-store.ts';
import { HistoryFile } from '../composer/history.ts';
import { OpenList, openPicker } from '../pickers/list-picker.ts';
import { textOfLine } from '../screen/styled-line.ts';
import { completionLines } from './chat-drawing.ts';
import { DraftInput } from './draft-input.ts';
import { runShellLine, shellLineContext } from './person-shell.ts';

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'singletree-draft-'));
  mkdirSync(join(root, 'project'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

async function input(clock = new ManualClock()) {
  const folder = join(root, 'project');
  const files = new FileIndex(workspace(folder), clock);
  const draft = new DraftInput({
    history: await HistoryFile.open(join(root, 'history.jsonl')),
    drafts: new DraftStore(join(root, 'drafts')),
    files,
    folder,
    clock,
    values: () => [],
    onChange: () => {},
  });
  return { draft, files, clock };
}

describe('the draft of a person', () => {
  it('goes through the messages of before at its first line, and returns', async () => {
    const { draft } = await input();
    for (const text of ['one', 'two']) {
      draft.type(text);
      draft.take();
    }
    draft.type('three');
    const shown = () => draft.composer.text;
    expect(draft.act('draft.up', 40) && shown()).toBe('two');
    expect(draft.act('draft.up', 40) && shown()).toBe('one');
    draft.act('draft.down', 40);
    expect(draft.act('draft.down', 40) && shown()).toBe('three');
  });

  it('stays in the history when it is cleared, and after the program has ended', async () => {
    const { draft } = await input();
    draft.type('never sent');
    draft.clear();
    expect(draft.isEmpty).toBe(true);
    await draft.close();
    expect((await input()).draft.recent(false)).toEqual(['never sent']);
  });

  it('is stored shortly after each change, for each thread', async () => {
    const { draft, clock } = await input();
    await draft.open('t1');
    draft.type('half a thought');
    clock.advance(1_000);
    await vi.waitFor(() => expect(existsSync(join(root, 'drafts', 't1.json'))).toBe(true));
    const { draft: after } = await input();
    await after.open('t1');
    expect(after.composer.text).toBe('half a thought');
    await after.open('t2');
    expect(after.isEmpty).toBe(true);
    after.type('two');
    await after.open('t1');
    expect(after.composer.text).toBe('half a thought');
  });

  it('keeps what is typed while the draft of a thread is opened, whichever was opened last', async () => {
    const { draft } = await input();
    await draft.open('t1');
    draft.type('one');
    const opened = [draft.open('t2'), draft.open('t1')];
    draft.type(' and two');
    await Promise.all(opened);
    expect(draft.composer.text).toBe('one and two');
    const left = draft.open('t2');
    draft.type('three');
    await left;
    expect(draft.composer.text).toBe('three');
    await draft.open('t1');
    expect(draft.composer.text).toBe('one and two');
  });

  it('of a thread that is left before it was read stays, with what was typed meanwhile', async () => {
    const { draft } = await input();
    await draft.open('t1');
    draft.type('one');
    await draft.open('t2');
    draft.type('two');
    await draft.open('t3');
    const opened = [draft.open('t1'), draft.open('t2'), draft.open('t1')];
    draft.type(' more');
    opened.push(draft.open('t2'), draft.open('t3'));
    await Promise.all(opened);
    expect(draft.isEmpty).toBe(true);
    for (const [threadId, text] of [
      ['t1', 'one more'],
      ['t2', 'two'],
    ] as const) {
      await draft.open(threadId);
      expect(draft.composer.text).toBe(text);
    }
  });

  it('attaches files whose paths are pasted, and pastes other text', async () => {
    const image = join(root, 'a shot.png');
    writeFileSync(image, 'x');
    const { draft } = await input();
    await draft.paste(image.replaceAll(' ', '\\ '));
    expect(draft.take()).toEqual({
      text: image,
      type: 'message',
      attachments: [{ type: 'image', path: image, bytes: 1 }],
    });
    await draft.paste('/nowhere/at/all.png');
    expect(draft.composer.text).toBe('/nowhere/at/all.png');
  });

  it('offers files as they are found, and commands', async () => {
    writeFileSync(join(root, 'project', 'readme.md'), '');
    const { draft, files } = await input();
    draft.type('see @rea');
    await files.refresh();
    expect(draft.completion && completionLines(draft.completion, 40).map(textOfLine)).toEqual(['› readme.md']);
    draft.act('completion.accept', 40);
    expect(draft.composer.text).toBe('see @readme.md ');
    draft.replace('');
    draft.type('/qui');
    expect(draft.isWholeLine).toBe(true);
    expect(draft.closeCompletion()).toBe(true);
    expect(draft.completion).toBeUndefined();
    draft.type('t');
    expect(draft.completion).toBeUndefined();
  });

  it('starts a new line after a backslash instead of being sent', async () => {
    const { draft } = await input();
    draft.type('one\\');
    expect(draft.take()).toBeUndefined();
    expect(draft.composer.text).toBe('one\n');
  });
});

describe('an open list', () => {
  const entries = ['a', 'b'].map(id => ({ id, label: `entry ${id}` }));

  it('is filtered by what is typed, and closed by a choice', () => {
    const chosen: string[] = [];
    const list = new OpenList(
      () => {},
      () => {},
    );
    list.open(openPicker({ title: 'Things', entries }), { choose: ({ id }) => void chosen.push(id) });
    list.type('b');
    expect(list.lines(40, 5).map(textOfLine)[1]).toBe('› entry b');
    list.act('list.choose');
    expect([chosen, list.isOpen]).toEqual([['b'], false]);
    expect(list.act('list.up')).toBe(false);
  });

  it('reports what fails, and changes its entries by other keys', async () => {
    const errors: unknown[] = [];
    const list = new OpenList(
      () => {},
      error => void errors.push(error),
    );
    list.open(openPicker({ title: 'Things', entries }), {
      choose: () => Promise.reject(new Error('no')),
      on: { 'list.delete': entry => ({ entries: entries.filter(({ id }) => id !== entry?.id) }) },
    });
    list.act('list.delete');
    expect(list.lines(40, 5).map(textOfLine)).toEqual(['Things', '› entry b']);
    list.act('list.choose');
    await Promise.resolve();
    await Promise.resolve();
    expect(errors).toEqual([new Error('no')]);
  });
});

describe('a shell line', () => {
  it('runs in the folder of the person, and its output is for the model', async () => {
    const end = await runShellLine('pwd; echo oops >&2; exit 3', root, new AbortController().signal);
    expect(end).toEqual({ output: `${root}\noops\n`, exitCode: 3 });
    expect(shellLineContext('pwd', end)).toBe(`$ pwd\n${root}\noops\n[exit code 3]`);
  });
});
