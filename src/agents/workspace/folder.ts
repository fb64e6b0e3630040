import type { BigIntStats } from 'node:fs';
import { constants, type FileHandle, lstat, open, readlink } from 'node:fs/promises';
import { isHeldFile } from '../../events/held-files.ts';
import { refused } from './refusal.ts';
import { checkOpened, type Root } from './root.ts';

const heldProblem = 'is a file of the store that this process has open. It is not read or written in another way.';

/** Opens a folder only for lookups: this needs no permission to list it. */
const linuxPathOnly = 0x20_0000;

/**
 * An opened folder inside the root. Names are looked up relative to the open descriptor, so replacing a folder by a
 * link meanwhile has no effect. On systems without descriptor paths, the result is verified after opening.
 */
export class Folder {
  readonly names: readonly string[];
  readonly #root: Root;
  readonly #handle: FileHandle;

  private constructor(root: Root, names: readonly string[], handle: FileHandle) {
    this.#root = root;
    this.names = names;
    this.#handle = handle;
  }

  static async open(root: Root): Promise<Folder> {
    return new Folder(root, [], await open(root.path, folderFlags(root)));
  }

  /** Whether it belongs to the file system outside the workspace. */
  get isOutside(): boolean {
    return this.#root.isFileSystem === true;
  }

  /** A file system path to this folder, valid while it is open. */
  get path(): string {
    return this.#root.byDescriptor ? `/proc/self/fd/${this.#handle.fd}` : [this.#root.path, ...this.names].join('/');
  }

  /** A file system path to a name in this folder. */
  at(name: string): string {
    return `${this.path}/${name}`;
  }

  /** Returns the stats of a name without following links; undefined when nothing exists there. */
  async look(name: string): Promise<BigIntStats | undefined> {
    try {
      return await lstat(this.at(name), { bigint: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  }

  /** Returns the target of a link. */
  linkAt(name: string): Promise<string> {
    return readlink(this.at(name));
  }

  /** Opens a name in this folder, never through a link, never blocking on another process, and no file of this process's store. */
  async openFile(name: string, flags: number): Promise<FileHandle> {
    const found = await this.look(name);
    if (found !== undefined && isHeldFile(found)) throw refused([...this.names, name].join('/'), heldProblem);
    return this.#checked(name, await open(this.at(name), flags | constants.O_NOFOLLOW | constants.O_NONBLOCK));
  }

  /** Opens a folder in this folder, never through a link. */
  async enter(name: string): Promise<Folder> {
    const handle = await this.#checked(name, await open(this.at(name), folderFlags(this.#root)));
    return new Folder(this.#root, name === '.' ? this.names : [...this.names, name], handle);
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }

  async #checked(name: string, handle: FileHandle): Promise<FileHandle> {
    if (this.#root.byDescriptor) return handle;
    try {
      await checkOpened(this.#root, this.at(name), await handle.stat({ bigint: true }));
      return handle;
    } catch (error) {
      await handle.close();
      throw error;
    }
  }
}

function folderFlags({ byDescriptor }: Root): number {
  return constants.O_DIRECTORY | constants.O_NOFOLLOW | (byDescriptor ? linuxPathOnly : constants.O_RDONLY);
}
