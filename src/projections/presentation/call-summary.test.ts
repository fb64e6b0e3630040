import { describe, expect, it } from 'vitest';
import type { ToolPart } from '../index.ts';
import { callSummary, durationText, sizeText } from './call-summary.ts';

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
      { verb: 'Ran', object: 'make', exitCode: 2 },
    ],
    [
      { status: 'running', input: { command: 'make' } },
      { verb: 'Running', object: 'make' },
    ],
    [
      { status: 'denied', name: 'edit', input: { path: 'a.ts' } },
      { verb: 'Edit', object: 'a.ts' },
    ],
    [
      { name: 'Read', input: { file_path: '/p/a.ts', offset: 3, limit: 2 } },
      { verb: 'Read', object: '/p/a.ts:3–4' },
    ],
    [
      { name: 'file_change', input: { changes: [{ path: 'a' }, { path: 'b' }] } },
      { verb: 'Edited', object: 'a, b' },
    ],
    [
      { name: 'grep', input: { pattern: 'x', path: 'src' } },
      { verb: 'Searched', object: 'x in src' },
    ],
    [
      { name: 'weather', input: { city: 'Bern' } },
      { verb: 'weather', object: 'Bern' },
    ],
    [
      { name: 'weather', status: 'preparing', inputText: '{"ci' },
      { verb: 'weather', object: '{"ci' },
    ],
  ])('names what it does and to what: %j', (fields, summary) => {
    expect(callSummary(part(fields))).toEqual(summary);
  });
});

it('formats times and sizes', () => {
  const from = '2026-01-01T00:00:00.000Z';
  expect(
    ['2026-01-01T00:00:00.040Z', '2026-01-01T00:00:01.500Z', '2026-01-01T00:01:05.000Z', undefined].map(to =>
      durationText(from, to),
    ),
  ).toEqual(['40 ms', '1.5 s', '1 min 5 s', '']);
  expect([sizeText('', 0), sizeText('ab', 1), sizeText('a\nb', 2), sizeText('x'.repeat(5_000), 1)]).toEqual([
    '',
    '',
    '2 lines',
    '5k characters',
  ]);
});
