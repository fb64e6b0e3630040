import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const cache = join(homedir(), '.cache', 'singletree-bench-peers');

/**
 * Returns the folder in which packages of a peer are installed; they are installed when it is missing. Undefined, with a
 * line on standard error, when they cannot be.
 */
export function installPeer(name: string, packages: readonly string[]): string | undefined {
  const folder = join(cache, name);
  if (existsSync(folder)) return folder;
  mkdirSync(cache, { recursive: true });
  const made = mkdtempSync(`${folder}-`);
  try {
    const options = ['--no-audit', '--no-fund', '--legacy-peer-deps', '--prefix', made];
    execFileSync('npm', ['install', ...options, ...packages], { cwd: made, stdio: 'ignore', timeout: 600_000 });
    renameSync(made, folder);
    return folder;
  } catch (error) {
    rmSync(made, { recursive: true, force: true });
    console.error(`${name} cannot be installed: its rows are left out. ${String(error)}`);
    return undefined;
  }
}
