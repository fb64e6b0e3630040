import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { removeWrittenSessions } from '../../agents/cli/sessions/remove-sessions.ts';
import { printNotice } from '../../control/standard-output.ts';
import { writtenSessionsFolder } from '../settings/home.ts';

const ownRunId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Removes the record folders of runs and the sessions that were written for them; ignores ids that are not ours. Prints
 * why a session stays in the store of its program.
 */
export async function removeRunFolders(home: string, runIds: readonly string[]): Promise<void> {
  const own = runIds.filter(runId => ownRunId.test(runId));
  for (const runId of own) await rm(join(home, 'runs', runId), { recursive: true, force: true });
  for (const problem of await removeWrittenSessions(writtenSessionsFolder(home), own)) printNotice(problem);
}
