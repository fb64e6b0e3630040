import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const inDocs = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }).map(name => `docs/${name}`);
const inRoot = readdirSync(root);
const documents = [...inRoot, ...inDocs].filter(name => name.endsWith('.md') && name !== 'CHANGELOG.md');

/** The whole paths of files that a document names. */
const pathsIn = (text: string) =>
  [...text.matchAll(/`((?:bench|docs|scripts|src|test|web)\/[\w./-]+\.(?:json|md|tsx?))`/g)].flatMap(
    ([, path]) => path ?? [],
  );

describe('the documents', () => {
  it('name only files that exist', () => {
    const named = documents.flatMap(name =>
      pathsIn(readFileSync(join(root, name), 'utf8')).map(path => ({ name, path })),
    );
    expect(named.length).toBeGreaterThan(100);
    expect(named.filter(({ path }) => !existsSync(join(root, path)))).toEqual([]);
  });
});
