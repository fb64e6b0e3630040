import { rmSync } from 'node:fs';
import { defineConfig } from 'vite';
import manifest from './package.json' with { type: 'json' };
import { sandboxProgram } from './scripts/sandbox-program.ts';

/** The modules that the package exports or runs, by their place in `dist`. */
const entries = [...Object.values(manifest.exports), ...Object.values(manifest.bin)]
  .filter(path => path.endsWith('.js'))
  .map(path => path.replace('./dist/', '').replace('.js', ''));

/** The packages whose code the package contains. */
const bundled = [
  // These have every encoding, or every version and transport; one of each is used.
  'gpt-tokenizer',
  '@agentclientprotocol/sdk',
  'marked',
  'diff',
  'unbash',
  // The engine of the sandbox is a part of the program of its thread.
  'quickjs-emscripten-core',
  '@jitl/quickjs-wasmfile-release-sync',
  '@jitl/quickjs-ffi-types',
];

/** The package as a few dozen files: opening and compiling one file for each module takes most of an import. */
export default defineConfig({
  plugins: [
    { name: 'no-old-chunks', buildStart: () => rmSync('dist/chunks', { recursive: true, force: true }) },
    sandboxProgram(),
  ],
  ssr: { external: true, noExternal: bundled },
  build: {
    ssr: true,
    emptyOutDir: false,
    copyPublicDir: false,
    target: 'node20.19',
    minify: false,
    rolldownOptions: {
      input: Object.fromEntries(entries.map(name => [name, `src/${name}.ts`])),
      output: {
        entryFileNames: '[name].js',
        chunkFileNames: 'chunks/[name].js',
        // What many entries share is in one chunk of its layer. A page that takes ids only has no definition of an event.
        codeSplitting: {
          includeDependenciesRecursively: false,
          groups: [
            { name: 'ids', test: /src\/events\/ids\.ts$/, priority: 3 },
            { name: 'base', test: /src\/base\/[^/]+$/, priority: 3 },
            { name: 'events', test: /src\/(?:base|events)\//, priority: 2 },
            { name: 'graph', test: /src\/graph\//, priority: 2 },
            { name: 'views', test: /src\/(?:projections|protocols|client)\//, minShareCount: 40, priority: 1 },
            { name: 'core', test: /src\/(?:log|agents(?!\/model)|control)\/[^/]+\//, minShareCount: 22, priority: 1 },
            { name: 'server', test: /src\/server\//, minShareCount: 3, priority: 1 },
            { name: 'terminal', test: /src\/terminal\//, minShareCount: 3, priority: 1 },
          ],
        },
      },
    },
  },
});
