import type { OpenCall, OpenRun, RequestState } from './open.ts';

/** Whether a request works or only waits for people; `uncertain` while a call has not started that may still be asked about. */
export type RequestStanding = 'working' | 'waiting' | 'uncertain';

/** Returns whether every open run of a request waits for a person, or for a run that does. */
export function findStanding({ runs, relays }: RequestState): RequestStanding {
  if (relays.size === 0) return 'working';
  let standing: RequestStanding = 'waiting';
  const causes = new Set<OpenRun | OpenCall>();
  for (const run of runs.youngestFirst()) {
    let isIdle = !causes.has(run) && run.relays.size === 0;
    for (const call of run.calls) {
      if (call.relays.size === 0 && !causes.has(call)) {
        if (call.started) return 'working';
        standing = 'uncertain';
      }
      isIdle = false;
    }
    if (isIdle || run.isWriting || (run.inputs.size > 0 && !run.isComplete)) return 'working';
    const cause = run.cause ?? run.parent;
    if (cause !== undefined) causes.add(cause);
  }
  return standing;
}
