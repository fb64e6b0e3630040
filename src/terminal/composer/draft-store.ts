import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { once } from '../../base/once.ts';
import { type Composer, emptyComposer } from './composer.ts';

/** The number of drafts that are kept. */
const mostDrafts = 200;

const draftSchema = once(() =>
  z.object({
    text: z.string(),
    cursor: z.int().min(0),
    isLiteral: z.boolean(),
    chips: z.array(
      z.union([
        z.object({ type: z.literal('paste'), text: z.string() }),
        z.object({ type: z.enum(['file', 'image']), path: z.string(), bytes: z.number() }),
      ]),
    ),
    stashed: z.array(z.object({ text: z.string(), cursor: z.int().min(0), isLiteral: z.boolean() })),
  }),
);

/** Drafts by thread, in files that only their owner can read: they survive a crash and a switch of the thread. */
export class DraftStore {
  readonly #folder: string;
  #written: Promise<void> = Promise.resolve();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Returns the draft of a thread; an empty one when none is stored or it cannot be read. */
  async load(threadId: string): Promise<Composer> {
    await this.#written;
    try {
      const kept = draftSchema().parse(JSON.parse(await readFile(this.#getFile(threadId), 'utf8')));
      return { ...emptyComposer, ...kept, cursor: Math.min(kept.cursor, kept.text.length) };
    } catch {
      return emptyComposer; // There is none, or it is damaged: it only saves typing.
    }
  }

  /** Keeps the draft of a thread; an empty one is removed. Resolves when it is written, or could not be. */
  save(threadId: string, { text, cursor, isLiteral, chips, stashed }: Composer): Promise<void> {
    const isEmpty = text === '' && stashed.length === 0;
    const kept = isEmpty ? undefined : JSON.stringify({ text, cursor, isLiteral, chips, stashed });
    this.#written = this.#written.then(() => this.#write(this.#getFile(threadId), kept)).catch(() => {});
    return this.#written;
  }

  async #write(file: string, kept: string | undefined): Promise<void> {
    if (kept === undefined) return rm(file, { force: true });
    const isNew = (await mkdir(this.#folder, { recursive: true, mode: 0o700 })) !== undefined;
    if (!isNew) await this.#removeOldest();
    await writeFile(`${file}.new`, kept, { mode: 0o600 });
    await rename(`${file}.new`, file);
  }

  async #removeOldest(): Promise<void> {
    const names = await readdir(this.#folder);
    if (names.length <= mostDrafts) return;
    const files = await Promise.all(
      names.map(async name => ({ name, at: (await stat(join(this.#folder, name))).mtimeMs })),
    );
    const oldest = files.toSorted((one, other) => one.at - other.at).slice(0, files.length - mostDrafts);
    await Promise.all(oldest.map(({ name }) => rm(join(this.#folder, name), { force: true })));
  }

  #getFile(threadId: string): string {
    return join(this.#folder, `${encodeURIComponent(threadId).replaceAll('.', '%2e').slice(0, 200)}.json`);
  }
}
