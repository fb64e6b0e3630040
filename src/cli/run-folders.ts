import { rm } from 'node:fs/promises';
import { join } from 'node:path';

const ownRunId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Removes the folders in which runs were recorded; an id that is not one of ours names no folder. */
export async function removeRunFolders(home: string, runIds: readonly string[]): Promise<void> {
  for (const runId of runIds)
    if (ownRunId.test(runId)) await rm(join(home, 'runs', runId), { recursive: true, force: true });
}
