import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transformWithOxc } from 'vite';
import { afterAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
// Inside the package, so that `singletree/…` is the built package itself.
const folder = mkdtempSync(join(root, 'build/guide-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What each block of code of the guide prints. */
const printed = ['', 'list\nagent\nharness_start … harness_end\n', '6 nodes\n1 messages\n3 boxes\n'];

describe('the guide to saved streams', () => {
  it('runs as it is written', async () => {
    const guide = readFileSync(join(root, 'docs/guides/saved-streams.md'), 'utf8');
    const blocks = [...guide.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code]) => code as string);
    const output: string[] = [];
    for (const [index, block] of blocks.entries()) {
      const file = join(folder, `block-${index}.mjs`);
      writeFileSync(file, (await transformWithOxc(block, `block-${index}.ts`)).code);
      output.push(execFileSync(process.execPath, [file], { cwd: folder, encoding: 'utf8', timeout: 20_000 }));
    }
    expect(output).toEqual(printed);
  });
});
