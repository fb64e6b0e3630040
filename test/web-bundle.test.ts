import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../dist/web/', import.meta.url));
const most = 250 * 1024;

/** The scripts that the page loads before anything is shown, with those they import statically. */
function initialScripts(): string[] {
  const html = readFileSync(`${root}index.html`, 'utf8');
  const found = new Set<string>();
  const add = (path: string) => {
    if (found.has(path)) return;
    found.add(path);
    const code = readFileSync(`${root}${path}`, 'utf8');
    for (const [, name] of code.matchAll(/(?:^|[;}\n])import(?:[^"'()]*?from)?["']\.\/([^"']+)["']/g))
      add(`assets/${name}`);
  };
  for (const [, path] of html.matchAll(/<(?:script|link)[^>]+(?:src|href)="\/(assets\/[^"]+\.js)"/g)) add(path ?? '');
  return [...found];
}

describe.skipIf(!existsSync(`${root}index.html`))('the built page', () => {
  it('loads at most 250 KB of compressed scripts at first', () => {
    const sizes = initialScripts().map(path => gzipSync(readFileSync(`${root}${path}`)).length);
    expect(sizes.length).toBeGreaterThan(0);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(most);
  });

  it('has highlighting in files of its own', () => {
    const files = readdirSync(`${root}assets`);
    expect(files.some(name => name.startsWith('highlight-worker'))).toBe(true);
    const initial = initialScripts().map(path => readFileSync(`${root}${path}`, 'utf8'));
    expect(initial.some(code => code.includes('source.ts#meta') || code.includes('--token-'))).toBe(false);
  });
});
