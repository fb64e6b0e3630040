import { errorText } from '../../base/error-text.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import { defined } from '../../base/defined.ts';

/** The condition that the server reports; undefined for an error of the connection. */
export function getCondition(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('severity' in error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** Conditions in which nothing was changed and the same statement may succeed in a moment. */
const passing = new Set([
  '40001', // serialization_failure
  '40P01', // deadlock_detected
  '53300', // too_many_connections
  '55P03', // lock_not_available
  '57014', // query_canceled, by the time limit of a statement
  '57P03', // cannot_connect_now
]);
/** Conditions in which the connection ends and it is not known whether the statement took effect. */
const ending = /^(08|57P0[12]|57P05)/;

/** Whether the database cannot be reached for now, and whether a statement may have taken effect all the same. */
export function findOutage(error: unknown): { readonly isUnsettled: boolean } | undefined {
  if (SingletreeError.is(error) || error instanceof TypeError || error instanceof RangeError) return undefined;
  const condition = getCondition(error);
  if (condition === undefined) return { isUnsettled: true };
  if (passing.has(condition)) return { isUnsettled: false };
  return ending.test(condition) ? { isUnsettled: true } : undefined;
}

/** The error of a call that waited for the database in vain. */
export function unreachable(place: string, waitedMs: number, isUnsettled: boolean, cause: unknown): SingletreeError {
  const outcome = isUnsettled
    ? 'It is not known whether the change was made; the same call recognises it.'
    : 'Nothing was changed.';
  return new SingletreeError(
    'store_unreachable',
    `The database ${place} could not be reached for ${Math.ceil(waitedMs / 1000)} s (${errorText(cause)}). ${outcome} Check that it runs, then try again.`,
    { details: { place, isUnsettled }, cause },
  );
}

/** Returns a database error as a `SingletreeError` that states what to do, and a `SingletreeError` unchanged. */
export function translated(place: string, cause: unknown): SingletreeError {
  if (SingletreeError.is(cause)) return cause;
  const condition = getCondition(cause);
  const reason = errorText(cause);
  const options = { details: { place, ...defined({ condition }) }, cause };
  if (condition === 'XX001' || condition === 'XX002')
    return new SingletreeError(
      'log_corrupt',
      `The database ${place} is damaged (${reason}): nothing was changed. Restore it from a copy.`,
      options,
    );
  if (condition === '53100')
    return new SingletreeError(
      'log_full',
      `The database ${place} cannot be written, because its disk is full (${reason}): nothing was changed. Make room, then try again.`,
      options,
    );
  return new SingletreeError('log_unavailable', `The database ${place} cannot be used: ${reason}.`, options);
}

/** Names a database without its password. */
export function describePlace(url: string): string {
  try {
    const { hostname, port, pathname } = new URL(url);
    return `${hostname}${port === '' ? '' : `:${port}`}${pathname}`;
  } catch {
    return 'of an invalid URL';
  }
}
