import { mkdirSync, readFileSync, realpathSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { once } from '../base/once.ts';

const content = once(() => z.array(z.object({ folder: z.string(), openedAt: z.string() })));

/** A folder that a person opened, by its real path, and when. */
export type RecentProject = z.infer<ReturnType<typeof content>>[number];

const most = 50;

/** The folders that a person opened in a terminal or on the page, in one file of the data folder. */
export class RecentProjects {
  readonly #home: string;

  constructor(home: string) {
    this.#home = home;
  }

  /** The newest first; empty when none was opened, or the file is damaged. */
  list(): readonly RecentProject[] {
    try {
      return content().parse(JSON.parse(readFileSync(this.#file, 'utf8')));
    } catch {
      return []; // It only saves people from looking for a folder again.
    }
  }

  /** Notes that a folder was opened; throws when it does not exist. */
  add(folder: string, now: Date = new Date()): void {
    const real = realpathSync(folder);
    const others = this.list().filter(each => each.folder !== real);
    mkdirSync(this.#home, { recursive: true, mode: 0o700 });
    const draft = `${this.#file}.${process.pid}`;
    const projects = [{ folder: real, openedAt: now.toISOString() }, ...others].slice(0, most);
    writeFileSync(draft, `${JSON.stringify(projects, undefined, 2)}\n`, { mode: 0o600 });
    renameSync(draft, this.#file);
  }

  get #file(): string {
    return join(this.#home, 'projects.json');
  }
}
