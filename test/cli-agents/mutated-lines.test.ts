import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RunTranslation } from '../../src/agents/cli/agent/run-translation.ts';
import { type AgentEvent, checkOrder, parseEvent } from '../../src/events/index.ts';
import { createActivityState, projectActivity } from '../../src/projections/index.ts';
import { mutated, mutationSteps } from '../support/mutated-lines.ts';
import { type Capture, captures, linesOf } from './captures.ts';

const all = captures();

describe('lines of real programs, mutated', () => {
  it('never throw, lose a line or break the order of a run', () => {
    fc.assert(
      fc.property(fc.nat(all.length - 1), mutationSteps, (which, steps) => {
        const capture = all[which] as Capture;
        checkRun(capture, mutated(linesOf(join(capture.folder, 'raw.jsonl')), steps));
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
