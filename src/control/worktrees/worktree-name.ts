import { newId } from '../../events/ids.ts';
import { SingletreeError } from '../../base/singletree-error.ts';

/** Returns a unique name for the worktree of an agent, which is safe as a folder and in a branch. */
export function worktreeName(agentId: string): string {
  const agent = agentId
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 30);
  return `${agent || 'agent'}-${newId().slice(-8)}`;
}

const allowed = /^[A-Za-z0-9_][A-Za-z0-9_.-]*(?:\/[A-Za-z0-9_][A-Za-z0-9_.-]*)*$/;

/** Throws `invalid_argument` for the beginning of branch names that is no plain one. */
export function checkBranchPrefix(prefix: string): void {
  const isPlain = allowed.test(prefix) && !prefix.includes('..') && !/\.(?:lock)?(?:\/|$)/.test(prefix);
  if (/^(?:refs|heads|remotes|tags|HEAD)(?:\/|$)/.test(prefix))
    throw new SingletreeError(
      'invalid_argument',
      `The branch name ${JSON.stringify(prefix.slice(0, 100))} is not valid: it begins like a reference of git. Use a name without that, such as "try/parser".`,
    );
  if (isPlain && prefix.length <= 80) return;
  throw new SingletreeError(
    'invalid_argument',
    `The branch name ${JSON.stringify(prefix.slice(0, 100))} is not valid. Use letters, digits, "-", "_", "." and "/", such as "try/parser".`,
  );
}
