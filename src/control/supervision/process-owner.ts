import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { newId } from '../../events/index.ts';

/** Names this process as an owner of leases: host, process id, and a unique id. */
export function processOwner(): string {
  return `${hostname()}/${process.pid}/${newId()}`;
}

/** Whether an owner was a process of this machine that has ended, also one that its parent has not collected yet. */
export function isEndedProcess(owner: string): boolean {
  const [host, pid, ...rest] = owner.split('/');
  if (host !== hostname() || rest.length !== 1 || !/^\d+$/.test(pid ?? '')) return false;
  try {
    process.kill(Number(pid), 0);
    return isZombie(Number(pid));
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH';
  }
}

/** Whether a process has ended and still has its id; known on Linux only. */
function isZombie(pid: number): boolean {
  try {
    return /^\d+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}
