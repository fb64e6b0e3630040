import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packedProject } from './support/packed-project.ts';

const cache = process.env['SINGLETREE_CLI_CACHE'] ?? join(homedir(), '.cache', 'singletree-test-programs');
const folder = join(cache, 'esbuild-0.28.2');
const esbuild = join(folder, 'node_modules/.bin/esbuild');
const isReady = process.env['CI'] !== undefined || existsSync(esbuild);
if (!isReady) console.warn('SKIPPED bundles of esbuild: it is not installed. CI=true npm test installs it.');
const run = promisify(execFile);

const program = `import { rlmAgent } from 'singletree/agents';
import { scriptedModel } from 'singletree/testing';
const code = '\\u0060\\u0060\\u0060js\\nFINAL(context.split("needle").length - 1)\\n\\u0060\\u0060\\u0060';
const agent = rlmAgent({ model: scriptedModel([code]), context: 'hay '.repeat(1e6) + 'needle' });
const { text, error } = await agent.run('How many needles?');
console.log(error?.message ?? text);
`;

describe.skipIf(!isReady)('a program in a bundle of esbuild', () => {
  let project: string;
  const elsewhere = mkdtempSync(join(tmpdir(), 'singletree-bundle-'));
  beforeAll(async () => {
    if (!existsSync(esbuild)) {
      mkdirSync(folder, { recursive: true });
      await run('npm', ['install', '--no-audit', '--no-fund', '--prefix', folder, 'esbuild@0.28.2']);
    }
    project = packedProject();
    writeFileSync(join(project, 'needles.mjs'), program);
  }, 300_000);
  afterAll(() => {
    for (const path of [project, elsewhere]) rmSync(path, { recursive: true, force: true });
  });

  it.each([
    ['as it is', []],
    ['minified, with names kept, for an older engine', ['--minify', '--keep-names', '--target=es2022']],
  ])(
    'runs code over a long context without the package beside it, %s',
    async (_, args) => {
      const bundle = join(elsewhere, 'needles.mjs');
      const options = ['--bundle', '--platform=node', '--format=esm', `--outfile=${bundle}`];
      await run(esbuild, ['needles.mjs', ...options, ...args], { cwd: project });
      const { stdout } = await run(process.execPath, [bundle], { cwd: elsewhere });
      expect(stdout).toBe('1\n');
    },
    60_000,
  );
});
