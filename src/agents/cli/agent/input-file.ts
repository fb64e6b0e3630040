import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Gives an open file with this text that has no name any more; it is closed when the use of it returns. */
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
