import { mkdirSync } from 'node:fs';
import { type FileHandle, open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { rawRecord } from '../../agents/cli/saved/raw-record.ts';
import type { AgentEvent } from '../../events/index.ts';
import type { RawLine } from '../../log/index.ts';

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

  /** Opens the record of a run; that of a resumed run continues. */
  static async open(folder: string, { isResumed = false } = {}): Promise<RunRecord> {
    mkdirSync(folder, { recursive: true });
    const flags = isResumed ? 'a' : 'w';
    return new RunRecord(
      folder,
      await open(join(folder, 'raw.jsonl'), flags),
      await open(join(folder, 'events.jsonl'), flags),
    );
  }

  async raw(line: RawLine): Promise<void> {
    await this.#raw.appendFile(`${JSON.stringify(rawRecord(line))}\n`);
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
