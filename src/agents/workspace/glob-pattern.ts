/** An element of a name pattern: any number of characters, or one that matches. */
type Token = 'many' | ((character: string) => boolean);

const mostAlternatives = 256;
const longestPattern = 1_000;

/**
 * Whether a path matches: `*` is any characters of a name, `**` any folders, `?` one character, `[a-z]` one of a set,
 * `{a,b}` either. A pattern without `/` is for the name alone. The time is bounded by the lengths of both.
 */
export function globPattern(pattern: string): (path: string) => boolean {
  if (pattern.length > longestPattern) throw new Error(`The pattern is longer than ${longestPattern} characters.`);
  if (pattern.startsWith('/')) throw new Error('The pattern starts with /: make it relative to the folder.');
  const alternatives = expandBraces(pattern).map(each => {
    const names = each.split('/').filter(name => name !== '' && name !== '.');
    return pathPattern(each.includes('/') ? names : ['**', ...names]);
  });
  return path => alternatives.some(matches => matches(path));
}

/** Whether the names of a path match these patterns, one for each name; `**` is any number of names. */
export function pathPattern(patterns: readonly string[]): (path: string) => boolean {
  const steps = patterns.map(name => (name === '**' ? 'many' : parseTokens(name)));
  return path => matchesSteps(steps, path.split('/'), matchesName);
}

/** Expands braces, the innermost first. */
function expandBraces(pattern: string): string[] {
  const open = [pattern];
  const done: string[] = [];
  for (let each = open.pop(); each !== undefined; each = open.pop()) {
    const end = each.indexOf('}');
    const start = each.lastIndexOf('{', end);
    if (end < 0 || start < 0) done.push(each);
    else
      for (const part of each.slice(start + 1, end).split(','))
        open.push(each.slice(0, start) + part + each.slice(end + 1));
    if (open.length + done.length > mostAlternatives)
      throw new Error(`The pattern has more than ${mostAlternatives} alternatives in braces.`);
  }
  return done;
}

function parseTokens(name: string): Token[] {
  return Array.from(name.matchAll(/\[[!^]?\]?[^\]]*\]|\*+|[^]/gu), ([part]) => {
    if (part.startsWith('*')) return 'many';
    if (part === '?') return () => true;
    if (part.length === 1 || !part.startsWith('[')) return character => character === part;
    const set = parseSet(part);
    return character => set.test(character);
  });
}

function parseSet(part: string): RegExp {
  const not = /^\[[!^]/.test(part);
  const inner = part.slice(not ? 2 : 1, -1).replaceAll(/[\\\]^[]/g, '\\$&');
  try {
    return new RegExp(`^[${not ? '^' : ''}${inner}]$`, 'u');
  } catch {
    throw new Error(`The pattern contains an invalid set: ${part}`);
  }
}

function matchesName(tokens: readonly Token[], name: string): boolean {
  return matchesSteps(tokens, Array.from(name), (token, character) => token(character));
}

/**
 * Matches elements against items, where `many` matches any number of items: only the last `many` ever has to extend.
 */
function matchesSteps<Step, Item>(
  steps: readonly (Step | 'many')[],
  items: readonly Item[],
  matches: (step: Exclude<Step, 'many'>, item: Item) => boolean,
): boolean {
  let [step, at, many, taken] = [0, 0, -1, 0];
  while (at < items.length) {
    const current = steps[step];
    if (current === 'many') {
      [many, taken] = [step, at];
      step++;
    } else if (current !== undefined && matches(current as Exclude<Step, 'many'>, items[at] as Item)) {
      step++;
      at++;
    } else if (many >= 0) {
      taken++;
      [step, at] = [many + 1, taken];
    } else return false;
  }
  while (steps[step] === 'many') step++;
  return step === steps.length;
}
