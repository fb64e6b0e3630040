import { startGuarded } from '../process/guarded-process.ts';
import { signalGroup } from '../process/process-group.ts';

export interface GitCall {
  readonly cwd: string;
  /** Variables beside PATH, HOME and LANG. */
  readonly env?: Readonly<Record<string, string>>;
  /** Settings that go before those of the person and the repository, such as `gc.auto=0`. */
  readonly settings?: readonly string[];
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

/** Runs git and returns what it prints; rejects with a `GitFailure` that has what it printed on stderr. */
export function runGit(args: readonly string[], call: GitCall): Promise<Buffer> {
  const { cwd, env, settings = [], input, timeoutMs, maxBytes = Number.POSITIVE_INFINITY } = call;
  const { PATH, HOME, LANG } = process.env;
  const all = [...settings.flatMap(setting => ['-c', setting]), ...args];
  return new Promise((resolve, reject) => {
    const child = startGuarded({ command: 'git', args: all, cwd, env: { PATH, HOME, LANG, ...env }, stdin: 'pipe' });
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
