import { mkdir, writeFile } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { defined } from '../../events/defined.ts';
import { type LoggedEvent, SingletreeError } from '../../events/index.ts';
import { standardOutput } from '../../control/standard-output.ts';
import { readEvents } from '../../log/index.ts';
import { toLines } from '../../log/jsonl.ts';
import { type DocumentFormat, documentFormats } from '../../protocols/documents/thread-document.ts';
import { eventsWithoutSecrets } from '../../agents/redaction/redacted-events.ts';
import { packageVersion } from '../package-version.ts';
import type { StoreOptions } from '../settings/store-options.ts';
import { findThread } from './find-thread.ts';
import { withLog } from './with-log.ts';
import { writeNew } from './write-new.ts';

interface ExportOptions extends StoreOptions {
  /** A document, the events, or the id of an external agent whose session is written. */
  readonly format: string;
  readonly output?: string;
  readonly withSecrets?: boolean;
  readonly content?: boolean;
  readonly open?: boolean;
}

/** `singletree export`: a thread as JSON lines, as a document or as a session of an external agent, printed or in a new file. */
export async function exportCommand(
  text: string,
  { format, output, content, open, ...options }: ExportOptions,
): Promise<void> {
  if (format !== 'otlp' && (content === true || open === true))
    throw new SingletreeError(
      'invalid_argument',
      `The format "${format}" has no --content and no --open. Use them with --format otlp.`,
    );
  return withLog(options, async (log, redactor) => {
    const thread = await findThread(log, text);
    const { id, title, branchedFrom } = thread;
    const events = eventsWithoutSecrets(readEvents(log, id), redactor);
    if (format === 'jsonl') return output === undefined ? printEvents(events) : writeNew(output, toLines(events));
    if (!isDocument(format)) {
      const { exportSession } = await import('./export-session.ts');
      return exportSession(format, thread, events, output);
    }
    const all: LoggedEvent[] = [];
    for await (const event of events) all.push(event);
    const images = output === undefined ? undefined : new ImageFolder(output);
    const shown = defined({ title: title && redactor.text(title), branchedFrom });
    const document = { threadId: id, ...shown, events: all, version: packageVersion() };
    const { writeDocument } = await import('../../protocols/documents/write-document.ts');
    const written = await writeDocument(format, document, {
      saveImage: images?.save,
      ...defined({ content, open }),
    });
    if (output === undefined) return void (await standardOutput.write(written));
    await writeNew(output, [written]);
    await images?.write();
  });
}

function isDocument(format: string): format is DocumentFormat {
  return Object.hasOwn(documentFormats, format);
}

async function printEvents(events: AsyncIterable<LoggedEvent>): Promise<void> {
  for await (const event of events) if (!(await standardOutput.writeJson(event))) return;
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
