import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Passes an open, unlinked file with this text to `use`; closes it when `use` returns. */
export function withInputFile<T>(text: string, use: (descriptor: number) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'singletree-input-'));
  const file = join(folder, 'input');
  let descriptor: number;
  try {
    writeFileSync(file, text, { mode: 0o600 });
    descriptor = openSync(file, 'r');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  try {
    return use(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
