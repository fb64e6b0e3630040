import type { BigIntStats, Dirent } from 'node:fs';
import { constants, type FileHandle, opendir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { SingletreeError } from '../../base/singletree-error.ts';
import { optionsCheck } from '../../base/options/check-options.ts';
import { field, object, signal } from '../../base/options/option-fields.ts';
import { once } from '../../base/once.ts';
import { environmentField, environmentFor, type EnvironmentPolicy } from '../process/environment.ts';
import { type ChangedFile, changeFiles, type FileChange, type Stamp, toStamp } from './file-changes.ts';
import { toRealPath } from './locate.ts';
import type { PathAccess, ResolvedPath } from '../contract/permissions.ts';
import { locateInReach, type Reach } from './reach.ts';
import { explained, missing, refused } from './refusal.ts';
import { resolvedBelow, resolvePath } from './resolved-path.ts';
import { type Root, rootAt } from './root.ts';
import { type CommandEnd, type OutputStream, runCommand } from './run-command.ts';

export interface WorkspaceOptions {
  /** Environment variables for its processes, in addition to those of `environment`. */
  readonly env?: Readonly<Record<string, string>>;
  /** The environment variables that its processes inherit. Default: the few that any program needs. */
  readonly environment?: EnvironmentPolicy;
  /** Whether a user can be asked for access to a path outside the folder. Default: `refuse`. */
  readonly outside?: 'refuse' | 'ask';
  /** Ends its commands and refuses every further use with the reason of its abort. */
  readonly closed?: AbortSignal;
}

/** A regular file that is open for reading. */
export interface OpenedFile {
  readonly handle: FileHandle;
  readonly size: number;
  readonly mode: number;
  readonly stamp: Stamp;
  /** Its path without links: from the root, absolute outside it. */
  readonly real: string;
  /** A path by which another program can open this very file while it is open. */
  readonly path: string;
}

/** A folder that is open. */
export interface OpenedFolder {
  readonly real: string;
  /** A path to this very folder while it is open. */
  readonly path: string;
}

export interface FolderEntry {
  readonly name: string;
  readonly kind: 'file' | 'folder' | 'link' | 'other';
}

export interface CommandRequest {
  readonly command: string;
  /** The working directory. Default: the root. */
  readonly folder?: string;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** Marks it as a process of a run, so that a takeover of the run ends it. */
  readonly runMark?: string | undefined;
  /** Receives output as it arrives. */
  readonly onOutput?: (chunk: Uint8Array, stream: OutputStream) => void;
}

const checkOptions = optionsCheck<WorkspaceOptions>('workspace')(() => ({
  env: object().optional(),
  environment: environmentField().optional(),
  outside: field(value => value === 'refuse' || value === 'ask', '"refuse" or "ask"').optional(),
  closed: signal().optional(),
}));

/**
 * Creates confined access to the files of a folder, and to processes that start in it; throws when the folder does not
 * exist, and for invalid options.
 */
export function workspace(root: string, options: WorkspaceOptions = {}): WorkspaceFolder {
  checkOptions(options);
  return new WorkspaceFolder(rootAt(root), options);
}

/**
 * Access to the files of one folder. Resolves every path inside it, including links, and refuses a path that leads
 * outside unless a user granted exactly that path, even when an entry is replaced by a link at the same time. Opens
 * only regular files. A process is confined only by its working directory and its environment variables.
 */
export class WorkspaceFolder {
  readonly #reach: Reach;
  readonly #env: () => Readonly<Record<string, string>>;

  constructor(
    root: Root,
    { env, environment, outside, closed }: WorkspaceOptions = {},
    pinned?: { readonly reach: Omit<Reach, 'root'>; readonly env: () => Readonly<Record<string, string>> },
  ) {
    this.#reach = { root, ...(outside === 'ask' && { granted: [] }), ...(closed && { closed }), ...pinned?.reach };
    this.#env = pinned?.env ?? once(() => environmentFor(process.env, { policy: environment, set: env }));
  }

  /** The environment of its processes. */
  get env(): Readonly<Record<string, string>> {
    return this.#env();
  }

  /** The real path of the folder. */
  get root(): string {
    return this.#reach.root.path;
  }

  /** Resolves a path the way opening it does, also to a missing target; never rejects. */
  resolve(path: string, options: { readonly keepLink?: boolean } = {}): Promise<ResolvedPath> {
    return resolvePath(this.#reach, path, options);
  }

  /** Resolves an entry of an opened folder: `path` is its path from the root, without links. */
  resolvedBelow(path: string): ResolvedPath {
    return resolvedBelow(this.#reach.root, path);
  }

  /**
   * Returns the same workspace with these paths pinned to their resolved targets, and with granted paths outside it;
   * other targets are refused.
   */
  pinned(paths: readonly ResolvedPath[], access: readonly PathAccess[] = []): WorkspaceFolder {
    const pins = new Map<string, Set<string>>();
    for (const { written, resolved } of paths) pins.set(written, new Set([...(pins.get(written) ?? []), ...resolved]));
    const { root, granted, closed } = this.#reach;
    const reach = { pins, ...(granted !== undefined && { granted: access }), ...(closed && { closed }) };
    return new WorkspaceFolder(root, {}, { reach, env: this.#env });
  }

  /** Opens a regular file while `use` runs. */
  async withFile<Value>(path: string, use: (file: OpenedFile) => Promise<Value>): Promise<Value> {
    const opened = await this.#explaining(path, () => this.#openFile(path));
    try {
      return await use(opened);
    } finally {
      await opened.handle.close();
    }
  }

  /** Opens a folder while `use` runs. */
  withFolder<Value>(path: string, use: (folder: OpenedFolder) => Promise<Value>): Promise<Value> {
    return this.#withFolder(path, 'read', use);
  }

  async #withFolder<Value>(
    path: string,
    mode: PathAccess['mode'],
    use: (folder: OpenedFolder) => Promise<Value>,
  ): Promise<Value> {
    const folder = await this.#explaining(path, async () => {
      const place = await locateInReach(this.#reach, path, { mode });
      try {
        if (place.stats === undefined) throw missing(path);
        if (!place.stats.isDirectory()) throw refused(path, 'is not a folder.');
        return await place.folder.enter(place.name);
      } finally {
        await place.folder.close();
      }
    });
    try {
      return await use({ real: toRealPath({ folder, name: '.', stats: undefined }), path: folder.path });
    } finally {
      await folder.close();
    }
  }

  /**
   * Returns the kind and state of a path; undefined when it does not exist. Follows a link at its end unless `keepLink`
   * is set.
   */
  async look(
    path: string,
    options: { readonly keepLink?: boolean } = {},
  ): Promise<{ kind: FolderEntry['kind']; stamp: Stamp; real: string } | undefined> {
    return this.#explaining(path, async () => {
      const place = await locateInReach(this.#reach, path, options);
      await place.folder.close();
      const { stats } = place;
      return stats === undefined ? undefined : { kind: getKind(stats), stamp: toStamp(stats), real: toRealPath(place) };
    }).catch(error => {
      if (isMissing(error)) return undefined;
      throw error;
    });
  }

  /** Returns the entries of a folder in disk order, at most `limit`. */
  async entries(path: string, limit: number): Promise<FolderEntry[]> {
    return this.withFolder(path, async folder => {
      const found: FolderEntry[] = [];
      for await (const entry of await opendir(folder.path)) {
        if (found.length >= limit) break;
        found.push({ name: entry.name, kind: getKind(entry) });
      }
      return found;
    });
  }

  /** Applies all changes or none, each file atomically; creates missing folders. */
  change(changes: readonly FileChange[]): Promise<ChangedFile[]> {
    return changeFiles(this.#reach, changes);
  }

  /** Runs a shell command in a folder, in its own process group; ends the whole group with it. */
  run({ folder = '.', ...request }: CommandRequest): Promise<CommandEnd> {
    const { closed } = this.#reach;
    const signal = closed === undefined ? request.signal : AbortSignal.any([request.signal, closed]);
    return this.#withFolder(folder, 'write', ({ path }) =>
      runCommand({ ...request, signal, cwd: path, env: this.env }),
    );
  }

  async #openFile(path: string): Promise<OpenedFile> {
    const place = await locateInReach(this.#reach, path);
    const { folder, name, stats } = place;
    try {
      if (stats === undefined) throw missing(path);
      checkRegular(path, stats);
      const handle = await folder.openFile(name, constants.O_RDONLY);
      try {
        const opened = await handle.stat({ bigint: true });
        checkRegular(path, opened);
        const real = toRealPath(place);
        const file = { handle, size: Number(opened.size), mode: Number(opened.mode), stamp: toStamp(opened), real };
        const { byDescriptor } = this.#reach.root;
        return { ...file, path: byDescriptor ? `/proc/${process.pid}/fd/${handle.fd}` : resolve(this.root, real) };
      } catch (error) {
        await handle.close();
        throw error;
      }
    } finally {
      await folder.close();
    }
  }

  async #explaining<Value>(path: string, act: () => Promise<Value>): Promise<Value> {
    try {
      return await act();
    } catch (error) {
      throw explained(error, path);
    }
  }
}

function checkRegular(path: string, stats: BigIntStats): void {
  if (stats.isDirectory()) throw refused(path, 'is a folder: a file was expected. List it to see what is in it.');
  if (!stats.isFile()) throw refused(path, 'is not a regular file: pipes, sockets and devices are not opened.');
}

function getKind(entry: Dirent | BigIntStats): FolderEntry['kind'] {
  if (entry.isDirectory()) return 'folder';
  if (entry.isFile()) return 'file';
  return entry.isSymbolicLink() ? 'link' : 'other';
}

function isMissing(error: unknown): boolean {
  return SingletreeError.is(error, 'not_found');
}
