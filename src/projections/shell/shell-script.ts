import { scriptOfShell } from './shell-carrier.ts';
import { readStrictly } from './strict-line.ts';

/** Returns the script of a line that only starts a shell for it, as in `/bin/bash -lc '…'`; undefined for any other. */
export function scriptOfLine(line: string): string | undefined {
  const strict = readStrictly(line);
  const [command, ...others] = strict?.commands ?? [];
  if (strict === undefined || command === undefined || others.length > 0 || strict.usesFiles) return undefined;
  return command.assigned.length === 0 ? scriptOfShell(command.words) : undefined;
}
