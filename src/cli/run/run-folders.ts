import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { removeWrittenSessions } from '../../agents/cli/sessions/hand-over.ts';
import { writtenSessionsFolder } from '../settings/home.ts';

const ownRunId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Removes the record folders of runs and the sessions that were written for them; ignores ids that are not ours. */
export async function removeRunFolders(home: string, runIds: readonly string[]): Promise<void> {
  const own = runIds.filter(runId => ownRunId.test(runId));
  for (const runId of own) await rm(join(home, 'runs', runId), { recursive: true, force: true });
  await removeWrittenSessions(writtenSessionsFolder(home), own);
}
