import { hostname } from 'node:os';
import { newId } from '../../events/index.ts';

/** Names this process as an owner of leases: host, process id, and a unique id. */
export function processOwner(): string {
  return `${hostname()}/${process.pid}/${newId()}`;
}

/** Whether an owner was a process of this machine that has ended. */
export function isEndedProcess(owner: string): boolean {
  const [host, pid, ...rest] = owner.split('/');
  if (host !== hostname() || rest.length !== 1 || !/^\d+$/.test(pid ?? '')) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH';
  }
}
