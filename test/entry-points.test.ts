import { describe, expect, it } from 'vitest';
import { declarationsOf, entryPoints, publicNames } from './support/public-names.ts';

describe('the entry points', () => {
  it('export each name with one declaration', () => {
    const ambiguous = [...publicNames()].filter(([, declarations]) => declarations.size > 1);
    expect(ambiguous.map(([name, declarations]) => [name, Object.fromEntries(declarations)])).toEqual([]);
  });

  it.each(['AgentFinder', 'EndNote', 'ThreadMemory', 'MessageDelta', 'App', 'AppEnv', 'Caller'])(
    'export %s, which signatures of other names have',
    name => expect(publicNames().has(name)).toBe(true),
  );

  it('list every value that they export at runtime', async () => {
    for (const [path, file] of entryPoints) {
      const module = (await import(file)) as Record<string, unknown>;
      const listed = declarationsOf(file);
      expect(
        Object.keys(module).filter(name => !listed.has(name)),
        path,
      ).toEqual([]);
    }
  });

  it('export the same value under the same name', async () => {
    const values = new Map<string, unknown>();
    for (const [path, file] of entryPoints)
      for (const [name, value] of Object.entries((await import(file)) as Record<string, unknown>)) {
        if (values.has(name)) expect(value, `${name} of ${path}`).toBe(values.get(name));
        values.set(name, value);
      }
  });
});
