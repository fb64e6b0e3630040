import { checkId, checkRange, checkRawLines } from '../checks.ts';
import type { RawLine } from '../event-log.ts';
import type { RawLineTable } from './raw-line-table.ts';

/** The raw lines of the runs of a thread, checked and in their order. */
export class RawLines {
  readonly #table: RawLineTable;

  constructor(table: RawLineTable) {
    this.#table = table;
  }

  append(thread: number, runId: string, lines: readonly RawLine[]): void {
    checkId('run id', runId);
    const run = this.#table.run(thread, runId);
    checkRawLines(runId, run?.last ?? 0, lines);
    const into = run ?? this.#table.addRun(thread, runId);
    this.#table.insert(into, lines);
  }

  read(thread: number, runId: string, range?: { readonly after?: number; readonly limit?: number }): RawLine[] {
    const { after, limit } = checkRange(range);
    const run = this.#table.run(thread, runId);
    return run === undefined ? [] : this.#table.read(run, { after, limit });
  }
}
