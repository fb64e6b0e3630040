import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** What makes a folder a project, by the file that shows it. */
const signs: readonly (readonly [file: string, words: string])[] = [
  ['.git', 'a git repository'],
  ...['package.json', 'pyproject.toml', 'Cargo.toml', 'go.mod', 'pom.xml', 'Gemfile', 'Makefile'].map(
    file => [file, file] as const,
  ),
  ...['AGENTS.md', 'CLAUDE.md', 'singletree.config.json', 'singletree.config.mjs'].map(file => [file, file] as const),
];

/** Returns what is found in a folder, in a few words; empty when it has no sign of a project. */
export function foundInFolder(folder: string): readonly string[] {
  return signs.filter(([file]) => existsSync(join(folder, file))).map(([, words]) => words);
}
