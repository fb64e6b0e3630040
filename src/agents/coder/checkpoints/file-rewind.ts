import { chmodSync, mkdirSync, renameSync, rmdirSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { defined } from '../../../base/defined.ts';
import { errorText } from '../../../base/error-text.ts';
import { newId } from '../../../events/ids.ts';
import { SingletreeError } from '../../../base/singletree-error.ts';
import { bytePath, type Checkpoint, type UncoveredPath, type WrittenPath, writePath } from './checkpoint.ts';
import {
  type BytePath,
  type FileState,
  isSameState,
  lookAt,
  type ParsedState,
  parseState,
  readState,
  systemPath,
} from './file-state.ts';
import type { ShadowRepository } from './shadow-repository.ts';

/** The effect of a rewind on one file, link or folder. */
export interface FileRewind extends WrittenPath {
  readonly action: 'create' | 'change' | 'delete' | 'none';
  /** Whether the file was changed by something else since; a rewind skips it unless `force` is set. */
  readonly isConflict: boolean;
  /** The permissions and the hash of the content that it gets; absent when it is deleted. */
  readonly content?: FileState;
}

/** The direction of a rewind: to the state before the calls, or forward again to the state after them. */
export type RewindDirection = 'undo' | 'redo';

/** Returns the preview of a rewind over checkpoints, which are in the order of the log. */
export async function previewRewind(
  checkpoints: readonly Checkpoint[],
  repository: ShadowRepository,
  direction: RewindDirection,
): Promise<FileRewind[]> {
  const spans = new Map<BytePath, { from?: FileState | undefined; to?: FileState | undefined }>();
  const own = checkpoints.filter(({ workTree }) => workTree === repository.workTree);
  for (const change of own.flatMap(({ files, folders = [] }) => [...files, ...folders])) {
    const path = bytePath(change);
    const known = spans.get(path);
    spans.set(path, { from: known === undefined ? change.before : known.from, to: change.after });
  }
  const conflicts = new Set<BytePath>();
  return [...spans]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, { from, to }]) => {
      const [target, expected] = direction === 'undo' ? [from, to] : [to, from];
      const current = currentState(repository, path);
      const isDone = isSameState(current, target);
      const action = isDone ? 'none' : target === undefined ? 'delete' : current === undefined ? 'create' : 'change';
      const isConflict =
        (!isDone && !isSameState(current, expected)) || foldersAbove(path).some(folder => conflicts.has(folder));
      if (isConflict) conflicts.add(path);
      return { ...writePath(path), isConflict, action, ...defined({ content: target }) };
    });
}

/** Returns the paths in a folder that calls of the checkpoints changed and a rewind cannot restore, each once. */
export function collectUncovered(checkpoints: readonly Checkpoint[], workTree: string): UncoveredPath[] {
  const own = checkpoints.filter(checkpoint => checkpoint.workTree === workTree);
  const found = own.flatMap(({ uncovered = [] }) => uncovered).map(entry => [bytePath(entry), entry] as const);
  return [...new Map(found).values()];
}

/**
 * Applies a previewed rewind; skips files in conflict unless `force` is set. Returns the changed files, and the changed
 * folders that contain no other changed path. Throws before the first change when a content is missing or a folder is
 * now a link. Throws `rewind_incomplete` with the restored and the failed files when some steps fail.
 */
export async function applyRewind(
  rewinds: readonly FileRewind[],
  repository: ShadowRepository,
  { force = false }: { readonly force?: boolean } = {},
): Promise<string[]> {
  const due = rewinds.filter(({ action, isConflict }) => action !== 'none' && (force || !isConflict));
  const steps = due
    .map(rewind => readStep(rewind, repository))
    .toSorted((one, other) => (one.path < other.path ? -1 : 1));
  checkLinks(steps, repository);
  const failures = new Map<BytePath, string>();
  const attempt = (act: (step: RewindStep) => void) => (step: RewindStep) => {
    try {
      if (!failures.has(step.path)) act(step);
    } catch (error) {
      failures.set(step.path, errorText(error));
    }
  };
  steps.forEach(attempt(openFolder));
  steps.toReversed().forEach(attempt(clearPlace));
  steps.forEach(attempt(create));
  steps.toReversed().forEach(attempt(finishFolder));
  steps.forEach(attempt(verify));
  const done = steps.filter(({ path }) => !failures.has(path));
  if (failures.size > 0) throw incomplete(repository, { done, failures });
  return done.filter(step => !isImplied(step, done)).map(({ path }) => writePath(path).path);
}

/** One path with its target state. */
interface RewindStep {
  readonly repository: ShadowRepository;
  readonly path: BytePath;
  readonly full: Buffer;
  readonly content: FileState | undefined;
  readonly target: ParsedState | undefined;
  readonly bytes: Buffer;
  /** The permissions of the folder that exists at the path; undefined when none exists. */
  readonly folderMode: number | undefined;
}

function readStep(rewind: FileRewind, repository: ShadowRepository): RewindStep {
  const { content } = rewind;
  const path = bytePath(rewind);
  const target = content === undefined ? undefined : parseState(content);
  const isStored = target !== undefined && target.kind !== 'folder';
  const bytes = isStored ? readContent(repository, target.hash) : Buffer.of();
  const full = joinPath(repository, path);
  const found = isReached(repository, path) ? lookAt(full) : undefined;
  const folderMode = found?.isDirectory() === true ? found.mode & 0o7777 : undefined;
  return { repository, path, full, content, target, bytes, folderMode };
}

function readContent(repository: ShadowRepository, hash: string): Buffer {
  try {
    return repository.content(hash);
  } catch (cause) {
    throw new SingletreeError(
      'not_found',
      'The snapshot of these files does not exist any more: it was removed to save space, or is on another machine. The conversation can still be rewound.',
      { cause },
    );
  }
}

/** Throws when a folder above a file is a link that stays: it may lead out of the work tree. */
function checkLinks(steps: readonly RewindStep[], repository: ShadowRepository): void {
  const replaced = new Set(steps.filter(({ target }) => target?.kind === 'folder').map(({ path }) => path));
  for (const { path } of steps)
    for (const folder of foldersAbove(path)) {
      if (replaced.has(folder)) continue;
      const full = joinPath(repository, folder);
      if (lookAt(full)?.isSymbolicLink() === true)
        throw new SingletreeError(
          'request_forbidden',
          `${full.toString()} is a link now: ${writePath(path).path} is not written through it.`,
        );
    }
}

/** Lets files be written in a folder whose permissions will be set at the end. */
function openFolder({ full, folderMode }: RewindStep): void {
  if (folderMode !== undefined) chmodSync(full, folderMode | 0o700);
}

/** Removes an entry of another kind from the path; keeps a folder to be deleted while it has other files. */
function clearPlace({ repository, path, full, target }: RewindStep): void {
  const found = isReached(repository, path) ? lookAt(full) : undefined;
  if (found === undefined) return;
  if (!found.isDirectory()) {
    // A file or a link is replaced in one step.
    if (target === undefined || target.kind === 'folder') unlinkSync(full);
  } else if (target?.kind !== 'folder') {
    try {
      rmdirSync(full);
    } catch (error) {
      if (target !== undefined || !isNotEmpty(error)) throw error;
    }
  }
}

function create({ repository, full, path, target, bytes }: RewindStep): void {
  if (target === undefined) return;
  const folder = full.subarray(0, full.length - path.length + path.lastIndexOf('/') + 1);
  for (const above of foldersAbove(path))
    if (!isFolderNow(joinPath(repository, above))) mkdirSync(joinPath(repository, above));
  if (target.kind === 'folder') return void mkdirSync(full, { recursive: true });
  const written = Buffer.concat([folder, Buffer.from(`.singletree-${newId()}`)]);
  try {
    if (target.kind === 'link') symlinkSync(bytes, written);
    else {
      writeFileSync(written, bytes, { flag: 'wx', mode: 0o600 });
      chmodSync(written, target.permissions);
    }
    renameSync(written, full);
  } catch (error) {
    rmSync(written, { force: true });
    throw error;
  }
}

function finishFolder({ repository, path, full, target, folderMode = 0 }: RewindStep): void {
  if (isReached(repository, path) && isFolderNow(full)) chmodSync(full, target?.permissions ?? folderMode);
}

function verify({ repository, path, content }: RewindStep): void {
  const state = currentState(repository, path);
  const isLeftFolder = content === undefined && state?.startsWith('folder') === true;
  if (!isLeftFolder && !isSameState(state, content))
    throw new Error('it is not what it was: the file system did not take its content or its permissions');
}

/** Whether a folder was changed together with something in it. */
function isImplied({ path, target, folderMode }: RewindStep, done: readonly RewindStep[]): boolean {
  const isFolder = target?.kind === 'folder' || (target === undefined && folderMode !== undefined);
  return isFolder && done.some(other => other.path.startsWith(`${path}/`));
}

function incomplete(
  { workTree }: ShadowRepository,
  { done, failures }: { readonly done: readonly RewindStep[]; readonly failures: ReadonlyMap<BytePath, string> },
): SingletreeError {
  const restored = done.map(({ path }) => writePath(path).path);
  const failed = [...failures].map(([path, reason]) => ({ ...writePath(path), reason }));
  return new SingletreeError(
    'rewind_incomplete',
    `Some files of ${workTree} were not restored: ${failed.map(({ path, reason }) => `${path} (${reason})`).join(', ')}. Restored: ${restored.join(', ') || 'none'}. The conversation is unchanged; remove the cause and repeat it.`,
    { details: { restored, failed } },
  );
}

/** The state of a path; nothing is read through a link above it. */
function currentState(repository: ShadowRepository, path: BytePath): FileState | undefined {
  return isReached(repository, path) ? readState(joinPath(repository, path)) : undefined;
}

/** Whether everything above a path is a folder: what is behind a link is not of the work tree. */
function isReached(repository: ShadowRepository, path: BytePath): boolean {
  return foldersAbove(path).every(folder => isFolderNow(joinPath(repository, folder)));
}

function isFolderNow(full: Buffer): boolean {
  return lookAt(full)?.isDirectory() === true;
}

function foldersAbove(path: BytePath): BytePath[] {
  const names = path.split('/').slice(0, -1);
  return names.map((_, at) => names.slice(0, at + 1).join('/'));
}

function joinPath({ workTree }: ShadowRepository, path: BytePath): Buffer {
  return Buffer.concat([Buffer.from(join(workTree, '/')), systemPath(path)]);
}

function isNotEmpty(error: unknown): boolean {
  return ['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '');
}
