import type { RunRecord } from './outlined-run.ts';

/** How many runs of one message that reported no start are kept. */
const mostVoices = 16;

/** The runs that still matter, and how many of them each node started. */
export class OutlinedRuns {
  readonly #runs = new Map<string, RunRecord>();
  readonly #started = new Map<string, number>();

  get(runId: string): RunRecord | undefined {
    return this.#runs.get(runId);
  }

  /** The run of an id, or of the start that it names. */
  named(id: string): RunRecord | undefined {
    return (
      this.#runs.get(id) ?? (id.endsWith(startSuffix) ? this.#runs.get(id.slice(0, -startSuffix.length)) : undefined)
    );
  }

  /** Adds a run that is not there. */
  add(run: RunRecord): void {
    this.#runs.set(run.runId, run);
    this.#count(run.parentId, 1);
  }

  delete(run: RunRecord): void {
    if (this.#runs.delete(run.runId)) this.#count(run.parentId, -1);
  }

  /** All runs, oldest first; runs may be deleted meanwhile. */
  all(): Iterable<RunRecord> {
    return this.#runs.values();
  }

  /** Whether a tracked run names a node as its cause. */
  hasStarted(nodeId: string): boolean {
    return this.#started.has(nodeId);
  }

  /** Whether one of them was started by a run, or by the start of that run. */
  hasStartedIn(runId: string): boolean {
    return this.hasStarted(runId) || this.hasStarted(`${runId}${startSuffix}`);
  }

  /** The oldest voices of a message, when it has too many. */
  surplusVoices(parentId: string | undefined): readonly RunRecord[] {
    const voices = [...this.#runs.values()].filter(run => run.isVoice && run.parentId === parentId);
    return voices.slice(0, -mostVoices);
  }

  #count(parentId: string | undefined, added: 1 | -1): void {
    if (parentId === undefined) return;
    const count = (this.#started.get(parentId) ?? 0) + added;
    if (count === 0) this.#started.delete(parentId);
    else this.#started.set(parentId, count);
  }
}

const startSuffix = ':harness_start';
