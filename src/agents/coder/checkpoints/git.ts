import { defined } from '../../../events/defined.ts';
import { runGit } from '../../git/run-git.ts';

export interface GitOptions {
  readonly gitDir: string;
  readonly workTree: string;
  /** A separate index, so that several processes do not wait for each other. */
  readonly index: string;
  readonly input?: string | Uint8Array;
  readonly timeoutMs: number;
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
  const env = {
    GIT_DIR: gitDir,
    GIT_WORK_TREE: workTree,
    GIT_INDEX_FILE: index,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_LITERAL_PATHSPECS: '1',
    GIT_OPTIONAL_LOCKS: '0',
  };
  return runGit(args, { cwd: workTree, env, settings, timeoutMs, ...defined({ input }) });
}
