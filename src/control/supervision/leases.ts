import { hostname } from 'node:os';
import { findProcessStart, isRunning } from '../../agents/process/process-state.ts';
import { newId } from '../../events/ids.ts';

let ownStart: string | undefined;

/** Names this process as an owner of leases: host, process id with its start, and a unique id. */
export function processOwner(): string {
  ownStart ??= findProcessStart(process.pid) ?? '';
  return `${hostname()}/${process.pid}${ownStart && `.${ownStart}`}/${newId()}`;
}

/**
 * Whether an owner was a process of this machine that has ended, also one that its parent has not collected yet, or whose
 * process id another process has now.
 */
export function isEndedProcess(owner: string): boolean {
  const [host, named = '', ...rest] = owner.split('/');
  const [, pid, start] = /^(\d+)(?:\.(.+))?$/.exec(named) ?? [];
  return host === hostname() && rest.length === 1 && pid !== undefined && !isRunning(Number(pid), start);
}

/** The name of the lease that the owner of the runs of a thread holds. */
export function threadLease(threadId: string): string {
  return `thread:${threadId}`;
}

/** The default duration of a lease without renewal when owners run on several machines. */
export const remoteLeaseMs = 15_000;

/**
 * The default on one machine, where an owner that has ended is noticed at once: an owner that is only late, because the
 * machine slept or a tool blocked the event loop, keeps its runs.
 */
export const localLeaseMs = 60_000;

/** How often to check whether the owner of a run was a process of this machine that has ended, in milliseconds. */
export const ownerCheckMs = 1_000;

/** How often a lease is renewed, and runs without an owner are searched, in milliseconds. */
export function renewalMs(leaseMs: number): number {
  return Math.min(leaseMs, remoteLeaseMs) / 3;
}
