import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import type { CliAdapter } from '../contract/cli-adapter.ts';
import { environmentFor } from '../../process/environment.ts';
import { lineText } from './line-reader.ts';
import { runProcess } from './run-process.ts';

/** What was found out about a program on this machine. */
export interface FoundProgram {
  /** Where it is; absent when it is not installed. */
  readonly path?: string;
  /** What it says its version is; absent when it does not say it in time. */
  readonly version?: string;
  /** Whether a key or a login was found; it is not tried. */
  readonly hasCredentials: boolean;
}

export interface Surroundings {
  readonly env: NodeJS.ProcessEnv;
  readonly home: string;
  /** How long a program may take to tell its version, in milliseconds. */
  readonly timeoutMs: number;
}

/** Looks for a program in the PATH, asks it for its version and looks for credentials; never throws. */
export async function findProgram(
  program: Pick<CliAdapter, 'executable' | 'credentials'>,
  { env, home, timeoutMs }: Surroundings,
): Promise<FoundProgram> {
  const path = await whereIs(program.executable, env);
  const { variables, files } = program.credentials;
  const isFilled = variables.some(name => (env[name] ?? '') !== '');
  const hasCredentials = isFilled || (await anyExists(files.map(file => join(home, file))));
  const version = path === undefined ? undefined : await versionOf(path, env, timeoutMs);
  return { hasCredentials, ...(path !== undefined && { path }), ...(version !== undefined && { version }) };
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

/** How much of what a program prints may come before its version. */
const mostPrinted = 64 * 1024;

async function versionOf(command: string, env: NodeJS.ProcessEnv, timeoutMs: number): Promise<string | undefined> {
  const printed = { stdout: '', stderr: '' };
  const { signal } = new AbortController();
  const settings = { signal, timeoutMs, settleMs: 0, isFinished: () => false, stopStepMs: 100 };
  const call = { command, args: ['--version'], cwd: process.cwd(), env: environmentFor(env, [/^/]) };
  try {
    for await (const { stream, bytes } of runProcess({ ...call, ...settings })) {
      printed[stream] += `${lineText(bytes)}\n`;
      if (printed[stream].length > mostPrinted) break;
    }
  } catch {
    return undefined;
  }
  return /\d+\.\d+[\w.+-]*/.exec(`${printed.stdout}${printed.stderr}`)?.[0];
}
