import { createWriteStream } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { defined } from '../../events/defined.ts';
import { type LoggedEvent, SingletreeError } from '../../events/index.ts';
import { standardError, standardOutput } from '../../control/standard-output.ts';
import { readEvents } from '../../log/index.ts';
import { toLines } from '../../log/jsonl.ts';
import type { DocumentFormat } from '../../protocols/documents/thread-document.ts';
import { eventsWithoutSecrets } from '../../agents/redaction/redacted-events.ts';
import { packageVersion } from '../package-version.ts';
import type { StoreOptions } from '../settings/store-options.ts';
import { findThread } from './find-thread.ts';
import { withLog } from './with-log.ts';

interface ExportOptions extends StoreOptions {
  readonly format: DocumentFormat | 'jsonl';
  readonly output?: string;
  readonly withSecrets?: boolean;
}

/** `singletree export`: a thread as JSON lines or as a document, printed or in a new file. */
export function exportCommand(text: string, { format, output, ...options }: ExportOptions): Promise<void> {
  return withLog(options, async (log, redactor) => {
    const { id, title } = await findThread(log, text);
    const events = eventsWithoutSecrets(readEvents(log, id), redactor);
    if (format === 'jsonl') return output === undefined ? printEvents(events) : writeNew(output, toLines(events));
    const all: LoggedEvent[] = [];
    for await (const event of events) all.push(event);
    const images = output === undefined ? undefined : new ImageFolder(output);
    const shown = defined({ title: title && redactor.text(title) });
    const document = { threadId: id, ...shown, events: all, version: packageVersion() };
    const { writeDocument } = await import('../../protocols/documents/write-document.ts');
    const written = await writeDocument(format, document, images?.save);
    if (output === undefined) return void (await standardOutput.write(written));
    await writeNew(output, [written]);
    await images?.write();
  });
}

async function printEvents(events: AsyncIterable<LoggedEvent>): Promise<void> {
  for await (const event of events) if (!(await standardOutput.writeJson(event))) return;
}

/** Writes a file that only its owner can read; never over another one. */
async function writeNew(file: string, pieces: AsyncIterable<string> | Iterable<string>): Promise<void> {
  try {
    await pipeline(Readable.from(pieces), createWriteStream(file, { flags: 'wx', mode: 0o600 }));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST')
      throw new SingletreeError('invalid_argument', `"${file}" exists already. Name a new file, or remove it first.`);
    if (code === 'ENOENT')
      throw new SingletreeError('invalid_argument', `There is no folder "${dirname(file)}" to write "${file}" in.`);
    throw error;
  }
  await standardError.write(`Wrote ${file}\n`);
}

/** The images of a document, in a folder beside it. */
class ImageFolder {
  readonly #folder: string;
  readonly #place: string;
  readonly #images: { readonly name: string; readonly data: string }[] = [];

  constructor(file: string) {
    this.#folder = `${basename(file, extname(file))}-images`;
    this.#place = dirname(file);
  }

  readonly save = ({ mediaType, data }: { readonly mediaType: string; readonly data: string }): string => {
    const name = `${this.#images.length + 1}.${mediaType.replace('image/', '')}`;
    this.#images.push({ name, data });
    return `${this.#folder}/${name}`;
  };

  async write(): Promise<void> {
    if (this.#images.length > 0) await mkdir(join(this.#place, this.#folder), { mode: 0o700 });
    for (const { name, data } of this.#images)
      await writeFile(join(this.#place, this.#folder, name), data, { encoding: 'base64', mode: 0o600, flag: 'wx' });
  }
}
