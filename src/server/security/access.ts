import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { SingletreeError } from '../../base/singletree-error.ts';
import { AttemptLimit, type AttemptLimitOptions } from './attempt-limit.ts';
import { allRights, type Caller, type Right } from './caller.ts';
import { Refusal } from '../problem-response.ts';

/** A token that opens the server. */
export interface AccessToken {
  readonly token: string;
  /** The name of the person or program that uses it: the `by` of its messages, answers and aborts. */
  readonly name?: string;
  /** The only resource it opens; other resources appear as not found. All resources when absent. */
  readonly resourceId?: string;
  /** The rights of its owner; all rights when absent. */
  readonly rights?: readonly Right[];
}

/** The credentials of a request. */
export interface Credentials {
  readonly authorization: string | undefined;
  readonly cookie: string | undefined;
  /** The remote address of the request. */
  readonly address: string;
}

const shortest = 8;

export const cookieName = 'singletree_access';

/** Authenticates requests by token. Without tokens it admits every request, so the server must be local. */
export class Access {
  readonly #tokens: readonly { readonly caller: Caller; readonly token: Buffer; readonly cookie: Buffer }[];
  readonly #limit: AttemptLimit;
  /** The tokens that keys stand for, each once. */
  readonly #keys = new Map<string, string>();
  #failures = 0;

  constructor(tokens: readonly AccessToken[], limit: AttemptLimitOptions = {}) {
    if (tokens.some(({ token }) => token.length < shortest))
      throw new SingletreeError('invalid_argument', `A token is too short. Use at least ${shortest} characters.`);
    if (new Set(tokens.map(({ token }) => token)).size < tokens.length)
      throw new SingletreeError('invalid_argument', 'Two tokens are the same. Give each name a token of its own.');
    this.#limit = new AttemptLimit(limit);
    this.#tokens = tokens.map(({ token, resourceId = null, name, rights = allRights }) => ({
      caller: { resourceId, rights, ...(name !== undefined && { name }) },
      token: digest(token),
      cookie: digest(cookieFor(token)),
    }));
  }

  get isOpen(): boolean {
    return this.#tokens.length === 0;
  }

  /** The number of failed attempts. */
  get failures(): number {
    return this.#failures;
  }

  /** Returns the owner of a request's token; throws a `Refusal` for a missing or unknown token. */
  admit({ authorization, cookie, address }: Credentials): Caller {
    if (this.isOpen) return { resourceId: null, rights: allRights };
    const bearer = /^Bearer +(\S+)\s*$/i.exec(authorization ?? '')?.[1];
    const stored = cookieIn(cookie);
    if (bearer !== undefined) return this.#check('token', bearer, address);
    if (stored !== undefined) return this.#check('cookie', stored, address);
    throw unauthorized(
      'This server needs a token. Send "Authorization: Bearer <token>", or sign in at /login. `singletree serve` prints a link that signs in; its token is in the file `token` of its data folder (~/.singletree) when it was given none.',
    );
  }

  /** Returns the cookie for a token or one of its sign-in keys; throws a `Refusal` when it is unknown. */
  signIn(shown: string, address: string): string {
    const token = this.#keys.get(shown) ?? shown;
    this.#keys.delete(shown);
    this.#check('token', token, address);
    return cookieFor(token);
  }

  /** Returns a one-time sign-in key for a token, so that the token does not appear in process lists. */
  createKey(token: string): string {
    const key = randomBytes(32).toString('base64url');
    this.#keys.set(key, token);
    return key;
  }

  #check(kind: 'token' | 'cookie', shown: string, address: string): Caller {
    const hash = digest(shown);
    let found: Caller | undefined;
    // Compares every token, so that the time does not depend on which one matches.
    for (const known of this.#tokens) if (timingSafeEqual(known[kind], hash)) found = known.caller;
    // A valid token is accepted from any address: failed guesses from that address must not lock out its owner.
    if (found !== undefined) return found;
    const seconds = this.#limit.secondsToWait(address);
    if (seconds > 0)
      throw new Refusal('too_many_attempts', `Too many wrong tokens. Try again in ${seconds} s.`, {
        'retry-after': String(seconds),
      });
    this.#failures++;
    this.#limit.fail(address);
    throw unauthorized('The token is not known here. Check it, or sign in again at /login.');
  }
}

/** The refusal of a request whose caller is not known. */
export function unauthorized(message: string): Refusal {
  return new Refusal('unauthorized', message, { 'www-authenticate': 'Bearer realm="singletree"' });
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** Returns the cookie value: a hash of the token, which cannot be used as a bearer token. */
function cookieFor(token: string): string {
  return createHash('sha256').update(`singletree cookie ${token}`).digest('base64url');
}

function cookieIn(header: string | undefined): string | undefined {
  for (const pair of header?.split(';') ?? []) {
    const [name, value] = pair.split('=', 2);
    if (name?.trim() === cookieName && value) return value.trim();
  }
  return undefined;
}
