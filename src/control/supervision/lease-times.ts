import type { EventLog } from '../../log/event-log.ts';

/** The default duration of a lease without renewal when owners run on several machines. */
export const remoteLeaseMs = 15_000;

/**
 * The default on one machine, where an owner that has ended is noticed at once: an owner that is only late, because the
 * machine slept or a tool blocked the event loop, keeps its runs.
 */
export const localLeaseMs = 60_000;

/** How long a lease lasts without renewal by default, in milliseconds. */
export function defaultLeaseMs({ isLocal }: Pick<EventLog, 'isLocal'>): number {
  return isLocal === true ? localLeaseMs : remoteLeaseMs;
}

/** How often it is looked whether the owner of a run was a process of this machine that has ended, in milliseconds. */
export const ownerCheckMs = 1_000;

/** How often a lease is renewed, and runs without an owner are searched, in milliseconds. */
export function renewalMs(leaseMs: number): number {
  return Math.min(leaseMs, remoteLeaseMs) / 3;
}
