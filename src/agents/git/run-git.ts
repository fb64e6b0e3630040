import { homedir } from 'node:os';
import { join } from 'node:path';
import { startGuarded } from '../process/guarded-process.ts';
import { signalGroup } from '../process/process-group.ts';
import { programFor } from '../workspace/program.ts';
import type { WorkspaceFolder } from '../workspace/workspace-folder.ts';
import { readSmallFile } from './small-file.ts';

export interface GitCall {
  /** A repository folder that this program wrote: git reads the configuration there, never that of a project. */
  readonly gitDir: string;
  readonly workTree: string;
  /** The folder to run in, a part of the work tree. Default: all of it. */
  readonly cwd?: string;
  /** The index file. Default: that of the repository folder. */
  readonly index?: string;
  readonly input?: string | Uint8Array | undefined;
  readonly timeoutMs: number;
  /** The size of the output above which it fails, in bytes. Default: none. */
  readonly maxBytes?: number;
  readonly signal?: AbortSignal;
  /** Where git is looked for. Default: in the PATH of this process, outside of the work tree. */
  readonly host?: Pick<WorkspaceFolder, 'env' | 'root'>;
}

/** A git command that failed, was stopped at its time limit, or could not be started. */
export class GitFailure extends Error {
  readonly isMissing: boolean;
  readonly isTooSlow: boolean;

  constructor(message: string, { isMissing = false, isTooSlow = false } = {}) {
    super(message);
    this.isMissing = isMissing;
    this.isTooSlow = isTooSlow;
  }
}

/** The output of a git command. */
export interface GitOutput {
  readonly output: Buffer;
  readonly warnings: string;
}

/** These settings go before any file, and hold for the programs that git starts. */
const settings = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.attributesFile=/dev/null',
  'core.autocrlf=false',
  'core.symlinks=true',
  'core.quotePath=false',
  'gc.auto=0',
  'maintenance.auto=false',
  'protocol.allow=never',
  'submodule.recurse=false',
];

/**
 * Runs git and returns its output; all git calls use this function. Rejects with a `GitFailure` that contains stderr.
 * Git reads no configuration file of the user or the project, so it runs no program that they name: filters, hooks,
 * monitors, diff and merge drivers, helpers, transports. It does not fetch missing objects. A git executable inside the
 * work tree is not used.
 */
export async function runGit(args: readonly string[], call: GitCall): Promise<GitOutput> {
  const { gitDir, workTree, cwd = workTree, index, input, timeoutMs, maxBytes = Infinity, signal } = call;
  const { env: hostEnv, root } = call.host ?? { env: process.env, root: workTree };
  const PATH = hostEnv['PATH'] ?? '';
  const command = await programFor({ env: { PATH }, root }, 'git');
  if (command === undefined) throw new GitFailure('git is not installed', { isMissing: true });
  const env = {
    PATH,
    LC_ALL: 'C.UTF-8',
    // Versions without GIT_CONFIG_GLOBAL look for the user's configuration here.
    HOME: gitDir,
    XDG_CONFIG_HOME: gitDir,
    GIT_DIR: gitDir,
    GIT_WORK_TREE: workTree,
    GIT_INDEX_FILE: index,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_LITERAL_PATHSPECS: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: 'none',
    GIT_TERMINAL_PROMPT: '0',
    GIT_PAGER: 'cat',
    GIT_EDITOR: 'false',
    GIT_ASKPASS: 'false',
  };
  const all = [...settings, `core.excludesFile=${findPersonalIgnoreFile()}`].flatMap(setting => ['-c', setting]);
  return new Promise((resolve, reject) => {
    const child = startGuarded({ command, args: [...all, ...args], cwd, env, stdin: 'pipe' });
    const output: Buffer[] = [];
    const errors: Buffer[] = [];
    let isTooSlow = false;
    const end = () => signalGroup(child, 'SIGKILL');
    const timer = setTimeout(() => {
      isTooSlow = true;
      end();
    }, timeoutMs);
    signal?.addEventListener('abort', end);
    const settle = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
    };
    let size = 0;
    child.stdout.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= maxBytes) output.push(chunk);
      else end();
    });
    child.stderr.on('data', (chunk: Buffer) => errors.push(chunk));
    child.once('error', (error: NodeJS.ErrnoException) => {
      settle();
      reject(new GitFailure(error.message));
    });
    child.once('close', exitCode => {
      settle();
      const warnings = Buffer.concat(errors).toString('utf8').trim();
      if (exitCode === 0) resolve({ output: Buffer.concat(output), warnings });
      else if (size > maxBytes) reject(new GitFailure(`git ${args[0]} printed more than ${maxBytes} bytes`));
      else if (isTooSlow) reject(new GitFailure(`git ${args[0]} took longer than ${timeoutMs} ms`, { isTooSlow }));
      else reject(new GitFailure(warnings || `git ${args[0]} ended with ${exitCode ?? child.signalCode}`));
    });
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
    if (signal?.aborted === true) end();
  });
}

/** Returns the path of the user's global ignore file: the configured one, else the default path of git. */
function findPersonalIgnoreFile(): string {
  const { XDG_CONFIG_HOME } = process.env;
  const configuration = readSmallFile(join(homedir(), '.gitconfig')) ?? '';
  const [, named] = /^\s*excludesfile\s*=\s*"?([^"\n]+?)"?\s*$/im.exec(configuration) ?? [];
  if (named !== undefined) return named.startsWith('~/') ? join(homedir(), named.slice(2)) : named;
  return join(XDG_CONFIG_HOME || join(homedir(), '.config'), 'git', 'ignore');
}
