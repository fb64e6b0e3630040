import { pathPattern } from './glob-pattern.ts';

/** One line of a `.gitignore` file. */
interface IgnoreRule {
  readonly isNegated: boolean;
  readonly isForFolders: boolean;
  readonly matches: (path: string) => boolean;
}

/** The rules of one `.gitignore` file, for paths relative to its folder. */
export interface IgnoreRules {
  /** Whether a path is ignored; undefined when no rule is for it. */
  decide(path: string, isFolder: boolean): boolean | undefined;
}

const longestFile = 100_000;

/** Returns the rules of a `.gitignore` file, as git reads them; of several that match, the last counts. */
export function ignoreRules(text: string): IgnoreRules {
  const rules = text
    .slice(0, longestFile)
    .split('\n')
    .map(parseRule)
    .filter(rule => rule !== undefined);
  return {
    decide(path, isFolder) {
      const rule = rules.findLast(({ isForFolders, matches }) => (isFolder || !isForFolders) && matches(path));
      return rule === undefined ? undefined : !rule.isNegated;
    },
  };
}

function parseRule(line: string): IgnoreRule | undefined {
  const written = line.replace(/\r$/, '').replace(/(?<!\\)(?: |\t)+$/, '');
  if (written === '' || written.startsWith('#')) return undefined;
  const isNegated = written.startsWith('!');
  const pattern = isNegated ? written.slice(1) : written;
  const isForFolders = pattern.endsWith('/');
  const names = pattern.split('/').filter(name => name !== '');
  if (names.length === 0) return undefined;
  const isAnchored = pattern.slice(0, -1).includes('/');
  // `a/**` matches the entries below `a`, not `a` itself.
  const steps = names.at(-1) === '**' && names.length > 1 ? [...names, '*'] : names;
  try {
    return { isNegated, isForFolders, matches: pathPattern((isAnchored ? steps : ['**', ...steps]).map(unescaped)) };
  } catch {
    return undefined;
  }
}

/** A backslash makes the next character an ordinary one. */
function unescaped(name: string): string {
  return name.replaceAll(/\\(.)/gs, (_, character: string) =>
    '*?[\\'.includes(character) ? `[${character}]` : character,
  );
}
