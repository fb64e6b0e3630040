import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';

/** The browser tests that show every view and everyday detail of the page. */
const files = [
  'projects',
  'completion',
  'composer',
  'approvals',
  'inbox',
  'model-call',
  'everyday',
  'playback',
  'compare',
].map(name => `test/browser/${name}.test.ts`);

/** Makes the pictures of the page in light, dark and at 390 px, in the folder that is named: `build/pictures` by default. */
const folder = resolve(process.argv[2] ?? 'build/pictures');
mkdirSync(folder, { recursive: true });
const { status } = spawnSync('npx', ['vitest', 'run', ...files], {
  stdio: 'inherit',
  env: { ...process.env, SINGLETREE_PICTURES: folder },
});
process.exitCode = status ?? 1;
