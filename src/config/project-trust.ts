import { mkdirSync, readFileSync, realpathSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isObject } from '../base/options/option-fields.ts';
import { SingletreeError } from '../base/singletree-error.ts';

/** The folders whose configuration a person trusts, by real path, in one file of the data folder. */
export class TrustedFolders {
  readonly #home: string;

  constructor(home: string) {
    this.#home = home;
  }

  /** The real paths of the trusted folders, with the time of the decision. */
  list(): Readonly<Record<string, string>> {
    let text: string;
    try {
      text = readFileSync(this.#file, 'utf8');
    } catch {
      return {};
    }
    try {
      const stored: unknown = JSON.parse(text);
      if (isObject(stored)) return stored as Record<string, string>;
    } catch {
      // Reported below, like any other content that is not a list of folders.
    }
    throw new SingletreeError(
      'invalid_config',
      `${this.#file} is damaged. Expected a JSON object of folders; remove the file to decide again.`,
    );
  }

  isTrusted(folder: string): boolean {
    return Object.hasOwn(this.list(), realpathSync(folder));
  }

  add(folder: string, now: Date = new Date()): void {
    this.#write({ ...this.list(), [realpathSync(folder)]: now.toISOString() });
  }

  /** Returns whether the folder was trusted before. */
  remove(folder: string): boolean {
    const { [realpathSync(folder)]: removed, ...others } = this.list();
    if (removed !== undefined) this.#write(others);
    return removed !== undefined;
  }

  get #file(): string {
    return join(this.#home, 'trusted-folders.json');
  }

  #write(folders: Readonly<Record<string, string>>): void {
    mkdirSync(this.#home, { recursive: true, mode: 0o700 });
    const draft = `${this.#file}.${process.pid}`;
    writeFileSync(draft, `${JSON.stringify(folders, undefined, 2)}\n`, { mode: 0o600 });
    renameSync(draft, this.#file);
  }
}
