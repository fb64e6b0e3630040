import { SingletreeError } from '../../base/singletree-error.ts';

/** The error for a refused path; the message gives the reason. */
export function refused(path: string, problem: string): SingletreeError {
  return new SingletreeError('invalid_argument', `${JSON.stringify(path)} ${problem}`, { details: { path } });
}

/** The error for a path outside the workspace. */
export function outside(path: string): SingletreeError {
  return outsideError(path, 'is outside the workspace. Use a path inside it, relative to its root.');
}

/** The error for a path that goes through a link to something outside the workspace. */
export function linkedOutside(path: string, link: string): SingletreeError {
  return outsideError(path, `goes through the link ${link}, which leads outside the workspace.`);
}

/** Whether a path was refused because it leads outside the workspace. */
export function leadsOutside(error: unknown): boolean {
  return SingletreeError.is(error, 'invalid_argument') && error.details['isOutside'] === true;
}

function outsideError(path: string, problem: string): SingletreeError {
  return new SingletreeError('invalid_argument', `${JSON.stringify(path)} ${problem}`, {
    details: { path, isOutside: true },
  });
}

/** The error for a missing file or folder. */
export function missing(path: string): SingletreeError {
  return new SingletreeError(
    'not_found',
    `${JSON.stringify(path)} does not exist. List its folder, or search for the right path.`,
    { details: { path } },
  );
}

const problems: Readonly<Record<string, string>> = {
  ENOTDIR: 'contains a name that is not a folder, or that changed meanwhile. Check the path and try again.',
  ELOOP: 'changed while it was opened. Try again.',
  EINVAL: 'changed while it was opened. Try again.',
  EEXIST: 'changed while it was written. Try again.',
  ENAMETOOLONG: 'has a name that is too long.',
  EACCES: 'may not be accessed: permission denied.',
  EPERM: 'may not be accessed: permission denied.',
  EROFS: 'is on a disk that cannot be written.',
  ENOSPC: 'cannot be written: the disk is full.',
};

/** Translates a file system error for a path; other errors stay unchanged. */
export function explained(error: unknown, path: string): unknown {
  const code = error instanceof Error && 'code' in error && 'syscall' in error ? String(error.code) : undefined;
  if (code === undefined) return error;
  if (code === 'ENOENT') return missing(path);
  return new SingletreeError(
    'invalid_argument',
    `${JSON.stringify(path)} ${problems[code] ?? `cannot be used: ${code}.`}`,
    {
      details: { path, code },
      cause: error,
    },
  );
}
