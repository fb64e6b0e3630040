import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';

/** A program in a folder of its own that runs a script, `fake-codex.mjs` by default; gone after the tests. */
export function fakeProgram(name = 'codex', script = 'fake-codex.mjs'): string {
  const folder = mkdtempSync(join(tmpdir(), 'singletree-fake-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const path = fileURLToPath(new URL(`./${script}`, import.meta.url));
  const file = join(folder, name);
  writeFileSync(file, `#!/bin/sh\nexec "${process.execPath}" "${path}" "$@"\n`);
  chmodSync(file, 0o755);
  return file;
}
