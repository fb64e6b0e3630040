import { type ErrorCode, SingletreeError } from '../../base/singletree-error.ts';
import { errorText } from '../../base/error-text.ts';
import { defined } from '../../base/defined.ts';

/** The primary result codes of SQLite. */
const primary = {
  error: 1,
  busy: 5,
  locked: 6,
  readOnly: 8,
  ioError: 10,
  corrupt: 11,
  full: 13,
  cannotOpen: 14,
  tooBig: 18,
  constraint: 19,
  mismatch: 20,
  notADatabase: 26,
} as const;
/** A file that ends before it should, and one whose file system found it damaged. */
const shortRead = 522;
const corruptFileSystem = 8458;

/**
 * A statement that fails by itself fails because of the file: all statements are ours, and were tried against a sound
 * one.
 */
const signsOfDamage: ReadonlySet<number> = new Set([
  primary.error,
  primary.corrupt,
  primary.tooBig,
  primary.constraint,
  primary.mismatch,
  primary.notADatabase,
]);

/** The error for a damaged value in the file; `what` names the value. */
export class DamagedValue extends Error {
  readonly details: Readonly<Record<string, unknown>>;

  constructor(what: string, details: Record<string, unknown>, cause?: unknown) {
    super(`${what} cannot be read`, { cause });
    this.details = details;
  }
}

/** Returns the error for a damaged row of a thread. */
export function damagedThread(threadId: string): DamagedValue {
  return new DamagedValue(`the thread "${threadId}"`, { threadId });
}

/** Runs an action and throws errors of SQLite as errors that state what to do. */
export function translateErrors<Result>(path: string, action: () => Result): Result {
  try {
    return action();
  } catch (cause) {
    throw translated(path, cause);
  }
}

/** Returns a SQLite error as a `SingletreeError` that states what to do, and a `SingletreeError` unchanged. */
export function translated(path: string, cause: unknown): SingletreeError {
  if (SingletreeError.is(cause)) return cause;
  const raw = numberIn(cause, 'rawCode');
  const reason = errorText(cause);
  const [code, message] = getMeaning(path, raw, cause, reason);
  const details = {
    path,
    ...defined({ sqlite: raw }),
    ...(cause instanceof DamagedValue && cause.details),
  };
  return new SingletreeError(code, message, { details, cause });
}

function getMeaning(path: string, raw: number | undefined, cause: unknown, reason: string): [ErrorCode, string] {
  const code = raw === undefined ? undefined : raw & 0xff;
  if (isBusy(cause))
    return [
      'log_busy',
      `${path} is locked by another process (${reason}): nothing was changed. Try again when it is done.`,
    ];
  const isDamaged = code === undefined ? cause instanceof DamagedValue : signsOfDamage.has(code);
  if (isDamaged || raw === shortRead || raw === corruptFileSystem)
    return ['log_corrupt', `${path} is damaged (${reason}): nothing was changed. Restore it from a copy.`];
  if (code === primary.full || code === primary.ioError || isOutOfSpace(cause))
    return [
      'log_full',
      `${path} cannot be written, because its disk is full or fails (${reason}): nothing was changed. Make room, then try again.`,
    ];
  if (code === primary.readOnly)
    return [
      'log_unavailable',
      `${path} cannot be written (${reason}): nothing was changed. Make the file and its folder writable for this user, or use another store.`,
    ];
  if (code === primary.cannotOpen)
    return [
      'log_unavailable',
      `${path} cannot be opened (${reason}). Check that its folder exists and that this user may write there.`,
    ];
  return ['log_unavailable', `${path} cannot be used: ${reason}.`];
}

/** Whether another connection holds a lock that is needed. */
export function isBusy(error: unknown): boolean {
  if (SingletreeError.is(error, 'log_busy')) return true;
  const raw = numberIn(error, 'rawCode');
  return raw !== undefined && ((raw & 0xff) === primary.busy || (raw & 0xff) === primary.locked);
}

function isOutOfSpace(error: unknown): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    (error.code === 'ENOSPC' || error.code === 'EDQUOT' || error.code === 'EIO')
  );
}

function numberIn(value: unknown, field: string): number | undefined {
  if (typeof value !== 'object' || value === null || !(field in value)) return undefined;
  const found = (value as Record<string, unknown>)[field];
  return typeof found === 'number' ? found : undefined;
}
