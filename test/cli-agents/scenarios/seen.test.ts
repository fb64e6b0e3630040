import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, vi } from 'vitest';
import { profiles } from './profiles/index.ts';
import { notSeen, readSeen, whenPassed } from './seen.ts';
import { seenTable } from './seen-table.ts';

const page = fileURLToPath(new URL('../../../docs/agents/scenarios.md', import.meta.url));

describe('the scenarios of external agents', () => {
  it.each(profiles)('do not apply to $agent only where its abilities confirm it', profile => {
    const { versions, without, live } = profile;
    const seen = new Set(versions.flatMap(version => readSeen()[version] ?? []));
    expect(Object.keys(without).filter(name => seen.has(name))).toEqual([]);
    const { revise, fork, images, plans, subagents } = live.abilities;
    expect({
      revise: without.revise === undefined,
      fork: without.fork === undefined,
      image: without.image === undefined,
      plan: without.plan === undefined,
      subagent: without.subagent === undefined,
    }).toEqual({ revise: revise === 'all', fork, image: images, plan: plans, subagent: subagents !== 'none' });
  });

  it.each(profiles)('were all seen with $agent where they apply', profile => {
    expect(notSeen(profile, readSeen())).toEqual([]);
  });

  it('are listed in the documentation as they were seen', () => {
    const table = seenTable(profiles, readSeen());
    if (process.env['SINGLETREE_RECORD'] !== undefined) writeFileSync(page, table);
    expect(readFileSync(page, 'utf8')).toBe(table);
  });
});

describe('a scenario', () => {
  const profile = { versions: ['one', 'one@2'], without: { plan: 'it has no plans' } };

  it('is not seen when no version of the program has shown it', () => {
    const all = notSeen(profile, {});
    expect(all).toContain('fork');
    expect(all).not.toContain('plan');
    const seen = { one: all.filter(name => name !== 'fork'), 'one@2': ['fork'] };
    expect(notSeen(profile, seen)).toEqual([]);
    expect(notSeen(profile, { ...seen, 'one@2': [] })).toEqual(['fork']);
  });

  const passed: string[] = [];
  it('counts when its test passes', context => {
    whenPassed(context, () => passed.push('passed'));
  });
  it.fails('does not count when its test fails', context => {
    whenPassed(context, () => passed.push('failed'));
    throw new Error('It failed.');
  });
  let isLate = false;
  it.fails('does not count when its test comes to an end after its time limit', async context => {
    whenPassed(context, () => passed.push('late'));
    await new Promise<void>(resolve => context.signal.addEventListener('abort', () => resolve()));
    isLate = true;
  }, 50);
  it('counts only then', async () => {
    await vi.waitFor(() => expect(isLate).toBe(true));
    expect(passed).toEqual(['passed']);
  });
});
