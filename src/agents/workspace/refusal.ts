import { SingletreeError } from '../../events/index.ts';

/** The path may not be used; the message says why. */
export function refused(path: string, problem: string): SingletreeError {
  return new SingletreeError('invalid_argument', `${JSON.stringify(path)} ${problem}`, { details: { path } });
}

/** The path leads out of the workspace. */
export function outside(path: string): SingletreeError {
  return refused(path, 'is outside the workspace. Use a path inside it, relative to its root.');
}

/** There is nothing at the path. */
export function missing(path: string): SingletreeError {
  return new SingletreeError(
    'not_found',
    `${JSON.stringify(path)} does not exist in the workspace. Look for the right path with list or glob.`,
    { details: { path } },
  );
}

const problems: Readonly<Record<string, string>> = {
  ENOTDIR: 'goes through something that is not a folder, or that changed meanwhile. Check the path and try again.',
  ELOOP: 'changed while it was opened. Try again.',
  EINVAL: 'changed while it was opened. Try again.',
  EEXIST: 'changed while it was written. Try again.',
  ENAMETOOLONG: 'has a name that is too long.',
  EACCES: 'may not be accessed: permission denied.',
  EPERM: 'may not be accessed: permission denied.',
  EROFS: 'is on a disk that cannot be written.',
  ENOSPC: 'cannot be written: the disk is full.',
};

/** What a failure of the file system means for a path; other errors stay as they are. */
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
