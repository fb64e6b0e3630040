import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type * as z from 'zod';
import { SingletreeError } from '../base/singletree-error.ts';

interface PrivateFileOptions<Content> {
  readonly path: string;
  readonly schema: () => z.ZodType<Content>;
  /** The content while there is no file. */
  readonly empty: Content;
  /** The name of the content in error messages: "keys". */
  readonly has: string;
  /** The shape of a valid file, and how to repair a damaged one, for error messages. */
  readonly expected: string;
}

/**
 * A JSON file that only its owner can read and change. It is read whenever its content is asked for and has changed: what
 * one process stores, another one uses without a restart.
 */
export class PrivateFile<Content> {
  readonly #options: PrivateFileOptions<Content>;
  #read: { readonly stamp: string; readonly content: Content } | undefined;

  constructor(options: PrivateFileOptions<Content>) {
    this.#options = options;
  }

  /** Reads the content. Throws `invalid_config` for a file that is damaged or readable by others. */
  load(): Content {
    const { path, schema, empty, has, expected } = this.#options;
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined) return empty;
    if ((found.mode & 0o077) !== 0)
      throw new SingletreeError(
        'invalid_config',
        `${path} has ${has} and can be read by others. Make it your own with: chmod 600 ${path}`,
      );
    const stamp = `${found.ino} ${found.mtimeMs} ${found.size}`;
    if (this.#read?.stamp === stamp) return this.#read.content;
    const parsed = schema().safeParse(parseFile(path));
    // The problems that zod names can contain a key.
    if (!parsed.success) throw new SingletreeError('invalid_config', `${path} is damaged. Expected ${expected}`);
    this.#read = { stamp, content: parsed.data };
    return parsed.data;
  }

  write(next: Content): void {
    const { path } = this.#options;
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const draft = `${path}.${process.pid}`;
    writeFileSync(draft, `${JSON.stringify(next, undefined, 2)}\n`, { mode: 0o600 });
    renameSync(draft, path);
    this.#read = undefined;
  }
}

function parseFile(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as unknown;
  } catch {
    return undefined; // Reported like any other content that is not expected.
  }
}
