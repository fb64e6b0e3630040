import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import { isRunning } from './process-state.ts';

/** The variable that identifies a child and its descendants to the guard. */
export const childVariable = 'SINGLETREE_CHILD';
/** The variable that identifies the run, and its owner, that a process works for; then the runs around that one. */
export const runVariable = 'SINGLETREE_RUN';
/** The variable that identifies the owner of a guard. */
export const guardVariable = 'SINGLETREE_GUARD';

/** The variable that names the span that a process belongs to, in the form of a `traceparent` header. */
export const traceVariable = 'TRACEPARENT';

/** The length of the half of a run's mark that all runs of its thread under the same owner have. */
const threadPart = 16;

/** The mark of the processes of a run and of its subagents' runs under this owner. */
export function runMark(owner: string | undefined, threadId: string, runId: string): string {
  const thread = [owner ?? null, threadId];
  return `${hashed(thread)}${hashed([...thread, runId])}`;
}

/** Returns the common prefix of the marks of all runs of a thread and owner: a process may serve several runs. */
export function threadMark(mark: string): string {
  return mark.slice(0, threadPart);
}

function hashed(name: readonly (string | null)[]): string {
  return createHash('sha256').update(JSON.stringify(name)).digest('hex').slice(0, threadPart);
}

/** The mark of the guard of this process. */
export function guardMark(): string {
  return `${hostname()}/${process.pid}`;
}

/** Whether the process that started a child still runs; also true when the child does not show which one it was. */
export function hasLivingOwner(shown: string): boolean {
  const [, pid] = new RegExp(`\\b${childVariable}=[^.\\s]+\\.\\d+\\.(\\d+)`).exec(shown) ?? [];
  return pid === undefined || isRunning(Number(pid));
}

/** Whether the visible data of a process identify it as the guard of this owner, a process of this machine that has ended. */
export function isGuardOfEnded(owner: string, shown: string): boolean {
  const [, host, pid] = new RegExp(`\\b${guardVariable}=(\\S+)/(\\d+)\\b`).exec(shown) ?? [];
  // The owner names the start of its process after its id.
  const isOwners = ['/', '.'].some(end => owner.startsWith(`${host}/${pid}${end}`));
  return host === hostname() && isOwners && !isRunning(Number(pid));
}
