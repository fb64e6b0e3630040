import type { ClosedRepository } from '../../agents/git/closed-repository.ts';
import { defined } from '../../base/defined.ts';

/** The commit that the work in a folder is based on. */
export interface Base {
  /** Absent in a repository without commits. */
  readonly commit?: string;
  /** The branch that it is on; absent when it is the last commit of the current one. */
  readonly branch?: string;
}

/** The branches that work usually begins on, beside the one that the current branch follows, the nearest first. */
const candidates = ['origin/HEAD', 'main', 'master'];

/** Returns the commit where the branch of a repository left another one; without one the last commit. Throws a `GitFailure`. */
export async function findBase(repository: ClosedRepository): Promise<Base> {
  const attempt = (...args: string[]) => repository.findLine(args, { maxBytes: 100_000 });
  const head = await attempt('rev-parse', '--verify', '--quiet', 'HEAD^{commit}');
  if (head === undefined) return {};
  for (const candidate of [(await repository.upstream()) ?? [], ...candidates].flat()) {
    const commit = await attempt('merge-base', 'HEAD', candidate);
    if (commit === undefined || commit === '' || commit === head) continue;
    const branch = await attempt('rev-parse', '--abbrev-ref', candidate);
    return { commit, ...defined({ branch: branch || undefined }) };
  }
  return { commit: head };
}
