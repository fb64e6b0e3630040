import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';

/** A program in a folder of its own that runs `fake-codex.mjs`; gone after the tests. */
export function fakeProgram(name = 'codex'): string {
  const folder = mkdtempSync(join(tmpdir(), 'singletree-fake-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const script = fileURLToPath(new URL('./fake-codex.mjs', import.meta.url));
  const file = join(folder, name);
  writeFileSync(file, `#!/bin/sh\nexec "${process.execPath}" "${script}" "$@"\n`);
  chmodSync(file, 0o755);
  return file;
}
