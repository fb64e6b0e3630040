import { realpathSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { createClient } from '../../client/create-client.ts';
import { RecentProjects } from '../../config/recent-projects.ts';
import { SingletreeError } from '../../base/singletree-error.ts';

const runningServer = z.object({
  url: z.string(),
  port: z.number(),
  /** The folder that its agents work in. */
  folder: z.string(),
  /** The store, without passwords. */
  store: z.string(),
  pid: z.number(),
});

/** A server of this data folder. */
export type RunningServerNote = z.infer<typeof runningServer>;

/** How long a server may take to answer, in milliseconds. */
const answerMs = 2_000;

/** The running servers of a data folder: each writes a file there, with which the next start finds it. */
export class RunningServers {
  readonly #folder: string;

  constructor(home: string) {
    this.#folder = join(home, 'servers');
  }

  /** Registers a server. Returns a function that unregisters it. */
  async add(server: RunningServerNote): Promise<() => Promise<void>> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const file = join(this.#folder, `${server.port}.json`);
    await writeFile(file, `${JSON.stringify(server)}\n`, { mode: 0o600 });
    return () => rm(file, { force: true });
  }

  /** Returns the servers that respond. */
  async list(): Promise<readonly RunningServerNote[]> {
    const files = await readdir(this.#folder).catch(() => []); // No server has ever run.
    const notes = await Promise.all(files.map(file => readNote(join(this.#folder, file))));
    const known = notes.filter(note => note !== undefined);
    const answers = await Promise.all(known.map(isAnswering));
    return known.filter((_, at) => answers[at]);
  }
}

async function readNote(file: string): Promise<RunningServerNote | undefined> {
  try {
    return runningServer.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch {
    return undefined; // It was removed meanwhile, or is no note.
  }
}

async function isAnswering({ url, pid }: RunningServerNote): Promise<boolean> {
  try {
    process.kill(pid, 0);
    const { ok } = await fetch(new URL('/healthz', url), { signal: AbortSignal.timeout(answerMs) });
    return ok;
  } catch {
    return false; // The process has ended, or another program has its port.
  }
}

/** A running server that shows a folder. */
export interface JoinedServer {
  readonly url: string;
  readonly folder: string;
  /** The address of the folder on its page. */
  readonly page: string;
}

/**
 * Opens a folder on a running server with the same store: the server of this folder, else any with projects. Returns
 * undefined when no server can show it.
 */
export async function joinServer(
  servers: readonly RunningServerNote[],
  { folder, home, token }: { readonly folder: string; readonly home: string; readonly token: string | undefined },
): Promise<JoinedServer | undefined> {
  const same = servers.find(server => server.folder === folder);
  if (same !== undefined) return { url: same.url, folder, page: '/' };
  const [other] = servers;
  if (other === undefined) return undefined;
  // A user with a shell in a folder may open it outside the roots; the server finds it in the data folder.
  new RecentProjects(home).add(folder);
  try {
    const client = createClient({ baseUrl: other.url, ...(token !== undefined && { token }) });
    await client.openProject(folder);
  } catch (error) {
    // The server belongs to another user, or has no projects.
    if (SingletreeError.is(error) && error.code !== 'invalid_config') return undefined;
    throw error;
  }
  const real = realpathSync(folder);
  return { url: other.url, folder: real, page: `/?${new URLSearchParams({ project: real }).toString()}` };
}
