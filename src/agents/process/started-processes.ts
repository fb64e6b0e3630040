import { setTimeout as sleep } from 'node:timers/promises';
import type { GuardedProcess } from './guarded-process.ts';
import { processGuard } from './process-guard.ts';
import { endProcesses, listProcesses, type ShownProcess } from './process-list.ts';
import { childVariable } from './process-marks.ts';

const stepMs = 25;
/** The time in which the processes of an interrupted turn may end by themselves. */
const settleMs = 500;

/**
 * What a program started, wherever it moved: found by the mark in the environment. It may leave processes running at the
 * normal end of a turn; all others end with the turn.
 */
export class StartedProcesses {
  readonly #mark: string;
  /** The program itself and what belongs to it, and what it left on purpose. */
  readonly #kept = new Set<number>();

  constructor({ mark, pid }: Pick<GuardedProcess, 'mark' | 'pid'>) {
    this.#mark = `${childVariable}=${mark}`;
    if (pid !== undefined) this.#kept.add(pid);
  }

  /** Counts what runs now as a part of the program: it is not the work of a turn. */
  async keepProgram(): Promise<void> {
    for (const pid of this.#find(await listProcesses())) this.#kept.add(pid);
  }

  /** Leaves what runs now for good, also when this process is gone. */
  async leave(): Promise<void> {
    const left = this.#find(await listProcesses());
    for (const pid of left) this.#kept.add(pid);
    processGuard.spare(left);
  }

  /** Whether nothing of a turn runs any more, or stops running within a moment. */
  async areOver(): Promise<boolean> {
    for (let waitedMs = 0; ; waitedMs += stepMs) {
      if (this.#find(await listProcesses()).length === 0) return true;
      if (waitedMs >= settleMs) return false;
      await sleep(stepMs);
    }
  }

  /** Ends everything that is not kept, and waits for its end. */
  async end(): Promise<void> {
    await endProcesses(processes => ({ end: this.#find(processes) }));
  }

  #find(processes: readonly ShownProcess[]): number[] {
    const started = new Set(processes.flatMap(({ pid, shown }) => (shown.includes(this.#mark) ? [pid] : [])));
    // The system may give the id of a process that has ended to another one.
    for (const pid of this.#kept) if (!started.has(pid)) this.#kept.delete(pid);
    return [...started].filter(pid => !this.#kept.has(pid));
  }
}
