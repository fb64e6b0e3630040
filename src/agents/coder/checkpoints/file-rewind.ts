import { chmod, lstat, mkdir, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { SingletreeError } from '../../../events/index.ts';
import type { Checkpoint } from './checkpoint.ts';
import type { ShadowRepository } from './shadow-repository.ts';
import { defined } from '../../../events/defined.ts';

/** What rewinding does to one file. */
export interface FileRewind {
  readonly path: string;
  readonly action: 'create' | 'change' | 'delete' | 'none';
  /** Whether somebody else has changed the file since: it is left alone unless that is asked for. */
  readonly isConflict: boolean;
  /** The mode and the hash of the content that it gets; absent when it is deleted. */
  readonly content?: string;
}

/** The direction of a rewind: to the state before the calls, or forward again to the state after them. */
export type RewindDirection = 'undo' | 'redo';

/** Returns what a rewind over some checkpoints, in the order of the log, would do: the preview. */
export async function previewRewind(
  checkpoints: readonly Checkpoint[],
  repository: ShadowRepository,
  direction: RewindDirection,
): Promise<FileRewind[]> {
  const spans = new Map<string, { from?: string | undefined; to?: string | undefined }>();
  const own = checkpoints.filter(({ workTree }) => workTree === repository.workTree);
  for (const { path, before, after } of own.flatMap(({ files }) => files)) {
    const known = spans.get(path);
    spans.set(path, { from: known === undefined ? before : known.from, to: after });
  }
  const rewinds: FileRewind[] = [];
  for (const [path, { from, to }] of spans) {
    const [target, expected] = direction === 'undo' ? [from, to] : [to, from];
    const current = await currentState(repository, path);
    const isConflict = current !== expected && current !== target;
    rewinds.push({
      path,
      isConflict,
      action: actionFor(current, target),
      ...defined({ content: target }),
    });
  }
  return rewinds.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

/** Carries a preview out; files in conflict are left alone unless `force` is set. Returns the files it changed. */
export async function applyRewind(
  rewinds: readonly FileRewind[],
  repository: ShadowRepository,
  { force = false }: { readonly force?: boolean } = {},
): Promise<string[]> {
  const due = rewinds.filter(({ action, isConflict }) => action !== 'none' && (force || !isConflict));
  // Everything is read before anything is written.
  const contents = await Promise.all(
    due.map(async ({ content }) => (content === undefined ? undefined : contentOf(repository, content))),
  );
  for (const [index, { path }] of due.entries()) {
    const file = await confined(repository, path);
    const content = contents[index];
    await rm(file, { force: true });
    if (content !== undefined) await put(file, content);
  }
  return due.map(({ path }) => path);
}

function actionFor(current: string | undefined, target: string | undefined): FileRewind['action'] {
  if (current === target) return 'none';
  if (target === undefined) return 'delete';
  return current === undefined ? 'create' : 'change';
}

const executable = '100755';
const link = '120000';

interface FileContent {
  readonly mode: string;
  readonly bytes: Buffer;
}

async function put(file: string, { mode, bytes }: FileContent): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  if (mode === link) return symlink(bytes, file);
  await writeFile(file, bytes);
  if (mode === executable) await chmod(file, 0o755);
}

async function contentOf(repository: ShadowRepository, content: string): Promise<FileContent> {
  const [mode = '', hash = ''] = content.split(' ');
  try {
    return { mode, bytes: await repository.content(hash) };
  } catch (cause) {
    throw new SingletreeError(
      'not_found',
      'The snapshot of these files does not exist any more: it was removed to save space, or is on another machine. The conversation can still be rewound.',
      { cause },
    );
  }
}

/** A file behind a link is not in the work tree: nothing of it is read. */
async function currentState(repository: ShadowRepository, path: string): Promise<string | undefined> {
  if ((await linkOnWay(repository, path)) !== undefined) return undefined;
  const file = join(repository.workTree, path);
  const found = await lstat(file).catch(() => undefined);
  if (found?.isSymbolicLink() === true) return `${link} ${await repository.hashOf(await readlink(file, 'buffer'))}`;
  if (found?.isFile() !== true) return undefined;
  const mode = (found.mode & 0o100) === 0 ? '100644' : executable;
  return `${mode} ${await repository.hashOf(await readFile(file))}`;
}

/** Returns the path of a file; throws when a folder on its way is a link, which may lead out of the work tree. */
async function confined(repository: ShadowRepository, path: string): Promise<string> {
  const folder = await linkOnWay(repository, path);
  if (folder === undefined) return join(repository.workTree, path);
  throw new SingletreeError('request_forbidden', `${folder} is a link now: ${path} is not written through it.`);
}

/** Returns the first folder on the way to a file that is a link; undefined when none is. */
async function linkOnWay({ workTree }: ShadowRepository, path: string): Promise<string | undefined> {
  const names = path.split('/');
  for (let at = 1; at < names.length; at++) {
    const folder = join(workTree, ...names.slice(0, at));
    const found = await lstat(folder).catch(() => undefined);
    if (found?.isSymbolicLink() === true) return folder;
  }
  return undefined;
}
