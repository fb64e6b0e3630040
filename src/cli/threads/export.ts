import { homedir } from 'node:os';
import { printJson } from '../print.ts';
import { createWriteStream } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { toWrittenMessages } from '../../agents/cli/sessions/written-session.ts';
import { eventsWithoutSecrets } from '../../agents/redaction/redacted-events.ts';
import { standardError, standardOutput } from '../../control/standard-output.ts';
import { defined } from '../../base/defined.ts';
import type { LoggedEvent } from '../../events/vocabulary.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import { createConversation, reduceConversation } from '../../graph/conversation/conversation.ts';
import { defaultActive } from '../../graph/conversation/active.ts';
import { readEvents } from '../../log/read-events.ts';
import type { Thread } from '../../log/event-log.ts';
import { toLines } from '../../log/jsonl.ts';
import { projectMessages } from '../../projections/model-input/project-messages.ts';
import { type DocumentFormat, documentFormats } from '../../protocols/documents/thread-document.ts';
import { packageVersion } from '../package-version.ts';
import type { StoreOptions } from '../settings/store-options.ts';
import { findThread } from './find-thread.ts';
import { withLog } from '../settings/site.ts';

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
    if (format === 'jsonl') return output === undefined ? printJson(events) : writeNew(output, toLines(events));
    if (!isDocument(format)) return exportSession(format, thread, events, output);
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

/** Collects the images of a document and writes them to a folder next to it. */
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

/** Returns a model as programs with several providers name it; undefined when its provider is not known. */
function toProviderModel(model: string, provider: string | undefined): string | undefined {
  if (model.includes('/')) return model;
  return provider === undefined ? undefined : `${provider}/${model}`;
}

/** Writes the active branch of a thread as a session that an external agent continues, to a new file or folder. */
async function exportSession(
  agentId: string,
  { metadata }: Thread,
  events: AsyncIterable<LoggedEvent>,
  output: string | undefined,
): Promise<void> {
  const { cliAdapters } = await import('../../agents/cli/adapters/cli-adapters.ts');
  const format = cliAdapters[agentId]?.session;
  if (format === undefined) throw new SingletreeError('invalid_argument', `No session of "${agentId}" can be written.`);
  let conversation = createConversation();
  let model: string | undefined;
  for await (const event of events) {
    conversation = reduceConversation(conversation, event);
    if (event.type === 'harness_start' && event.model !== undefined)
      model = toProviderModel(event.model, cliAdapters[event.agentId]?.prices) ?? model;
  }
  const messages = toWrittenMessages(projectMessages(conversation, defaultActive(conversation)));
  const { cwd } = metadata;
  const place = {
    cwd: typeof cwd === 'string' ? cwd : process.cwd(),
    home: homedir(),
    environment: process.env,
    model,
  };
  const way = format.handOver?.('print', place);
  const named = way?.by === 'import' ? way.model : undefined;
  const written = format.write({
    messages,
    cwd: place.cwd,
    time: Date.now(),
    model: named,
    findFolder: () => resolve(output ?? '.'),
  });
  const [main, ...others] = written.files;
  if (main === undefined) return;
  if (output === undefined) {
    if (others.length > 0)
      throw new SingletreeError(
        'invalid_argument',
        `A session of ${agentId} has several files. Name a folder: -o FOLDER`,
      );
    await standardOutput.write(main.text);
    return;
  }
  if (others.length > 0) await mkdir(output, { recursive: true, mode: 0o700 });
  const path = others.length > 0 ? join(output, main.name) : output;
  await writeNew(path, [main.text]);
  for (const { name, text } of others) await writeNew(join(dirname(path), name), [text]);
  await standardError.write(`Continue it: ${written.continueFrom(resolve(path))}\n`);
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
