import { SingletreeError } from '../../events/index.ts';

/** Runs something that may fail in SQLite; what fails there is thrown as an error that says what to do. */
export function translateErrors<Result>(path: string, action: () => Result): Result {
  try {
    return action();
  } catch (cause) {
    if (SingletreeError.is(cause)) throw cause;
    throw translated(path, cause);
  }
}

function translated(path: string, cause: unknown): SingletreeError {
  const code = typeof cause === 'object' && cause !== null && 'code' in cause ? String(cause.code) : '';
  const reason = cause instanceof Error ? cause.message : String(cause);
  const options = { details: { path, sqlite: code }, cause };
  // Stored text that is not JSON was damaged in the file.
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(code) || cause instanceof SyntaxError)
    return new SingletreeError(
      'log_corrupt',
      `${path} is damaged (${reason}): nothing was changed. Restore it from a copy.`,
      options,
    );
  if (/^SQLITE_(BUSY|LOCKED)/.test(code))
    return new SingletreeError(
      'log_unavailable',
      `${path} is locked by another process (${reason}): try again.`,
      options,
    );
  return new SingletreeError('log_unavailable', `${path} cannot be used: ${reason}.`, options);
}
