import type { ClosedRepository } from '../../agents/git/closed-repository.ts';
import { GitFailure } from '../../agents/git/run-git.ts';
import { SingletreeError } from '../../base/singletree-error.ts';

const options = ['--binary', '--whitespace=nowarn', '-'];

/** Applies a patch to the files of a folder, all of it or nothing; throws `apply_conflict` with the files in the way. */
export async function applyPatch(repository: ClosedRepository, folder: string, patch: Uint8Array): Promise<void> {
  const call = { workTree: folder, input: patch };
  try {
    await repository.run(['apply', '--check', ...options], call);
  } catch (error) {
    if (!(error instanceof GitFailure) || error.isMissing || error.isTooSlow) throw error;
    const files = conflictsIn(error.message);
    throw new SingletreeError(
      'apply_conflict',
      `The changes do not fit ${folder}, which was changed since: ${files.join(', ') || error.message}. Nothing was applied. Commit, stash or undo those changes, then keep them again.`,
      { details: { files }, cause: error },
    );
  }
  await repository.run(['apply', ...options], call);
}

/** The files that git names, such as `error: a.txt: patch does not apply`. */
function conflictsIn(message: string): string[] {
  const found = message.split('\n').flatMap(line => {
    const [, path] =
      /^error: (.+): (?:patch does not apply|already exists in .*|No such file.*|does not exist in .*|.*symbolic link.*|does not match.*|wrong type)$/.exec(
        line,
      ) ?? [];
    return path ?? [];
  });
  return [...new Set(found)];
}
