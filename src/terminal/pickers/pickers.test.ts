import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { actionNames } from '../keys/actions.ts';
import { keyMap } from '../keys/key-map.ts';
import { textOfLine } from '../screen/styled-line.ts';
import { lineWidth } from '../screen/text-width.ts';
import {
  helpEntries,
  inboxEntries,
  type InboxItem,
  modelEntries,
  nowEntry,
  queueEntries,
  rewindEntries,
  scopeEntries,
  threadEntries,
  usableModels,
} from './list-entries.ts';
import {
  filterPicker,
  type ListMove,
  type ListPicker,
  markedEntry,
  movePicker,
  openPicker,
  type PickerEntry,
  pickerLines,
  replaceEntries,
  shownEntries,
  togglePreview,
} from './list-picker.ts';

const entry = (id: string, more: Partial<PickerEntry> = {}): PickerEntry => ({ id, label: `entry ${id}`, ...more });
const text = (picker: ListPicker, width = 60, height = 10) => pickerLines(picker, { width, height }).map(textOfLine);

describe('a list', () => {
  const picker = openPicker({
    title: 'Things',
    entries: ['a', 'b', 'c', 'd'].map(id => entry(id)),
    hint: 'Enter chooses',
  });

  it('moves its mark and stops at the ends', () => {
    const moved = (...moves: ListMove[]) => moves.reduce((each, move) => movePicker(each, move, 2), picker).marked;
    expect([
      moved('up'),
      moved('down'),
      moved('last'),
      moved('page-down', 'down', 'down'),
      moved('last', 'page-up'),
    ]).toEqual(['a', 'b', 'd', 'd', 'b']);
  });

  it('is filtered by words, and marks the best match', () => {
    const filtered = filterPicker(picker, 'c entry');
    expect(markedEntry(filtered)?.id).toBe('c');
    expect(filterPicker(picker, 'zzz').marked).toBeUndefined();
    expect(text(filterPicker(picker, 'zzz'))[1]).toContain('nothing matches');
  });

  it('shows headings, the mark and a preview', () => {
    const grouped = openPicker({
      title: 'Things',
      entries: [entry('a', { group: 'one', detail: 'now', preview: ['more of a'] }), entry('b', { group: 'two' })],
    });
    expect(text(togglePreview(grouped), 30)).toEqual([
      'Things',
      '── one ',
      '› entry a                  now',
      '── two ',
      '  entry b',
      '│ more of a',
    ]);
  });

  it('keeps the mark near its place when an entry disappears', () => {
    const marked = movePicker(movePicker(picker, 'down', 1), 'down', 1);
    expect(
      replaceEntries(
        marked,
        picker.entries.filter(({ id }) => id !== 'c'),
      ).marked,
    ).toBe('d');
    expect(replaceEntries(marked, []).marked).toBeUndefined();
  });

  it('fits its place and always shows the mark, whatever is done', () => {
    const step = fc.oneof(
      fc
        .constantFrom<ListMove[]>('up', 'down', 'page-up', 'page-down', 'first', 'last')
        .map(move => (each: ListPicker) => movePicker(each, move, 3)),
      fc.constantFrom('', 'e', 'e1', 'q').map(query => (each: ListPicker) => filterPicker(each, query)),
      fc.nat(20).map(
        count => (each: ListPicker) =>
          replaceEntries(
            each,
            Array.from({ length: count }, (_, id) => entry(`${id}`, { group: `g${id % 2}`, detail: '字' })),
          ),
      ),
      fc.constant(togglePreview),
    );
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 20 }),
        fc.integer({ min: 4, max: 60 }),
        fc.integer({ min: 2, max: 12 }),
        (steps, width, height) => {
          const end = steps.reduce((each, change) => change(each), picker);
          const lines = pickerLines(end, { width, height });
          expect(lines.length).toBeLessThanOrEqual(height);
          for (const line of lines) expect(lineWidth(line)).toBeLessThanOrEqual(width);
          const isThere = shownEntries(end).some(each => each.id === end.marked);
          expect(isThere).toBe(shownEntries(end).length > 0);
          if (isThere) expect(lines.some(line => textOfLine(line).startsWith('›'))).toBe(true);
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('the lists', () => {
  it('have the threads of this folder first, and what waits before what is idle', () => {
    const thread = (id: string, folder: string, state: 'waiting' | 'idle', updatedAt: number) => ({
      id,
      title: id,
      folder,
      state,
      updatedAt,
      isOpen: id === 'here',
    });
    const entries = threadEntries(
      [
        thread('there', '/b', 'idle', 9_000_000),
        thread('old', '/a', 'idle', 1),
        thread('here', '/a', 'idle', 5),
        thread('asks', '/a', 'waiting', 2),
      ],
      '/a',
      7_300_000,
    );
    expect(entries.map(({ id, group }) => `${group}: ${id}`)).toEqual([
      'this folder: asks',
      'this folder: here',
      'this folder: old',
      'other folders: there',
    ]);
    expect(entries[0]?.detail).toBe('waits for you · 2 h ago');
    expect(entries[1]?.label).toBe('here (open)');
  });

  it('have the models that can be used first', () => {
    const models = [
      { id: 'a/x', provider: 'a', hasApiKey: false, apiKeyEnvVar: 'A_KEY', useCount: 9 },
      { id: 'b/y', provider: 'b', hasApiKey: true, useCount: 0 },
      { id: 'b/v-9', provider: 'b', hasApiKey: true, useCount: 0 },
      { id: 'b/v-10', provider: 'b', hasApiKey: true, useCount: 0 },
      { id: 'b/old', provider: 'b', hasApiKey: true, useCount: 0 },
      { id: 'b/z', provider: 'b', hasApiKey: true, useCount: 3 },
    ];
    const options = {
      current: 'b/y',
      contextSize: (id: string) => (id === 'b/old' ? 4_096 : id === 'b/z' ? 200_000 : undefined),
    };
    const usable = [
      ['b/y (in use)', undefined],
      ['b/z', '200k context'],
      ['b/v-10', undefined],
      ['b/v-9', undefined],
    ];
    const shown = (listed: typeof models) => modelEntries(listed, options).map(({ label, detail }) => [label, detail]);
    expect(shown([...usableModels(models, options)])).toEqual(usable);
    expect(shown(models)).toEqual([
      ...usable.slice(0, 2),
      ['b/old', '4k context'],
      ...usable.slice(2),
      ['a/x', 'needs A_KEY'],
    ]);
  });

  it('rewind to a message or stay now, with the files of each choice', () => {
    const entries = rewindEntries([{ messageId: 'm1', text: 'do it', age: '1 h ago' }], true);
    expect(entries.map(({ label }) => label)).toEqual(['do it', '(now)', '(forward again)']);
    expect(openPicker({ title: '', entries, marked: nowEntry }).marked).toBe(nowEntry);
    const file = (path: string, isConflict = false) => ({ path, action: 'change', isConflict }) as const;
    expect(scopeEntries([file('a'), { path: 'b', action: 'delete', isConflict: false }])[0]).toEqual({
      id: 'both',
      label: 'files and conversation',
      detail: '2 files',
      preview: ['± a', '− b'],
    });
    expect(scopeEntries([file('a', true)]).map(({ id }) => id)).toEqual(['conversation', 'both', 'files']);
    expect(scopeEntries([]).map(({ id }) => id)).toEqual(['conversation']);
  });

  it('show what waits in any thread, the oldest first', () => {
    const item = (id: string, since: string): InboxItem => ({
      threadId: 't1',
      threadTitle: 'Paint',
      entry: {
        id,
        runId: 'r',
        since,
        status: 'pending',
        relay: { type: 'relay', runId: 'r', id, relayKind: 'question', question: `Which ${id}?` },
      },
    });
    const entries = inboxEntries(
      [item('b', '2026-01-01T00:00:02Z'), item('a', '2026-01-01T00:00:01Z')],
      Date.parse('2026-01-01T01:00:01Z'),
    );
    expect(entries.map(({ label, detail }) => `${label} ${detail}`)).toEqual([
      'Which a? Paint · 1 h ago',
      'Which b? Paint · 59 min ago',
    ]);
  });

  it('help with every action, its keys as they are now, and every command', () => {
    const entries = helpEntries(keyMap({ transcript: 'f2', mode: false }));
    const labelOf = (id: string) => entries.find(each => each.id === id)?.label;
    expect(labelOf('transcript')).toMatch(/^F2 +open the transcript$/);
    expect(labelOf('mode')).toMatch(/^no key +switch/);
    expect(labelOf('/model')).toMatch(/^\/model \[provider\/model\] +choose a model$/);
    expect(actionNames.filter(name => labelOf(name) === undefined)).toEqual([]);
  });
});

describe('the queue', () => {
  it('has a number for each message, in the order in which they are sent', () => {
    const entries = queueEntries(['a', 'b', 'c'].map(id => ({ id, text: id })));
    expect(entries[1]?.label).toBe('2. b');
  });
});
