import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Returns the file with the token for this user's servers on this machine. */
export function machineTokenFile(home: string): string {
  return join(home, 'token');
}

/** Returns the token of this machine; undefined when it is missing or readable by others. */
export function readMachineToken(home: string): string | undefined {
  const file = machineTokenFile(home);
  try {
    if ((statSync(file).mode & 0o077) !== 0) return undefined;
    return readFileSync(file, 'utf8').trim() || undefined;
  } catch {
    return undefined; // There is none, or it belongs to another person.
  }
}

/** Returns the token of this machine; creates one, readable only by this user, when it is missing. */
export function ensureMachineToken(home: string): string {
  const known = readMachineToken(home);
  if (known !== undefined) return known;
  const file = machineTokenFile(home);
  const draft = `${file}.${process.pid}`;
  const token = randomBytes(32).toString('base64url');
  mkdirSync(home, { recursive: true });
  writeFileSync(draft, `${token}\n`, { mode: 0o600 });
  try {
    linkSync(draft, file);
    return token;
  } catch {
    // Another server created the file at the same time, or the existing file is readable by others.
    const made = readMachineToken(home);
    if (made !== undefined) return made;
    renameSync(draft, file);
    return token;
  } finally {
    rmSync(draft, { force: true });
  }
}
