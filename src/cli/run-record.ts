import { mkdirSync } from 'node:fs';
import { type FileHandle, open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentEvent } from '../events/index.ts';
import type { RawLine } from '../log/index.ts';

/** The folder of a run: `raw.jsonl` and `events.jsonl` grow during the run, `run.json` describes it and its outcome. */
export class RunRecord {
  readonly folder: string;
  readonly #raw: FileHandle;
  readonly #events: FileHandle;

  private constructor(folder: string, raw: FileHandle, events: FileHandle) {
    this.folder = folder;
    this.#raw = raw;
    this.#events = events;
  }

  static async open(folder: string): Promise<RunRecord> {
    mkdirSync(folder, { recursive: true });
    return new RunRecord(
      folder,
      await open(join(folder, 'raw.jsonl'), 'w'),
      await open(join(folder, 'events.jsonl'), 'w'),
    );
  }

  async raw(line: RawLine): Promise<void> {
    await this.#raw.appendFile(`${JSON.stringify(rawJson(line))}\n`);
  }

  async event(event: AgentEvent): Promise<void> {
    await this.#events.appendFile(`${JSON.stringify(event)}\n`);
  }

  async describe(description: object): Promise<void> {
    await writeFile(join(this.folder, 'run.json'), `${JSON.stringify(description, undefined, 2)}\n`);
  }

  async close(): Promise<void> {
    await Promise.all([this.#raw.close(), this.#events.close()]);
  }
}

/** Encodes a line as text with its ending; as base64 when its bytes are not text. */
function rawJson({ n, ts, stream, line }: RawLine): object {
  const bytes = Buffer.from(line);
  const text = bytes.toString('utf8');
  return Buffer.from(text).equals(bytes)
    ? { n, ts, stream, line: text }
    : { n, ts, stream, base64: bytes.toString('base64') };
}
