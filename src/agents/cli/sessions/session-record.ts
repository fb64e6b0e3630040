import type { CliAdapter } from '../contract/cli-adapter.ts';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';

/** How a run uses its program, as far as sessions depend on it. */
export interface SessionUse {
  readonly adapter: Pick<CliAdapter, 'id' | 'name' | 'session'>;
  readonly channel: 'print' | 'live';
  /** The folder of written sessions; none is written without it. */
  readonly folder: string | undefined;
  readonly cwd: string;
  readonly model: string | undefined;
  readonly executable: string;
  /** The variables that the program gets. */
  readonly environment: Readonly<Record<string, string>>;
  readonly runId: string;
  readonly runMark: string | undefined;
  readonly signal: AbortSignal;
}

const recordFile = 'session.json';

const recordShape = z.object({
  runId: z.string(),
  agentId: z.string(),
  sessionId: z.string(),
  isInStore: z.boolean(),
  cwd: z.string(),
  executable: z.string(),
  environment: z.record(z.string(), z.string()),
});

/** The record of a session that was written for a run, by which it is removed, also from its program's store. */
export type SessionRecord = z.infer<typeof recordShape>;

/** Matches the variables with which programs relocate their folders. */
const placeNames = /^(HOME|XDG_\w+|\w+_(HOME|DIR))$/;

/** Returns the folder of a written session; undefined for an id, as of an imported thread, that is no folder name. */
export function findSessionFolder(folder: string, agentId: string, sessionId: string): string | undefined {
  return /^[\w-]+$/.test(sessionId) ? join(folder, agentId, sessionId) : undefined;
}

/** Stores the run that a session was written for, and where its program keeps the session. */
export async function writeSessionRecord(
  place: string,
  { sessionId, isInStore }: Pick<SessionRecord, 'sessionId' | 'isInStore'>,
  use: SessionUse,
): Promise<void> {
  const { adapter, runId, cwd, executable } = use;
  const variables = Object.entries(use.environment).filter(([name]) => placeNames.test(name));
  const environment = Object.fromEntries(variables);
  const record: SessionRecord = { runId, agentId: adapter.id, sessionId, isInStore, cwd, executable, environment };
  await mkdir(place, { recursive: true, mode: 0o700 });
  await writeFile(join(place, recordFile), JSON.stringify(record), { mode: 0o600 });
}

/** Yields the records of the sessions that were written for runs, with their folders. */
export async function* readSessionRecords(
  folder: string,
  runIds: ReadonlySet<string>,
): AsyncGenerator<{ readonly place: string; readonly record: SessionRecord }> {
  for (const agent of await listNames(folder))
    for (const id of await listNames(join(folder, agent))) {
      const place = join(folder, agent, id);
      const record = await readRecord(place);
      if (record !== undefined && runIds.has(record.runId)) yield { place, record };
    }
}

/** The names in a folder; none when it is missing. */
export function listNames(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => []);
}

async function readRecord(place: string): Promise<SessionRecord | undefined> {
  try {
    return recordShape.safeParse(JSON.parse(await readFile(join(place, recordFile), 'utf8'))).data;
  } catch {
    // It is being written, or was removed meanwhile.
    return undefined;
  }
}
