import { rm } from 'node:fs/promises';
import { join } from 'node:path';

const ownRunId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Removes the record folders of runs; ignores ids that are not ours. */
export async function removeRunFolders(home: string, runIds: readonly string[]): Promise<void> {
  for (const runId of runIds)
    if (ownRunId.test(runId)) await rm(join(home, 'runs', runId), { recursive: true, force: true });
}
