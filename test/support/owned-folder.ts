import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A new temporary folder that does not outlive this process, also when it is killed. */
export interface OwnedFolder {
  readonly path: string;
  /** Resolves when the folder is removed. */
  remove(): Promise<void>;
}

/** Whose the folder is; by default this process's user. */
export interface FolderOwner {
  readonly uid?: number;
  readonly gid?: number;
}

/** Removes a folder when its input ends, which is when its owner is gone; what still writes there ends at the same time. */
const removal = `
trap '' INT TERM HUP
read -r line
round=0
until rm -rf "$1" || [ "$round" -ge 100 ]; do
  sleep 0.1
  round=$((round + 1))
done`;

/** Makes a folder whose name begins with the prefix. */
export function ownedFolder(prefix: string, owner: FolderOwner = {}): OwnedFolder {
  const path = mkdtempSync(join(tmpdir(), prefix));
  if (owner.uid !== undefined && owner.gid !== undefined) chownSync(path, owner.uid, owner.gid);
  const keeper = spawn('/bin/sh', ['-c', removal, 'sh', path], {
    ...owner,
    cwd: '/',
    env: { PATH: process.env['PATH'] },
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  keeper.unref();
  (keeper.stdin as Socket).unref();
  return {
    path,
    remove: async () => {
      const removed = once(keeper, 'exit');
      keeper.ref();
      keeper.stdin.end();
      await removed;
    },
  };
}
