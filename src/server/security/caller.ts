import * as z from 'zod';
import { defined } from '../../base/defined.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import type { RunTrace } from '../../events/trace-context.ts';

/** Every right of a caller. `administer` covers folders, rules, keys, imports and deletions. None includes another. */
export const allRights = ['read', 'send', 'approve', 'administer'] as const;

export type Right = (typeof allRights)[number];

/** The sender of a request and its rights. */
export interface Caller {
  /** The `by` of its messages, answers and aborts. */
  readonly name?: string | undefined;
  /** The only resource it opens; other resources appear as not found. `null` opens every resource. */
  readonly resourceId: string | null;
  readonly rights: readonly Right[];
}

/**
 * Returns the caller of a request from its headers; undefined for an unknown caller, which results in status 401. The
 * request has no body, and no cookie when a page of another origin sends it.
 */
export type Authenticate = (
  request: Request,
  source: { readonly address: string },
) => Caller | undefined | Promise<Caller | undefined>;

/** The resources and rights of a request. */
export interface Scope {
  /** Everything when absent. */
  readonly resourceId?: string;
  readonly rights: readonly Right[];
  /** The marks of the runs that its process works for, as it states them. */
  readonly runMarks?: string;
  /** The name of the caller: the `by` of what it adds to a log. */
  readonly by?: string;
  /** The trace that its `traceparent` header names. */
  readonly trace?: RunTrace;
}

/** The author of a message and the trace of the run that it begins. */
export function describeSender({ by, trace }: Scope): Pick<Scope, 'by' | 'trace'> {
  return defined({ by, trace });
}

const callerFields = z.object({
  name: z.string().min(1).max(200).optional(),
  resourceId: z.string().min(1).nullable(),
  rights: z.array(z.enum(allRights)),
});

/** Returns the scope of a caller. Throws a `TypeError` for a caller without a resource or with unknown rights. */
export function scopeFor(caller: Caller, runMarks: string | undefined): Scope {
  const { success, data } = callerFields.safeParse(caller);
  if (!success)
    throw new TypeError(
      '`authenticate` returned something else than a caller. Expected { name?, resourceId, rights }: `resourceId` a text, or null for every resource; `rights` a list of read, send, approve and administer.',
    );
  const { name: by, resourceId, rights } = data;
  return {
    rights,
    ...(resourceId !== null && { resourceId }),
    ...(by !== undefined && { by }),
    ...(runMarks !== undefined && { runMarks }),
  };
}

/** Throws `request_forbidden` when a request does not have a right. */
export function checkRight({ rights, by }: Scope, right: Right): void {
  if (rights.includes(right)) return;
  const who = by === undefined ? 'the caller' : `"${by}"`;
  throw new SingletreeError(
    'request_forbidden',
    `This needs the right "${right}"; ${who} has ${rights.join(', ') || 'none'}. Ask who runs the server for it.`,
    { details: { right } },
  );
}

/**
 * Throws `not_found` for a caller of one resource, and `request_forbidden` for a program that works for a run: an agent
 * does not change what decides about agents.
 */
export function checkOwner({ resourceId, runMarks }: Scope, what: string): void {
  if (resourceId !== undefined)
    throw new SingletreeError('not_found', `${what} are not open to a token of one resource.`);
  if (runMarks !== undefined)
    throw new SingletreeError('request_forbidden', `${what} are changed by people, not by the programs of a run.`);
}

/** The author of what a request adds to a log, as the `by` of its events. */
export function getAuthor({ by }: Scope): { readonly by?: string } {
  return by === undefined ? {} : { by };
}
