import { git } from '../../agents/coder/checkpoints/git.ts';
import { GitFailure } from '../../agents/git/run-git.ts';
import { defined } from '../../events/defined.ts';

/** The commit that the work in a folder is based on. */
export interface Base {
  /** Absent in a repository without commits. */
  readonly commit?: string;
  /** The branch that it is on; absent when it is the last commit of the current one. */
  readonly branch?: string;
}

export interface FoundBase {
  /** The top folder of the repository. */
  readonly top: string;
  /** The folder of its objects. */
  readonly objects: string;
  /** The kind of its hashes. */
  readonly format: string;
  readonly base: Base;
}

/** The branches that work usually begins on, the nearest first. */
const candidates = ['@{upstream}', 'origin/HEAD', 'main', 'master'];

/**
 * Finds the repository of a folder and the commit where its branch left another one; without one the last commit. These
 * commands read refs and commits only: no program that the repository names is run. Throws a `GitFailure`.
 */
export async function findBase(folder: string, timeoutMs: number): Promise<FoundBase> {
  const run = async (...args: string[]) => {
    const output = await git(args, { workTree: folder, timeoutMs, maxBytes: 100_000 });
    return output.toString('utf8').trim();
  };
  const attempt = (...args: string[]) =>
    run(...args).catch((error: unknown) => {
      if (error instanceof GitFailure && !error.isMissing && !error.isTooSlow) return undefined;
      throw error;
    });
  const top = await run('rev-parse', '--show-toplevel');
  const objects = await run('rev-parse', '--git-path', 'objects');
  const format = await run('rev-parse', '--show-object-format');
  const head = await attempt('rev-parse', '--verify', '--quiet', 'HEAD^{commit}');
  const found = { top, objects, format };
  if (head === undefined) return { ...found, base: {} };
  for (const candidate of candidates) {
    const commit = await attempt('merge-base', 'HEAD', candidate);
    if (commit === undefined || commit === '' || commit === head) continue;
    const branch = await attempt('rev-parse', '--abbrev-ref', candidate);
    return { ...found, base: { commit, ...defined({ branch: branch || undefined }) } };
  }
  return { ...found, base: { commit: head } };
}
