import { SingletreeError } from '../../base/singletree-error.ts';
import { processGuard } from './process-guard.ts';
import { endProcesses, type ShownProcess, type Surroundings, listProcesses } from './process-list.ts';
import { childVariable, hasLivingOwner, isGuardOfEnded, runVariable, threadMark } from './process-marks.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import type { GuardedProcess } from './guarded-process.ts';

/**
 * Ends the processes that an earlier owner of a run started on this machine, for this run, or for an earlier one of its
 * thread when that owner hangs, and waits until they and the guard of the owner have ended. Does not end processes that
 * an earlier turn kept running on purpose. Throws `run_under_way` when a process cannot be ended.
 */
export async function endOrphanedProcesses(
  runMark: string,
  { owner = '', ...surroundings }: Surroundings & { readonly owner?: string | undefined } = {},
): Promise<void> {
  const mark = `${runVariable}=${runMark}`;
  const ofThread = `${runVariable}=${threadMark(runMark)}`;
  const isOrphan = ({ shown }: ShownProcess) =>
    shown.includes(mark) ||
    (shown.includes(ofThread) && !shown.includes(`${childVariable}=${processGuard.id}.`) && hasLivingOwner(shown));
  const immortal = await endProcesses(
    processes => ({
      end: processes.filter(isOrphan).map(({ pid }) => pid),
      isWaiting: processes.some(({ shown }) => isGuardOfEnded(owner, shown)),
    }),
    surroundings,
  );
  if (immortal.length > 0) throw cannotEnd(immortal);
}

function cannotEnd(pids: readonly number[]): SingletreeError {
  return new SingletreeError(
    'run_under_way',
    `The run cannot be taken over: its earlier owner is gone, but some of its processes cannot be ended (${pids.join(', ')}). End them and try again.`,
    { details: { pids } },
  );
}

const stepMs = 25;
/** The time in which the processes of an interrupted turn may end by themselves. */
const settleMs = 500;

/**
 * The processes that a program started, found by the mark in their environment. Processes that still run at the normal
 * end of a turn may continue; all others end with the turn.
 */
export class StartedProcesses {
  readonly #mark: string;
  /** The program itself, its helper processes, and processes that may outlive a turn. */
  readonly #kept = new Set<number>();

  constructor({ mark, pid }: Pick<GuardedProcess, 'mark' | 'pid'>) {
    this.#mark = `${childVariable}=${mark}`;
    if (pid !== undefined) this.#kept.add(pid);
  }

  /** Registers the running processes as part of the program, not of a turn. */
  async keepProgram(): Promise<void> {
    for (const pid of this.#find(await listProcesses())) this.#kept.add(pid);
  }

  /** Lets the running processes continue, also after this process exits. */
  async leave(): Promise<void> {
    const left = this.#find(await listProcesses());
    for (const pid of left) this.#kept.add(pid);
    processGuard.spare(left);
  }

  /** Returns whether all processes of a turn have ended, after waiting for them for a short time. */
  async areOver(): Promise<boolean> {
    for (let waitedMs = 0; ; waitedMs += stepMs) {
      if (this.#find(await listProcesses()).length === 0) return true;
      if (waitedMs >= settleMs) return false;
      await sleep(stepMs);
    }
  }

  /** Ends all processes that are not kept, and waits until they have ended. */
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
