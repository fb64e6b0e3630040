import { startGuarded } from '../../process/guarded-process.ts';
import { signalGroup } from '../../process/process-group.ts';

export interface GitOptions {
  /** The repository. Default: the one that the folder belongs to. */
  readonly gitDir?: string;
  readonly workTree: string;
  /** A separate index, so that several processes do not wait for each other. Default: that of the repository. */
  readonly index?: string;
  /** The folder to run in, a part of the work tree. Default: all of it. */
  readonly cwd?: string;
  readonly input?: string | Uint8Array;
  readonly timeoutMs: number;
  /** The size of the output above which it fails, in bytes. Default: none. */
  readonly maxBytes?: number;
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

/** Settings of the person or the project must not change what a snapshot contains, and no hook or filter runs. */
const settings = [
  'core.autocrlf=false',
  'core.fsmonitor=false',
  'core.hooksPath=/dev/null',
  'core.symlinks=true',
  'gc.auto=0',
];

/** Runs git on a repository and a work tree that are apart, and returns what it prints. */
export function git(args: readonly string[], options: GitOptions): Promise<Buffer> {
  const { gitDir, workTree, index, cwd = workTree, input, timeoutMs, maxBytes = Number.POSITIVE_INFINITY } = options;
  const { PATH, HOME, LANG } = process.env;
  const env = {
    PATH,
    HOME,
    LANG,
    GIT_DIR: gitDir,
    GIT_WORK_TREE: gitDir === undefined ? undefined : workTree,
    GIT_INDEX_FILE: index,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_LITERAL_PATHSPECS: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_NO_LAZY_FETCH: '1',
  };
  const all = [...settings.flatMap(setting => ['-c', setting]), ...args];
  return new Promise((resolve, reject) => {
    const child = startGuarded({ command: 'git', args: all, cwd, env, stdin: 'pipe' });
    const output: Buffer[] = [];
    const errors: Buffer[] = [];
    let isTooSlow = false;
    const timer = setTimeout(() => {
      isTooSlow = true;
      signalGroup(child, 'SIGKILL');
    }, timeoutMs);
    let size = 0;
    child.stdout.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= maxBytes) output.push(chunk);
      else signalGroup(child, 'SIGKILL');
    });
    child.stderr.on('data', (chunk: Buffer) => errors.push(chunk));
    child.once('error', (error: NodeJS.ErrnoException) => {
      clearTimeout(timer);
      const isMissing = error.code === 'ENOENT';
      reject(new GitFailure(isMissing ? 'git is not installed' : error.message, { isMissing }));
    });
    child.once('close', exitCode => {
      clearTimeout(timer);
      if (exitCode === 0) resolve(Buffer.concat(output));
      else if (size > maxBytes) reject(new GitFailure(`git ${args[0]} printed more than ${maxBytes} bytes`));
      else if (isTooSlow) reject(new GitFailure(`git ${args[0]} took longer than ${timeoutMs} ms`, { isTooSlow }));
      else reject(new GitFailure(Buffer.concat(errors).toString('utf8').trim() || `git ended with code ${exitCode}`));
    });
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
  });
}
