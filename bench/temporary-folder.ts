import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A new folder for files of a benchmark; `remove` deletes it with everything in it. */
export function temporaryFolder(): { path: (name: string) => string; remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'singletree-bench-'));
  return {
    path: name => join(folder, name),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
