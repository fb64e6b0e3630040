import { realpathSync } from 'node:fs';
import { createClient } from '../../client/index.ts';
import { RecentProjects } from '../../config/index.ts';
import { SingletreeError } from '../../events/index.ts';
import type { RunningServerNote } from './running-servers.ts';

/** A running server that shows a folder. */
export interface JoinedServer {
  readonly url: string;
  readonly folder: string;
  /** The address of the folder on its page. */
  readonly page: string;
}

/**
 * Opens a folder on one of the servers that run with the same store: the one of this folder, else any that has projects.
 * Returns undefined when none can show it.
 */
export async function joinServer(
  servers: readonly RunningServerNote[],
  { folder, home, token }: { readonly folder: string; readonly home: string; readonly token: string | undefined },
): Promise<JoinedServer | undefined> {
  const same = servers.find(server => server.folder === folder);
  if (same !== undefined) return { url: same.url, folder, page: '/' };
  const [other] = servers;
  if (other === undefined) return undefined;
  // Who has a shell in a folder may open it, wherever it is: the server finds it in the data folder.
  new RecentProjects(home).add(folder);
  try {
    const client = createClient({ baseUrl: other.url, ...(token !== undefined && { token }) });
    await client.openProject(folder);
  } catch (error) {
    // It belongs to other people, or has no projects.
    if (SingletreeError.is(error) && error.code !== 'invalid_config') return undefined;
    throw error;
  }
  const real = realpathSync(folder);
  return { url: other.url, folder: real, page: `/?${new URLSearchParams({ project: real }).toString()}` };
}
