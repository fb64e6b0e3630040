import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { installPackages, programCache } from './package-cache.ts';

/** Packages of other projects that tests run against: they are installed once into a cache folder, not with ours. */
export interface PeerPackages {
  /** Its folder in the cache; named after the versions, so that others get another one. */
  readonly folder: string;
  /** With their versions. */
  readonly packages: readonly string[];
}

/** Returns where packages are installed. */
export function peersFolder({ folder }: PeerPackages): string {
  return join(programCache, folder);
}

/** Whether the packages are installed, or may be; prints in one line what is skipped when not. */
export function peersReady(skipped: string, peers: PeerPackages): boolean {
  if (process.env['CI'] || existsSync(peersFolder(peers))) return true;
  console.warn(`SKIPPED ${skipped}: ${peers.packages.join(', ')} are not installed. CI=true npm test installs them.`);
  return false;
}

/** Installs the packages when they are missing, and returns their folder. */
export async function installPeers(peers: PeerPackages): Promise<string> {
  const folder = peersFolder(peers);
  await installPackages(folder, peers.packages, ['--legacy-peer-deps']);
  return folder;
}
