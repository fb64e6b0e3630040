import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** The browser tests that take pictures of what they show. */
const tests = 'test/browser';
const files = readdirSync(tests)
  .filter(name => name.endsWith('.test.ts'))
  .map(name => join(tests, name))
  .filter(file => readFileSync(file, 'utf8').includes('takePictures('));

/** Makes the pictures of the page in light, dark and at 390 px, in the folder that is named: `build/pictures` by default. */
const folder = resolve(process.argv[2] ?? 'build/pictures');
mkdirSync(folder, { recursive: true });
const { status } = spawnSync('npx', ['vitest', 'run', ...files], {
  stdio: 'inherit',
  env: { ...process.env, SINGLETREE_PICTURES: folder },
});
process.exitCode = status ?? 1;
