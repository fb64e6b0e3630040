import { defined } from '../../../events/defined.ts';
import { runGit } from '../../git/run-git.ts';

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
  const { gitDir, workTree, index, cwd = workTree, input, timeoutMs, maxBytes } = options;
  const env = {
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
  return runGit(args, { cwd, env: defined(env), settings, timeoutMs, ...defined({ input, maxBytes }) });
}
