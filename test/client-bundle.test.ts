import { fileURLToPath } from 'node:url';
import { build, type Rolldown } from 'vite';
import { describe, expect, it } from 'vitest';

const dist = fileURLToPath(new URL('../dist/', import.meta.url));

/** The minified browser bundle of an app that imports these names from a built entry point, and the packages in it. */
async function bundleOf(
  names: string,
  entry = 'client',
): Promise<{ readonly bytes: number; readonly packages: readonly string[] }> {
  const app = 'virtual:app';
  const built = await build({
    configFile: false,
    logLevel: 'silent',
    build: { write: false, minify: true, rolldownOptions: { input: app, preserveEntrySignatures: 'strict' } },
    plugins: [
      {
        name: 'app',
        resolveId: id => (id === app ? id : undefined),
        load: id => (id === app ? `export { ${names} } from ${JSON.stringify(`${dist}${entry}/index.js`)}` : undefined),
      },
    ],
  });
  const { output } = built as Rolldown.RolldownOutput;
  const chunks = output.filter(chunk => chunk.type === 'chunk');
  const modules = chunks.flatMap(chunk => Object.keys(chunk.modules));
  const packages = modules.flatMap(id => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(id)?.[1] ?? []);
  return {
    bytes: chunks.reduce((sum, { code }) => sum + Buffer.byteLength(code), 0),
    packages: [...new Set(packages)].toSorted(),
  };
}

describe('the client in a browser bundle', () => {
  it.each([
    ['createClient', 151_000],
    ['createClient, createThreadStore', 209_000],
  ])('has nothing that it does not use: %s', async (names, limit) => {
    const { bytes, packages } = await bundleOf(names);
    expect(packages).toEqual(['eventsource-parser', 'zod']);
    expect(bytes).toBeLessThan(limit);
  });

  it('has ids and errors alone without the definitions of events', async () => {
    const { bytes, packages } = await bundleOf('createIds, newId, SingletreeError', 'events');
    expect(packages).toEqual([]);
    expect(bytes).toBeLessThan(5000);
  });
});
