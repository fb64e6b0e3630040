import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { profiles } from './profiles/index.ts';
import { scenarios, type Scenario } from './scenario.ts';
import { readSeen } from './seen.ts';
import { seenTable } from './seen-table.ts';

const page = fileURLToPath(new URL('../../../docs/agents/scenarios.md', import.meta.url));

describe('the scenarios of external agents', () => {
  it.each(profiles)('were all seen with $agent, or do not apply for a reason that its abilities confirm', profile => {
    const { versions, without, live } = profile;
    const seen = new Set(versions.flatMap(version => readSeen()[version] ?? []));
    const expected = (Object.keys(scenarios) as Scenario[]).filter(name => without[name] === undefined);
    expect(expected.filter(name => !seen.has(name))).toEqual([]);
    const { revise, fork, images, plans, subagents } = live.abilities;
    expect({
      revise: without.revise === undefined,
      fork: without.fork === undefined,
      image: without.image === undefined,
      plan: without.plan === undefined,
      subagent: without.subagent === undefined,
    }).toEqual({ revise: revise === 'all', fork, image: images, plan: plans, subagent: subagents !== 'none' });
  });

  it('are listed in the documentation', () => {
    const table = seenTable(profiles, readSeen());
    if (process.env['SINGLETREE_RECORD'] !== undefined) writeFileSync(page, table);
    expect(readFileSync(page, 'utf8')).toBe(table);
  });
});
