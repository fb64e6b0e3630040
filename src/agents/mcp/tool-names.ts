import { createHash } from 'node:crypto';

const longest = 64;
const longestSegment = 24;

/** Returns the part of the tool names that identifies each server, unique within the list. */
export function serverSegments(servers: readonly string[]): ReadonlyMap<string, string> {
  const clean = (name: string) => allowed(name).replaceAll(/_{2,}/g, '_').replaceAll(/^_|_$/g, '') || 'server';
  return uniqueNames(servers, clean, longestSegment);
}

/** Returns `mcp__<server>__<tool>` for each tool, valid for every provider; independent of the order of the tools. */
export function toolNames(segment: string, tools: readonly string[]): ReadonlyMap<string, string> {
  return uniqueNames(tools, tool => `mcp__${segment}__${allowed(tool)}`, longest);
}

function allowed(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_-]/g, '_');
}

/** Names that need no change stay; the others, when too long or taken, get a unique suffix. */
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
