import { randomUUID } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import { constants, link, lstat, rename, unlink } from 'node:fs/promises';
import { type Place, toRealPath } from './locate.ts';
import { locateInReach, type Reach } from './reach.ts';
import { explained, missing, refused } from './refusal.ts';

/** Identifies one state of a file: it changes whenever the file does. */
export type Stamp = string;

/** The desired state of one file. */
export interface FileChange {
  readonly path: string;
  /** The new content; undefined removes the file. */
  readonly content: string | undefined;
  /** The required current state, `null` when the file must not exist; any state when absent. */
  readonly from?: Stamp | null;
  /** The permissions of a new file; the usual ones when absent. An existing file keeps its own. */
  readonly mode?: number;
}

/** A file after a change. */
export interface ChangedFile {
  /** Its path without links: from the root, absolute outside it. */
  readonly real: string;
  /** Undefined when the file was removed. */
  readonly stamp: Stamp | undefined;
}

export function toStamp({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): Stamp {
  return [dev, ino, size, mtimeNs, ctimeNs].join(':');
}

/**
 * Applies all changes or none. Writes new contents to temporary files in the same folders as their targets and renames
 * them atomically; when a change fails, rolls back the earlier ones.
 */
export async function changeFiles(reach: Reach, changes: readonly FileChange[]): Promise<ChangedFile[]> {
  const staged: StagedChange[] = [];
  try {
    for (const change of changes) {
      staged.push(await StagedChange.stage(reach, change));
      if (new Set(staged.map(each => each.real)).size < staged.length)
        throw refused(change.path, 'is changed twice at once.');
    }
    const done: ChangedFile[] = [];
    for (const each of staged) done.push(await each.commit());
    return done;
  } catch (error) {
    for (const each of staged.toReversed()) await each.undo();
    throw error;
  } finally {
    for (const each of staged) await each.finish();
  }
}

class StagedChange {
  readonly real: string;
  readonly #change: FileChange;
  readonly #place: Place;
  /** The temporary file with the new content, until it is renamed. */
  #temporary: string | undefined;
  /** The backup of the previous file, until the end. */
  #aside: string | undefined;
  #isCommitted = false;

  private constructor(change: FileChange, place: Place) {
    this.#change = change;
    this.#place = place;
    this.real = toRealPath(place);
  }

  static async stage(reach: Reach, change: FileChange): Promise<StagedChange> {
    const { path, content } = change;
    let staged: StagedChange | undefined;
    try {
      staged = new StagedChange(
        change,
        await locateInReach(reach, path, {
          mode: 'write',
          ...(content === undefined ? { keepLink: true } : { makeFolders: true }),
        }),
      );
      checkTarget(change, staged.#place.stats);
      if (content !== undefined) await staged.#writeTemporary(content);
      return staged;
    } catch (error) {
      await staged?.finish();
      throw explained(error, path);
    }
  }

  async commit(): Promise<ChangedFile> {
    const { folder, name, stats } = this.#place;
    const target = folder.at(name);
    try {
      if (stats !== undefined) {
        this.#aside = folder.at(temporaryName());
        await keepAside(target, this.#aside, this.#temporary !== undefined);
      }
      if (this.#temporary === undefined) return { real: this.real, stamp: undefined };
      await rename(this.#temporary, target);
      this.#temporary = undefined;
      return { real: this.real, stamp: toStamp(await lstat(target, { bigint: true })) };
    } catch (error) {
      throw explained(error, this.#change.path);
    } finally {
      this.#isCommitted = true;
    }
  }

  /** Restores the previous file. */
  async undo(): Promise<void> {
    if (!this.#isCommitted) return;
    const { folder, name } = this.#place;
    if (this.#aside !== undefined)
      await rename(this.#aside, folder.at(name)).catch(() => {
        // The file remains under its backup name: nothing is lost.
        this.#aside = undefined;
      });
    else if (this.#temporary === undefined) await unlink(folder.at(name)).catch(ignore);
  }

  /** Removes all temporary files. */
  async finish(): Promise<void> {
    for (const path of [this.#temporary, this.#aside]) if (path !== undefined) await unlink(path).catch(ignore);
    await this.#place.folder.close();
  }

  async #writeTemporary(content: string): Promise<void> {
    const { folder, stats } = this.#place;
    const mode = stats === undefined ? this.#change.mode : Number(stats.mode);
    const temporary = temporaryName();
    const handle = await folder.openFile(temporary, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL);
    this.#temporary = folder.at(temporary);
    try {
      await handle.writeFile(content);
      if (mode !== undefined) await handle.chmod(mode & 0o777);
    } finally {
      await handle.close();
    }
  }
}

function checkTarget({ path, content, from }: FileChange, stats: BigIntStats | undefined): void {
  if (path.endsWith('/')) throw refused(path, 'names a folder: a file was expected.');
  if (stats === undefined) {
    if (content === undefined) throw missing(path);
    if (from !== undefined && from !== null) throw refused(path, 'was removed since it was read.');
    return;
  }
  if (from === null) throw refused(path, 'exists already.');
  if (stats.isDirectory()) throw refused(path, 'is a folder: a file was expected.');
  if (!stats.isFile() && !stats.isSymbolicLink()) throw refused(path, 'is not a regular file.');
  if (from !== undefined && from !== toStamp(stats))
    throw refused(path, 'changed since it was read. Read it again before you change it.');
}

/**
 * Links a file under a second name, so that it is never missing; renames it where that is not possible or the file is
 * to be removed.
 */
async function keepAside(target: string, aside: string, isReplaced: boolean): Promise<void> {
  if (!isReplaced) return rename(target, aside);
  return link(target, aside).catch(() => rename(target, aside));
}

function temporaryName(): string {
  return `.singletree-${randomUUID()}`;
}

function ignore(): void {}
