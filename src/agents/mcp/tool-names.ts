import { createHash } from 'node:crypto';

const longest = 64;
const longestSegment = 24;

/** The part of a tool's name that stands for its server: no two servers of a list have the same. */
export function serverSegments(servers: readonly string[]): ReadonlyMap<string, string> {
  const clean = (name: string) => allowed(name).replaceAll(/_{2,}/g, '_').replaceAll(/^_|_$/g, '') || 'server';
  return uniqueNames(servers, clean, longestSegment);
}

/** `mcp__<server>__<tool>` for each tool, as every provider accepts it; the order of the tools does not matter. */
export function toolNames(segment: string, tools: readonly string[]): ReadonlyMap<string, string> {
  return uniqueNames(tools, tool => `mcp__${segment}__${allowed(tool)}`, longest);
}

function allowed(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_-]/g, '_');
}

/** Names that need no change keep theirs; of the others, those that are too long or taken get a mark of their own. */
function uniqueNames(
  originals: readonly string[],
  clean: (original: string) => string,
  max: number,
): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const taken = new Set<string>();
  const isChanged = (original: string) => !clean(original).endsWith(original) || clean(original).length > max;
  const sorted = [...new Set(originals)].toSorted();
  for (const original of [...sorted.filter(name => !isChanged(name)), ...sorted.filter(isChanged)]) {
    const cleaned = clean(original);
    let name = cleaned.length > max ? marked(cleaned, original, max) : cleaned;
    for (let number = 1; taken.has(name); number++) name = marked(cleaned, `${original} ${number}`, max);
    taken.add(name);
    names.set(original, name);
  }
  return names;
}

function marked(cleaned: string, original: string, max: number): string {
  const mark = createHash('sha256').update(original).digest('hex').slice(0, 8);
  return `${cleaned.slice(0, max - mark.length - 1)}_${mark}`;
}
