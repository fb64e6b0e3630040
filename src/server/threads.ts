import { parseJson } from '../base/parse-json.ts';
import { SingletreeError } from '../base/singletree-error.ts';
import type { Thread } from '../log/event-log.ts';
import type { Scope } from './security/caller.ts';

/** Returns the resource of a request: the named one, which must be the caller's, or the caller's own by default. */
export function resourceFor({ resourceId: own }: Scope, named: string | undefined): string | undefined {
  if (own === undefined || named === undefined || named === own) return named ?? own;
  throw new SingletreeError('not_found', `There is no resource "${named}".`);
}

/** Whether the title of a thread has all words of a query, in upper or lower case. */
export function hasTitleWords({ title = '' }: Thread, query: string): boolean {
  const words = query.toLowerCase().split(/\s+/);
  return words.every(word => title.toLowerCase().includes(word));
}

/** Returns the cursor after which a listing continues. */
export function toCursor({ id, updatedAt }: Thread): string {
  return Buffer.from(JSON.stringify([updatedAt, id])).toString('base64url');
}

/** Returns the position of a cursor; throws `invalid_argument` for an invalid cursor. */
export function placeIn(cursor: string | undefined): Thread | undefined {
  if (cursor === undefined) return undefined;
  const place = placeAt(cursor);
  if (place !== undefined) return place;
  throw new SingletreeError('invalid_argument', 'The query, field "cursor": expected the `next` of a page.');
}

function placeAt(cursor: string): Thread | undefined {
  const parsed = parseJson(Buffer.from(cursor, 'base64url').toString());
  const [updatedAt, id] = Array.isArray(parsed) ? (parsed as unknown[]) : [];
  if (typeof updatedAt !== 'string' || typeof id !== 'string') return undefined;
  return { id, updatedAt, createdAt: updatedAt, resourceId: '', metadata: {}, seq: 0 };
}
