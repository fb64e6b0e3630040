import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { build, type Plugin, type Rolldown } from 'vite';

const require = createRequire(import.meta.url);
const entry = fileURLToPath(new URL('../src/agents/rlm/sandbox-worker.ts', import.meta.url));
const programId = 'virtual:sandbox-program';
const engineId = 'virtual:sandbox-engine';

/**
 * Provides the module `virtual:sandbox-program`: the program of a sandbox's thread with its engine as one text, so that
 * a bundle of a program contains it whole.
 */
export function sandboxProgram(): Plugin {
  let program: Promise<string> | undefined;
  return {
    name: 'sandbox-program',
    resolveId: id => (id === programId ? id : undefined),
    load: async id => {
      if (id !== programId) return undefined;
      program ??= bundleThread();
      return `export const program = ${JSON.stringify(await program)};`;
    },
  };
}

async function bundleThread(): Promise<string> {
  const built = await build({
    configFile: false,
    logLevel: 'error',
    plugins: [
      {
        name: 'sandbox-engine',
        resolveId: id => (id === engineId ? id : undefined),
        load: id => {
          if (id !== engineId) return undefined;
          const wasm = readFileSync(require.resolve('@jitl/quickjs-wasmfile-release-sync/wasm'));
          return `export const engine = '${wasm.toString('base64')}';`;
        },
      },
    ],
    ssr: { noExternal: true },
    // The modules of the engine for `require` look for no file beside them when they are given their code.
    resolve: { conditions: ['require'] },
    build: {
      ssr: entry,
      write: false,
      target: 'node20.19',
      minify: false,
      rolldownOptions: { output: { format: 'cjs', codeSplitting: false } },
    },
  });
  const [chunk] = (built as Rolldown.RolldownOutput).output;
  return chunk.code;
}
