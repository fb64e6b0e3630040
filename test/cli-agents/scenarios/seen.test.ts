import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { profiles } from './profiles/index.ts';
import { readSeen } from './seen.ts';
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

  it('are listed in the documentation as they were seen', () => {
    const table = seenTable(profiles, readSeen());
    if (process.env['SINGLETREE_RECORD'] !== undefined) writeFileSync(page, table);
    expect(readFileSync(page, 'utf8')).toBe(table);
  });
});
