import { SingletreeError } from '../base/singletree-error.ts';
import { optionNamesCheck } from '../base/options/check-options.ts';
import type {
  AppendOptions,
  Lease,
  LeaseRequest,
  NewThread,
  RawAppendOptions,
  RawLine,
  ReadRange,
  TailOptions,
  Thread,
  ThreadChange,
  ThreadFilter,
} from './event-log.ts';
import { openKinds } from './open-things.ts';

const maxIdLength = 256;
/** Control characters and lone surrogates. */
const unfaithful = /[\p{Cc}\p{Cs}]/u;

/** Whether a store can hold the id faithfully; one that is not usable is never found. */
export function isUsableId(id: unknown): id is string {
  return typeof id === 'string' && id.length > 0 && id.length <= maxIdLength && !unfaithful.test(id);
}

/** Returns the id; throws `invalid_argument` when a store could not hold it faithfully. */
export function checkId(what: string, id: unknown): string {
  if (isUsableId(id)) return id;
  throw new SingletreeError(
    'invalid_argument',
    `The ${what} is not usable: expected 1 to ${maxIdLength} characters without control characters.`,
    { details: { what } },
  );
}

/** Returns the number; throws `invalid_argument` when it is not a whole number of at least `least`. */
export function checkCount(what: string, value: number, least: number): number {
  if (Number.isSafeInteger(value) && value >= least) return value;
  throw new SingletreeError('invalid_argument', `${what} is ${value}: expected a whole number of at least ${least}.`, {
    details: { what, value },
  });
}

const checkAppendNames = listNames<AppendOptions>('append', {
  expectedSeq: 1,
  once: 1,
  lease: 1,
  resumes: 1,
  metadata: 1,
  imported: 1,
});

/** Throws `invalid_argument` for an option of `append` that is unknown, and for `resumes` without a lease. */
export function checkAppendOptions(options: AppendOptions): void {
  checkAppendNames(options);
  if (options.resumes === undefined || options.lease !== undefined) return;
  throw new SingletreeError(
    'invalid_argument',
    '`append` was given `resumes` without `lease`: expected the lease of the owner.',
  );
}

/** Throw `invalid_argument` for an option that is unknown. */
export const checkRawAppendOptions = listNames<RawAppendOptions>('appendRaw', { lease: 1 });
export const checkTailOptions = listNames<TailOptions>('tail', { types: 1, signal: 1 });
const checkThreadNames = listNames<NewThread>('createThread', {
  id: 1,
  resourceId: 1,
  title: 1,
  metadata: 1,
  imported: 1,
  createdAt: 1,
});

/** Throws `invalid_argument` for an option that is unknown, and for a time of creation without an import. */
export function checkNewThread(thread: NewThread): void {
  checkThreadNames(thread);
  const { createdAt, imported } = thread;
  if (createdAt === undefined || (imported === true && !Number.isNaN(Date.parse(createdAt)))) return;
  throw new SingletreeError(
    'invalid_argument',
    `\`createdAt\` is "${createdAt}": expected a time in ISO 8601, with \`imported\`.`,
    { details: { createdAt } },
  );
}

export const checkThreadChange = listNames<ThreadChange>('updateThread', { title: 1, metadata: 1 });
const checkFilterNames = listNames<ThreadFilter>('listThreads', {
  resourceId: 1,
  limit: 1,
  after: 1,
  open: 1,
});

export const checkLeaseRequest = listNames<LeaseRequest>('acquireLease', { owner: 1, ttlMs: 1, isGone: 1 });
const checkReadRange = listNames<ReadRange>('read', { after: 1, before: 1, limit: 1, maxBytes: 1 });

/** Throws `invalid_argument` for an option that is unknown, and for a kind of which nothing can be open. */
export function checkThreadFilter(filter: ThreadFilter): void {
  checkFilterNames(filter);
  const { open } = filter;
  if (open === undefined || openKinds.includes(open)) return;
  throw new SingletreeError('invalid_argument', `\`open\` is "${open}": expected ${openKinds.join(', ')}.`, {
    details: { open },
  });
}

/** The check of a method's options; the compiler names the option that is missing. */
function listNames<Options>(
  method: string,
  names: Readonly<Record<keyof Options, 1>>,
): (given: object | undefined) => void {
  return optionNamesCheck(method, Object.keys(names));
}

/** A range without absent fields. */
export interface CheckedRange {
  after: number;
  before: number;
  limit: number;
  maxBytes: number;
}

/** A seq that no event has. */
export const endOfTime = Number.MAX_SAFE_INTEGER;
const defaultPage = 1000;

/** A range with its defaults filled in and checked. */
export function checkRange(range: ReadRange = {}): CheckedRange {
  checkReadRange(range);
  const { after = 0, before = endOfTime, limit = defaultPage, maxBytes = endOfTime } = range;
  return {
    after: checkCount('after', after, 0),
    before: checkCount('before', before, 0),
    limit: checkCount('limit', limit, 0),
    maxBytes: checkCount('maxBytes', maxBytes, 1),
  };
}

/** Throws `invalid_argument` unless a thread takes imported events after `seq`. */
export function checkImportable({ id, importedSeq, seq }: Pick<Thread, 'id' | 'importedSeq' | 'seq'>): void {
  if (importedSeq === seq) return;
  throw new SingletreeError(
    'invalid_argument',
    `The thread "${id}" takes no imported events: it was not made for an import, or has events of its own. Import into a new thread.`,
    { details: { threadId: id } },
  );
}

/** How far the events that a branch shares were imported. */
export function importedInBranch(importedSeq: number | undefined, seq: number): number | undefined {
  return importedSeq === undefined ? undefined : Math.min(importedSeq, seq);
}

/** Returns whether another owner holds the lease: it has not expired, and `isGone` does not report that owner ended. */
export function isHeldByAnother(
  lease: Lease,
  { owner, isGone }: { owner: string; isGone: LeaseRequest['isGone'] | undefined },
  now: number,
): boolean {
  return lease.owner !== owner && Date.parse(lease.expiresAt) > now && isGone?.(lease.owner) !== true;
}

/** When a lease taken now ends; throws `invalid_argument` when `ttlMs` is not a duration. */
export function leaseEnd(now: number, ttlMs: number): string {
  const end = new Date(now + ttlMs);
  if (ttlMs >= 0 && !Number.isNaN(end.getTime())) return end.toISOString();
  throw new SingletreeError('invalid_argument', `ttlMs is ${ttlMs}: expected a number of milliseconds.`, {
    details: { ttlMs },
  });
}

/**
 * Throws `raw_conflict` when the lines do not continue from `last` without a gap, and `invalid_argument` when one is
 * not a raw line.
 */
export function checkRawLines(runId: string, last: number, lines: readonly RawLine[]): void {
  let expected = last + 1;
  for (const { n, ts, stream, line } of lines) {
    const usable = isUsableId(ts) && (stream === 'stdout' || stream === 'stderr') && line instanceof Uint8Array;
    if (!usable)
      throw new SingletreeError(
        'invalid_argument',
        `Raw line ${n} of run "${runId}" is not usable: expected a time, "stdout" or "stderr", and bytes.`,
        { details: { runId, n } },
      );
    if (n !== expected)
      throw new SingletreeError(
        'raw_conflict',
        `Raw line ${n} of run "${runId}" is out of order: expected ${expected}.`,
        {
          details: { runId, n, expected },
        },
      );
    expected++;
  }
}

/** Returns the error for a thread that does not exist. */
export function threadNotFound(threadId: string): SingletreeError {
  return new SingletreeError(
    'thread_not_found',
    `There is no thread "${threadId}": create it with createThread first.`,
    {
      details: { threadId },
    },
  );
}

/** Returns the error for a new thread whose id is taken. */
export function threadExists(threadId: string): SingletreeError {
  return new SingletreeError('thread_exists', `The thread "${threadId}" exists already: choose another id.`, {
    details: { threadId },
  });
}

/** Returns the error for an append whose `expectedSeq` is not the newest. */
export function seqConflict(threadId: string, expected: number, actual: number): SingletreeError {
  return new SingletreeError(
    'seq_conflict',
    `The thread "${threadId}" is at seq ${actual}, expected ${expected}: read what is new and try again.`,
    { details: { threadId, expected, actual } },
  );
}

/** Returns the error for an append whose `once` key was used at a seq. */
export function onceConflict(threadId: string, key: string, seq: number): SingletreeError {
  return new SingletreeError('once_conflict', `"${key}" was done before, at seq ${seq} of thread "${threadId}".`, {
    details: { threadId, key, seq },
  });
}

/** Returns the error for a lease that another owner holds. */
export function leaseHeld(name: string, owner: string, expiresAt: string): SingletreeError {
  return new SingletreeError('lease_held', `"${name}" is held by "${owner}" until ${expiresAt}.`, {
    details: { name, owner, expiresAt },
  });
}

/** Returns the error for a lease that is no longer the newest of its name. */
export function leaseLost(lease: Lease): SingletreeError {
  return new SingletreeError(
    'lease_lost',
    `"${lease.owner}" no longer holds "${lease.name}": another holder took it.`,
    {
      details: { name: lease.name, owner: lease.owner, token: lease.token },
    },
  );
}

/** Returns the error for a call after `close`. */
export function logClosed(): SingletreeError {
  return new SingletreeError('log_closed', 'The log is closed: open it again to use it.');
}

/** Throws unless 0 ≤ seq ≤ head. */
export function checkBranchPoint(threadId: string, seq: number, head: number): void {
  checkCount('seq', seq, 0);
  if (seq > head)
    throw new SingletreeError(
      'invalid_argument',
      `The thread "${threadId}" ends at seq ${head}: it has no seq ${seq} to branch from.`,
      {
        details: { threadId, seq, head },
      },
    );
}
