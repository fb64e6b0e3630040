import * as z from 'zod';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseJson } from '../../base/parse-json.ts';
import { once } from '../../base/once.ts';
import { newId } from '../../events/ids.ts';
import { SingletreeError } from '../../base/singletree-error.ts';

const schema = once(() =>
  z.object({
    name: z.string(),
    threadId: z.string(),
    agentId: z.string(),
    path: z.string(),
    folder: z.string(),
    root: z.string(),
    origin: z.string(),
    branch: z.string(),
    head: z.string(),
    createdAt: z.string(),
    kept: z.string().optional(),
  }),
);

/** A worktree that was made for a thread. */
export interface WorktreeRecord {
  /** Its name, which is unique. */
  readonly name: string;
  readonly threadId: string;
  readonly agentId: string;
  /** Its root. */
  readonly path: string;
  /** The folder in it that the thread works in. */
  readonly folder: string;
  /** The root of the repository it belongs to. */
  readonly root: string;
  /** The folder that `folder` is a copy of. */
  readonly origin: string;
  readonly branch: string;
  /** The commit it began with. */
  readonly head: string;
  readonly createdAt: string;
  /** The tree whose changes were applied to the repository. */
  readonly kept?: string | undefined;
}

const fileName = 'worktree.json';

/** Stores a record in the folder of its worktree. */
export async function writeRecord(home: string, record: WorktreeRecord): Promise<void> {
  const folder = join(home, record.name);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, fileName);
  await writeFile(`${file}.new`, JSON.stringify(record, undefined, 2));
  await rename(`${file}.new`, file);
}

/** Returns the records below a folder, oldest first; skips entries without a valid record. */
export async function readRecords(home: string): Promise<WorktreeRecord[]> {
  const names = await readdir(home).catch(() => []);
  const found = await Promise.all(names.map(name => readRecord(home, name)));
  return found.flat().toSorted((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
}

/** A record counts only when it describes a worktree in its own folder. */
async function readRecord(home: string, name: string): Promise<WorktreeRecord[]> {
  const text = await readFile(join(home, name, fileName), 'utf8').catch(() => undefined);
  if (text === undefined) return [];
  const record = schema().safeParse(parseJson(text)).data;
  return record?.name === name && record.path.startsWith(join(home, name, '/')) ? [record] : [];
}

/** Returns a unique name for the worktree of an agent, which is safe as a folder and in a branch. */
export function worktreeName(agentId: string): string {
  const agent = agentId
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 30);
  return `${agent || 'agent'}-${newId().slice(-8)}`;
}

const allowed = /^[A-Za-z0-9_][A-Za-z0-9_.-]*(?:\/[A-Za-z0-9_][A-Za-z0-9_.-]*)*$/;

/** Throws `invalid_argument` for the beginning of branch names that is no plain one. */
export function checkBranchPrefix(prefix: string): void {
  const isPlain = allowed.test(prefix) && !prefix.includes('..') && !/\.(?:lock)?(?:\/|$)/.test(prefix);
  if (/^(?:refs|heads|remotes|tags|HEAD)(?:\/|$)/.test(prefix))
    throw new SingletreeError(
      'invalid_argument',
      `The branch name ${JSON.stringify(prefix.slice(0, 100))} is not valid: it begins like a reference of git. Use a name without that, such as "try/parser".`,
    );
  if (isPlain && prefix.length <= 80) return;
  throw new SingletreeError(
    'invalid_argument',
    `The branch name ${JSON.stringify(prefix.slice(0, 100))} is not valid. Use letters, digits, "-", "_", "." and "/", such as "try/parser".`,
  );
}
