import { SingletreeError } from '../../base/singletree-error.ts';
import { processGuard } from './process-guard.ts';
import { endProcesses, type ShownProcess, type Surroundings } from './process-list.ts';
import { childVariable, hasLivingOwner, isGuardOfEnded, runVariable, threadMark } from './process-marks.ts';

/**
 * Ends the processes that an earlier owner of a run started on this machine, for this run, or for an earlier one of its
 * thread when that owner hangs, and waits until they have ended, and until the guard of the owner is done: it leaves what
 * an earlier turn left running on purpose. Throws `run_under_way` when a process cannot be ended.
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
