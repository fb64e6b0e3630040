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
