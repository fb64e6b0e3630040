import { type Ranked, ranked } from '../../projections/completion/fuzzy-match.ts';
import type { Clock } from '../clock.ts';
import { walkFiles } from './file-walk.ts';
import { SkippedFiles } from './skipped-files.ts';
import type { WorkspaceFolder } from './workspace-folder.ts';

/** The number of files of an index. */
export const mostIndexed = 50_000;
/** The age after which the index is rebuilt, in milliseconds. */
const freshMs = 5_000;
/** The number of files after which others may run. */
const filesAtOnce = 200;

/**
 * Indexes the files of a folder for completion, except those that git ignores. It is built in the background and can be
 * searched during that time; a search during a rebuild uses the previous index.
 */
export class FileIndex {
  readonly #workspace: WorkspaceFolder;
  readonly #clock: Clock;
  #paths: readonly string[] = [];
  #builtAt: number | undefined;
  #building: Promise<void> | undefined;
  readonly #closed = new AbortController();
  #onChange: () => void = () => {};

  constructor(workspace: WorkspaceFolder, clock: Clock) {
    this.#workspace = workspace;
    this.#clock = clock;
  }

  /** Calls a function whenever more files are known. */
  onChange(changed: () => void): void {
    this.#onChange = changed;
  }

  /** Whether all files are known, but for those that are new. */
  get isComplete(): boolean {
    return this.#builtAt !== undefined;
  }

  /** Builds the index, or rebuilds it when it is stale. Resolves when it is built; never rejects. */
  refresh(): Promise<void> {
    const isFresh = this.#builtAt !== undefined && this.#clock.now() - this.#builtAt < freshMs;
    if (isFresh || this.#closed.signal.aborted) return Promise.resolve();
    this.#building ??= this.#build().finally(() => (this.#building = undefined));
    return this.#building;
  }

  /** Returns the paths that match, the best first. */
  search(query: string, limit: number): readonly Ranked<string>[] {
    return ranked(this.#paths, query, { textOf: path => path, limit });
  }

  /** Ends the building. */
  close(): void {
    this.#closed.abort();
  }

  async #build(): Promise<void> {
    const paths: string[] = [];
    const isFirst = this.#builtAt === undefined;
    try {
      const walk = { signal: this.#closed.signal, skipped: new SkippedFiles() };
      for await (const path of walkFiles(this.#workspace, '', walk)) {
        if (paths.push(path) >= mostIndexed) break;
        if (paths.length % filesAtOnce > 0) continue;
        if (isFirst) this.#publish(paths);
        await new Promise(resolve => void setImmediate(resolve));
      }
    } catch {
      // A folder that disappears or cannot be read has the files that were found.
    }
    this.#builtAt = this.#clock.now();
    this.#publish(paths);
  }

  #publish(paths: readonly string[]): void {
    this.#paths = [...paths];
    this.#onChange();
  }
}
