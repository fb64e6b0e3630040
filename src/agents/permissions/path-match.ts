import type { RequestPath } from '../contract/permissions.ts';
import { posix } from 'node:path';
import { type Glob, parseGlob, isWild, matchesGlob } from './glob.ts';
import type { Guarding } from './shell-pattern.ts';

/** Whether all targets of the paths match the glob of a rule that allows. */
export function allowsPaths(glob: string, paths: readonly RequestPath[]): boolean {
  const globs = spellings(glob).map(parseGlob);
  return paths.length > 0 && paths.every(({ resolved }) => matchesAny(globs, resolved));
}

/**
 * Whether the glob of a rule that denies or asks matches one of the paths, as written or as resolved, or may match what
 * the call reaches below one.
 */
export function guardsPaths(glob: string, paths: readonly RequestPath[]): Guarding {
  const globs = spellings(glob).map(parseGlob);
  if (paths.some(({ written, resolved }) => matchesAny(globs, [...spellings(written), ...resolved]))) return 'matches';
  const mayReach = paths.some(
    ({ resolved, reachesBelow }) =>
      reachesBelow === true && resolved.some(folder => globs.some(each => mayMatchBelow(each, folder))),
  );
  return mayReach ? 'may' : 'no';
}

function matchesAny(globs: readonly Glob[], texts: readonly string[]): boolean {
  return texts.some(text => globs.some(glob => matchesGlob(glob, text)));
}

/** Whether the glob matches any path below a folder; a relative folder is compared with relative globs only. */
function mayMatchBelow(glob: Glob, folder: string): boolean {
  const [first] = glob;
  const start = folder === '.' ? '' : `${folder.replace(/\/$/, '')}/`;
  if (first !== '' && first.startsWith('/') !== folder.startsWith('/')) return false;
  return first.startsWith(start) || (isWild(glob) && start.startsWith(first));
}

/** Returns a path as written and normalised: without a leading `./`, a trailing `/`, doubled `/` and `a/..`. */
function spellings(path: string): string[] {
  const normal = posix.normalize(path);
  return [path, normal.length > 1 ? normal.replace(/\/$/, '') : normal];
}
