import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { TestContext } from 'vitest';
import type { Profile } from './profile.ts';
import { type Scenario, scenarios } from './scenario.ts';

/** Where the scenarios that were seen with the real programs are recorded; the documentation is written from it. */
export const seenFile = fileURLToPath(new URL('seen.json', import.meta.url));

export type Seen = Readonly<Record<string, readonly string[]>>;

export function readSeen(): Seen {
  return JSON.parse(readFileSync(seenFile, 'utf8')) as Seen;
}

/** Adds scenarios that passed with a version of a program, when `SINGLETREE_RECORD` is set. */
export function recordSeen(version: string, passed: readonly Scenario[]): void {
  if (process.env['SINGLETREE_RECORD'] === undefined) return;
  const seen = readSeen();
  const all = new Set<string>([...(seen[version] ?? []), ...passed]);
  const ordered = Object.keys(scenarios).filter(scenario => all.has(scenario));
  const next = Object.entries({ ...seen, [version]: ordered }).toSorted(([a], [b]) => a.localeCompare(b));
  writeFileSync(seenFile, `${JSON.stringify(Object.fromEntries(next), undefined, 2)}\n`);
}

/** Calls back when the test has passed: not when it failed, or its time limit had passed before it came to an end. */
export function whenPassed({ task, onTestFinished }: TestContext, callback: () => void): void {
  onTestFinished(() => {
    if (task.result?.state === 'pass') callback();
  });
}

/** The scenarios that apply to a program and were seen with none of its versions. */
export function notSeen({ versions, without }: Pick<Profile, 'versions' | 'without'>, seen: Seen): Scenario[] {
  return (Object.keys(scenarios) as Scenario[]).filter(
    name => without[name] === undefined && !versions.some(version => seen[version]?.includes(name) === true),
  );
}
