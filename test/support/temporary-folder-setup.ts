import { chmodSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { type OwnedFolder, ownedFolder } from './owned-folder.ts';
import { systemFolderVariable } from './system-folder.ts';

let folder: OwnedFolder | undefined;

/** Gives all tests of a run one temporary folder, which is removed when the run ends. */
export function setup(): void {
  if (process.env[systemFolderVariable] !== undefined) return;
  process.env[systemFolderVariable] = tmpdir();
  // The name is short, for the paths of sockets.
  folder = ownedFolder('st-');
  // As the folder of the system: servers that run as another user have theirs here, and remove them.
  chmodSync(folder.path, 0o1777);
  process.env['TMPDIR'] = folder.path;
}

export async function teardown(): Promise<void> {
  if (folder === undefined) return;
  process.env['TMPDIR'] = process.env[systemFolderVariable];
  await folder.remove();
  folder = undefined;
}
