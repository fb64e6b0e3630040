import { describe, expect, it } from 'vitest';
import type { ToolPart } from '../reading/view-node.ts';
import { isShownAsCall, presentCall } from './present-call.ts';
import { sizeText, timeBetween } from './wording.ts';

const part = (fields: Partial<ToolPart>): ToolPart => ({
  kind: 'tool',
  id: 'c',
  name: 'bash',
  status: 'done',
  inputText: '',
  progress: [],
  laterOutputs: [],
  relays: [],
  runs: [],
  collapsed: false,
  ...fields,
});

describe('the line about a call', () => {
  it.each<[Partial<ToolPart>, object]>([
    [
      { input: { command: 'make\ntest' }, output: { context: '', result: { exitCode: 2 } } },
      { kind: 'command', verb: 'Ran', object: 'make test', command: 'make\ntest', exitCode: 2 },
    ],
    [
      { status: 'running', input: { command: "bash -lc 'make all'" } },
      { kind: 'command', verb: 'Running', object: 'make all', command: "bash -lc 'make all'" },
    ],
    [
      { status: 'denied', name: 'edit', input: { path: 'a.ts' } },
      { kind: 'write', verb: 'Edit', object: 'a.ts', path: '/p/a.ts' },
    ],
    [
      { name: 'Read', input: { file_path: '/p/a.ts', offset: 3, limit: 2 } },
      { kind: 'read', verb: 'Read', object: 'a.ts:3-4', path: '/p/a.ts' },
    ],
    [
      { name: 'file_change', input: { changes: [{ path: 'a' }, { path: 'b' }] } },
      { kind: 'write', verb: 'Edited', object: 'a, b' },
    ],
    [
      { name: 'grep', input: { pattern: 'x', path: 'src' } },
      { kind: 'search', verb: 'Searched', object: '"x" in src', path: '/p/src' },
    ],
    [
      { name: 'weather', input: { city: 'Bern' } },
      { kind: 'other', verb: 'Called', object: 'weather Bern' },
    ],
    [
      { name: 'weather', status: 'preparing', inputText: '{"ci' },
      { kind: 'other', verb: 'Calling', object: 'weather' },
    ],
  ])('names what it does and to what: %j', (fields, presented) => {
    expect(presentCall(part(fields), { cwd: '/p' })).toMatchObject(presented);
  });

  it('is missing for what a person is asked and for the task list, which are shown by themselves', () => {
    const shown = ['ask_user', 'submit_plan', 'task_write', 'bash'].filter(name => isShownAsCall(part({ name })));
    expect(shown).toEqual(['bash']);
    const failed = part({ name: 'ask_user', status: 'failed', input: { question: 'Why?' } });
    expect(isShownAsCall(failed)).toBe(true);
    expect(presentCall(failed)).toEqual({ kind: 'question', verb: 'Asked', object: 'a question' });
  });
});

it('formats times and sizes', () => {
  const from = '2026-01-01T00:00:00.000Z';
  expect(
    ['2026-01-01T00:00:00.040Z', '2026-01-01T00:00:01.500Z', '2026-01-01T00:01:05.000Z', undefined].map(to =>
      timeBetween(from, to),
    ),
  ).toEqual(['40 ms', '1.5 s', '1 min 5 s', '']);
  expect([sizeText('', 0), sizeText('ab', 1), sizeText('a\nb', 2), sizeText('x'.repeat(5_000), 1)]).toEqual([
    '',
    '',
    '2 lines',
    '5k characters',
  ]);
});
