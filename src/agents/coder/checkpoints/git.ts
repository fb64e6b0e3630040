import { execFile } from 'node:child_process';

export interface GitOptions {
  readonly gitDir: string;
  readonly workTree: string;
  /** A separate index, so that several processes do not wait for each other. */
  readonly index: string;
  readonly input?: string | Uint8Array;
  readonly timeoutMs: number;
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
  const { gitDir, workTree, index, input, timeoutMs } = options;
  const { PATH, HOME, LANG } = process.env;
  const env = {
    PATH,
    HOME,
    LANG,
    GIT_DIR: gitDir,
    GIT_WORK_TREE: workTree,
    GIT_INDEX_FILE: index,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_LITERAL_PATHSPECS: '1',
    GIT_OPTIONAL_LOCKS: '0',
  };
  const all = [...settings.flatMap(setting => ['-c', setting]), ...args];
  return new Promise((resolve, reject) => {
    const child = execFile(
      'git',
      all,
      {
        cwd: workTree,
        env,
        encoding: 'buffer',
        maxBuffer: 256 * 1024 * 1024,
        timeout: timeoutMs,
        killSignal: 'SIGKILL',
      },
      (error, stdout, stderr) => {
        if (error === null) resolve(stdout);
        else if ((error as NodeJS.ErrnoException).code === 'ENOENT')
          reject(new GitFailure('git is not installed', { isMissing: true }));
        else if (error.killed === true)
          reject(new GitFailure(`git ${args[0]} took longer than ${timeoutMs} ms`, { isTooSlow: true }));
        else reject(new GitFailure(stderr.toString('utf8').trim() || error.message));
      },
    );
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
  });
}
