import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RunTranslation } from '../../src/agents/cli/agent/run-translation.ts';
import { type AgentEvent, checkOrder, parseEvent } from '../../src/events/index.ts';
import { createActivityState, projectActivity } from '../../src/projections/activity/index.ts';
import { type Capture, captures, linesOf } from './captures.ts';

const huge = 'x'.repeat(1_000_000);
const strange = fc.constantFrom<unknown>(
  null,
  0,
  -1,
  1e308,
  '',
  '\0',
  '🦄\ud800',
  true,
  [],
  {},
  [null],
  { type: 7 },
  'constructor',
  '__proto__',
);

type Mutation = (lines: string[], at: number, value: unknown, pick: number) => void;

const mutations: Readonly<Record<string, Mutation>> = {
  deleteField: (lines, at, _value, pick) => change(lines, at, pick, (owner, key) => delete owner[key]),
  wrongType: (lines, at, value, pick) => change(lines, at, pick, (owner, key) => (owner[key] = value)),
  hugeText: (lines, at, _value, pick) => change(lines, at, pick, (owner, key) => (owner[key] = huge)),
  truncate: (lines, at, _value, pick) => (lines[at] = (lines[at] ?? '').slice(0, pick % 400)),
  swap: (lines, at, _value, pick) => {
    const other = pick % lines.length;
    [lines[at], lines[other]] = [lines[other] as string, lines[at] as string];
  },
  duplicate: (lines, at) => lines.splice(at, 0, lines[at] ?? ''),
  drop: (lines, at) => lines.splice(at, 1),
  noise: (lines, at, value) => lines.splice(at, 0, `\0${String(value)}`),
};

/** Applies a change to one field anywhere inside a line. */
function change(
  lines: string[],
  at: number,
  pick: number,
  apply: (owner: Record<string, unknown>, key: string) => void,
) {
  let value: unknown;
  try {
    value = JSON.parse(lines[at] ?? '');
  } catch {
    return;
  }
  const places: [Record<string, unknown>, string][] = [];
  const queue: unknown[] = [value];
  for (const owner of queue) {
    if (typeof owner !== 'object' || owner === null) continue;
    for (const key of Object.keys(owner)) {
      places.push([owner as Record<string, unknown>, key]);
      queue.push((owner as Record<string, unknown>)[key]);
    }
  }
  const place = places[pick % Math.max(1, places.length)];
  if (place !== undefined) apply(...place);
  lines[at] = JSON.stringify(value);
}

const step = fc.tuple(fc.constantFrom(...Object.keys(mutations)), fc.nat(), strange, fc.nat());
const all = captures();

describe('lines of real programs, mutated', () => {
  it('never throw, lose a line or break the order of a run', () => {
    fc.assert(
      fc.property(fc.nat(all.length - 1), fc.array(step, { minLength: 1, maxLength: 6 }), (which, steps) => {
        const capture = all[which] as Capture;
        const lines = linesOf(join(capture.folder, 'raw.jsonl'));
        for (const [name, at, value, pick] of steps)
          if (lines.length > 0) (mutations[name] as Mutation)(lines, at % lines.length, value, pick);
        checkRun(capture, lines);
      }),
      { numRuns: 300 },
    );
  });
});

function checkRun({ adapter, folder }: Capture, lines: readonly string[]): void {
  /** Lines that the program prints and that are not records: a rule of its own is for them. */
  const plain = linesOf(join(folder, 'raw.jsonl')).filter(line => !isObject(line));
  const translator = adapter.translator({ runId: 'r' });
  const run = new RunTranslation({ runId: 'r', adapter, translator, now: () => '2026-01-01T00:00:00Z' });
  const state = createActivityState();
  const events: AgentEvent[] = run.start();
  for (const [index, line] of lines.entries()) {
    const made = run.line('stdout', line, index + 1);
    if (line.trim() !== '' && !isObject(line) && !plain.some(known => known.startsWith(line)))
      expect(made.map(event => event.type)).toEqual(['unknown']);
    events.push(...made);
  }
  events.push(...run.end({ exitCode: 0 }));
  for (const event of events) parseEvent(event);
  expect(checkOrder(events)).toEqual([]);
  const activity = events.flatMap(event => projectActivity(state, event));
  const unknown = events.filter(event => event.type === 'unknown').length;
  expect(activity.filter(entry => entry.type === 'unknown').length).toBeGreaterThanOrEqual(unknown);
  expect(state.runs.size).toBe(0);
}

function isObject(line: string): boolean {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
