import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync, inflateSync } from 'node:zlib';
import { newId } from '../../../events/ids.ts';
import { hashContent } from './file-state.ts';

/** Stores contents by hash in the format of loose git objects, so contents that earlier versions stored are found. */
export class BlobStore {
  readonly #objects: string;
  /** The folders of objects that exist. */
  readonly #folders = new Set<string>();

  constructor(folder: string) {
    this.#objects = join(folder, 'objects');
  }

  /** Identifies the current store directory; changes when the store is cleared. */
  get generation(): number | undefined {
    return statSync(this.#objects, { throwIfNoEntry: false })?.ino;
  }

  /** Creates the store, and clears it first when it is larger than `maxBytes`. */
  open(maxBytes: number): void {
    if (this.#size() > maxBytes) rmSync(this.#objects, { recursive: true, force: true });
    this.#folders.clear();
    mkdirSync(this.#objects, { recursive: true, mode: 0o700 });
  }

  /** Stores a content; returns its hash. */
  put(bytes: Uint8Array): string {
    const hash = hashContent(bytes);
    const file = this.#file(hash);
    if (existsSync(file)) return hash;
    const folder = join(this.#objects, hash.slice(0, 2));
    if (!this.#folders.has(folder)) mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.#folders.add(folder);
    const written = join(folder, `new-${newId()}`);
    const object = Buffer.concat([Buffer.from(`blob ${bytes.length}\0`), bytes]);
    writeFileSync(written, deflateSync(object, { level: 1 }), { mode: 0o600 });
    renameSync(written, file);
    return hash;
  }

  /** Returns a content; throws when it is not stored whole. */
  get(hash: string): Buffer {
    const object = inflateSync(readFileSync(this.#file(hash)));
    const bytes = object.subarray(object.indexOf(0) + 1);
    if (hashContent(bytes) !== hash) throw new Error(`The stored content ${hash} is damaged`);
    return bytes;
  }

  #file(hash: string): string {
    return join(this.#objects, hash.slice(0, 2), hash.slice(2));
  }

  #size(): number {
    if (!existsSync(this.#objects)) return 0;
    const files = readdirSync(this.#objects, { recursive: true, encoding: 'utf8' });
    // Another process may write and rename files concurrently.
    const size = (file: string) => statSync(join(this.#objects, file), { throwIfNoEntry: false })?.size ?? 0;
    return files.reduce((sum, file) => sum + size(file), 0);
  }
}
