import { posix } from 'node:path';
import type { ResolvedPath } from '../workspace/index.ts';
import { globOf, matchesGlob } from './glob.ts';
import type { Policy } from './rule.ts';

/**
 * Whether the glob of a rule matches the workspace paths of an argument. To allow, the target of each path must match;
 * otherwise one match is enough, as written or as resolved.
 */
export function matchesPaths(policy: Policy, glob: string, paths: readonly ResolvedPath[]): boolean {
  const globs = spellings(glob).map(globOf);
  const matches = (text: string) => globs.some(each => matchesGlob(each, text));
  if (policy === 'allow') return paths.length > 0 && paths.every(({ resolved }) => resolved.some(matches));
  return paths.some(({ written, resolved }) => [...spellings(written), ...resolved].some(matches));
}

/** Returns a path as written and normalised: without a leading `./`, a trailing `/`, doubled `/` and `a/..`. */
function spellings(path: string): string[] {
  const normal = posix.normalize(path);
  return [path, normal.length > 1 ? normal.replace(/\/$/, '') : normal];
}
