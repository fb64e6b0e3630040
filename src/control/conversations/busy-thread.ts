import type { Clock } from '../../agents/clock.ts';
import { SingletreeError } from '../../base/singletree-error.ts';

/** How long to wait, and how often, while somebody else begins or ends a run of a thread. */
export const busy = { ms: 100, tries: 20 };

type BusyCode = 'seq_conflict' | 'once_conflict' | 'lease_held' | 'run_under_way';

/** Whether an error says that another caller or process came first, or holds the thread or its queue. */
export function isBusy(
  error: unknown,
  codes: readonly BusyCode[] = ['seq_conflict', 'once_conflict', 'lease_held', 'run_under_way'],
): boolean {
  return codes.some(code => SingletreeError.is(error, code));
}

/** Tries again while an attempt fails with one of these codes. */
export async function retryWhileBusy<Result>(
  attempt: () => Promise<Result>,
  { clock, codes }: { readonly clock: Clock; readonly codes: readonly BusyCode[] },
): Promise<Result> {
  for (let tries = 1; ; tries++)
    try {
      return await attempt();
    } catch (error) {
      if (!isBusy(error, codes) || tries >= busy.tries) throw error;
      await new Promise<void>(resolve => void clock.after(busy.ms, resolve));
    }
}
