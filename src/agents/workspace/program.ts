import { constants } from 'node:fs';
import { access, realpath } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import { SingletreeError } from '../../base/singletree-error.ts';
import { lineText } from '../process/line-reader.ts';
import { type ProcessLine, runProcess } from '../process/run-process.ts';
import type { WorkspaceFolder } from './workspace-folder.ts';

/** Returns the path of a program in the PATH of a workspace; ignores one inside the workspace. */
export async function programFor(
  { env, root }: Pick<WorkspaceFolder, 'env' | 'root'>,
  name: string,
): Promise<string | undefined> {
  for (const folder of (env['PATH'] ?? '').split(delimiter).filter(isAbsolute)) {
    const path = join(folder, name);
    const isThere = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere && !`${await realpath(path)}/`.startsWith(`${root}/`) && !`${path}/`.startsWith(`${root}/`))
      return path;
  }
  return undefined;
}

export interface ProgramCall {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly signal: AbortSignal;
}

const timeoutMs = 60_000;

/**
 * Passes each line that a helper program prints to `take`, until it returns false. Returns the exit code, undefined
 * when the program was stopped early; throws when it could not start or timed out.
 */
export async function runProgram(
  { env }: WorkspaceFolder,
  { command, args, cwd, signal }: ProgramCall,
  take: (line: string, stream: ProcessLine['stream']) => boolean,
): Promise<number | undefined> {
  const settings = { timeoutMs, stopStepMs: 500 };
  const running = runProcess({ command, args, cwd, env, signal, ...settings });
  let next = await running.next();
  for (; next.done !== true; next = await running.next())
    if (!take(lineText(next.value.bytes), next.value.stream)) {
      await running.return({});
      return undefined;
    }
  signal.throwIfAborted();
  const { failedToStart, stopped, exitCode } = next.value;
  if (failedToStart !== undefined) throw failedToStart;
  if (stopped !== undefined) throw new SingletreeError('internal', stopped.message);
  return exitCode ?? undefined;
}
