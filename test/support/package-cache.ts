import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

/** Where programs and packages of other projects are installed, once for all test runs; outside the repository. */
export const programCache: string =
  process.env['SINGLETREE_CLI_CACHE'] ?? join(homedir(), '.cache', 'singletree-test-programs');

/** Installs packages into a folder unless it exists. The folder appears when it is complete, also for other processes. */
export async function installPackages(
  folder: string,
  packages: readonly string[],
  options: readonly string[] = [],
): Promise<void> {
  if (existsSync(folder)) return;
  mkdirSync(dirname(folder), { recursive: true });
  const made = mkdtempSync(`${folder}-`);
  try {
    const args = ['install', '--no-audit', '--no-fund', ...options, '--prefix', made, ...packages];
    await promisify(execFile)('npm', args, { cwd: made, maxBuffer: 64 * 1024 * 1024 });
    renameSync(made, folder);
  } catch (error) {
    rmSync(made, { recursive: true, force: true });
    // Another process may have been first.
    if (!existsSync(folder)) throw error;
  }
}
