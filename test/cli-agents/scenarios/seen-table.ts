import type { Profile } from './profile.ts';
import { scenarios, type Scenario } from './scenario.ts';
import { notSeen, type Seen } from './seen.ts';

/** The page with the scenarios that were seen with the real programs, and why others do not apply. */
export function seenTable(profiles: readonly Profile[], seen: Seen): string {
  const names = Object.keys(scenarios) as Scenario[];
  const reasons = profiles.flatMap(({ agent, without }) =>
    names.flatMap(name =>
      without[name] === undefined ? [] : [`| ${agent} | ${scenarios[name]} | ${without[name]} |`],
    ),
  );
  const cell = (profile: Profile, name: Scenario) => {
    if (profile.without[name] !== undefined) return '–';
    return notSeen(profile, seen).includes(name) ? '**not seen**' : 'seen';
  };
  return [
    '# What was seen with the real programs',
    '',
    'Written by `test/cli-agents/scenarios/seen.test.ts` (`SINGLETREE_RECORD=1`) from the tests of `npm run live:all`, which',
    'run each program over its interactive channel against a scripted model.',
    '',
    `| scenario | ${profiles.map(({ agent }) => `[${agent}](${agent}.md)`).join(' | ')} |`,
    `|---${'|---'.repeat(profiles.length)}|`,
    ...names.map(name => `| ${scenarios[name]} | ${profiles.map(profile => cell(profile, name)).join(' | ')} |`),
    '',
    '## What does not apply',
    '',
    '| agent | scenario | why |',
    '|---|---|---|',
    ...reasons,
    '',
    '## What subagents may do',
    '',
    'Calls of subagents are asked about in their own runs, or denied, or subagents are switched off, as',
    '[the table of abilities](README.md) lists it; the scenario holds that.',
    '',
  ].join('\n');
}
