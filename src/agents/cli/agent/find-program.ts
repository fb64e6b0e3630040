import { defined } from '../../../base/defined.ts';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import type { CliAdapter } from '../contract/cli-adapter.ts';
import { environmentFor } from '../../process/environment.ts';
import { lineText } from '../../process/line-reader.ts';
import { runProcess } from '../../process/run-process.ts';

/** The state of a program on this machine. */
export interface FoundProgram {
  /** The path of the program; absent when it is not installed. */
  readonly path?: string;
  /** Its reported version; absent when it does not report one in time. */
  readonly version?: string;
  /** Whether a key or a login was found; it is not verified. */
  readonly hasCredentials: boolean;
}

export interface Surroundings {
  readonly env: NodeJS.ProcessEnv;
  readonly home: string;
  /** The time limit for reporting a version, in milliseconds. */
  readonly timeoutMs: number;
}

/** Looks for a program in the PATH, queries its version and looks for credentials; never throws. */
export async function findProgram(
  program: Pick<CliAdapter, 'executable' | 'credentials'>,
  { env, home, timeoutMs }: Surroundings,
): Promise<FoundProgram> {
  const path = await whereIs(program.executable, env);
  const { variables, files } = program.credentials;
  const isFilled = variables.some(name => (env[name] ?? '') !== '');
  const hasCredentials = isFilled || (await anyExists(files.map(file => join(home, file))));
  const version = path === undefined ? undefined : await readVersion(path, env, timeoutMs);
  return { hasCredentials, ...defined({ path }), ...defined({ version }) };
}

/** Whether a program is in the PATH. */
export async function isInstalled(
  { executable }: { readonly executable: string },
  env: NodeJS.ProcessEnv,
): Promise<boolean> {
  return (await whereIs(executable, env)) !== undefined;
}

async function whereIs(executable: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  for (const folder of (env['PATH'] ?? '').split(delimiter)) {
    const path = join(folder, executable);
    if (folder !== '' && (await isReachable(path, constants.X_OK))) return path;
  }
  return undefined;
}

async function anyExists(paths: readonly string[]): Promise<boolean> {
  return (await Promise.all(paths.map(path => isReachable(path, constants.R_OK)))).includes(true);
}

async function isReachable(path: string, mode: number): Promise<boolean> {
  return access(path, mode).then(
    () => true,
    () => false,
  );
}

/** The number of output characters that are searched for a version. */
const mostPrinted = 64 * 1024;

async function readVersion(command: string, env: NodeJS.ProcessEnv, timeoutMs: number): Promise<string | undefined> {
  const printed = { stdout: '', stderr: '' };
  const { signal } = new AbortController();
  const settings = { signal, timeoutMs, stopStepMs: 100 };
  const call = { command, args: ['--version'], cwd: process.cwd(), env: environmentFor(env, { needed: [/^/] }) };
  try {
    for await (const { stream, bytes } of runProcess({ ...call, ...settings })) {
      printed[stream] += `${lineText(bytes)}\n`;
      if (printed[stream].length > mostPrinted) break;
    }
  } catch {
    return undefined; // It cannot be started.
  }
  return /\d+\.\d+[\w.+-]*/.exec(`${printed.stdout}${printed.stderr}`)?.[0];
}
