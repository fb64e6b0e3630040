import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { programCache } from '../cli-agents/support/real-program.ts';

/** Packages of other projects that tests run against: they are installed once into a cache folder, not with ours. */
export interface PeerPackages {
  /** Its folder in the cache; named after the versions, so that others get another one. */
  readonly folder: string;
  /** With their versions. */
  readonly packages: readonly string[];
}

/** Whether the packages are installed, or may be; prints in one line what is skipped when not. */
export function peersReady(skipped: string, { folder, packages }: PeerPackages): boolean {
  if (process.env['CI'] || existsSync(join(programCache, folder))) return true;
  console.warn(`SKIPPED ${skipped}: ${packages.join(', ')} are not installed. CI=true npm test installs them.`);
  return false;
}

/** Installs the packages when they are missing, and returns what loads them. */
export async function installPeers({ folder, packages }: PeerPackages): Promise<NodeJS.Require> {
  const place = join(programCache, folder);
  if (!existsSync(place)) {
    mkdirSync(programCache, { recursive: true });
    const made = mkdtempSync(`${place}-`);
    const args = ['install', '--no-audit', '--no-fund', '--legacy-peer-deps', '--prefix', made, ...packages];
    await promisify(execFile)('npm', args, { cwd: made, maxBuffer: 64 * 1024 * 1024 });
    try {
      renameSync(made, place);
    } catch (error) {
      // Another test was first.
      if (!existsSync(place)) throw error;
      rmSync(made, { recursive: true });
    }
  }
  return createRequire(join(place, 'peers.cjs'));
}
