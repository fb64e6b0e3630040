import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import type { DecisionSource } from '../../contract/permissions.ts';
import { LiveDecisions } from './live-decisions.ts';

function decisions(rules: readonly DecisionSource[]): LiveDecisions {
  const { signal } = new AbortController();
  const put = () => Promise.resolve();
  return new LiveDecisions({
    agentId: 'claude',
    cwd: tmpdir(),
    rules,
    answers: undefined,
    signal,
    put,
    decided: [],
    unused: [],
  });
}
const read = { kind: 'check', id: 'r', runId: 'r', tool: 'Read', input: { file_path: 'a.txt' } } as const;
const outcome = async (rules: readonly DecisionSource[]) =>
  (await decisions(rules).decide(read, new AbortController().signal)).answer.outcome;

describe('a call that a program would run unasked', () => {
  it.each([
    ['no rules', []],
    ['rules that do not mention it', [{ rules: [] }]],
    ['a review that changes nothing, as that of a Harness', [{ review: (_: unknown, before: object) => before }]],
  ] as [string, DecisionSource[]][])('is left to the program with %s', async (_, rules) => {
    expect(await outcome(rules)).toBe('approve');
  });

  it('is asked about when a rule, a function or a review says so', async () => {
    const ask = { policy: 'ask' } as const;
    expect(await outcome([{ rules: [{ tool: 'Read', ...ask }] }])).toBe('ask');
    expect(await outcome([() => ask])).toBe('ask');
    expect(await outcome([{ review: () => ask }])).toBe('ask');
  });
});
