import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
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
