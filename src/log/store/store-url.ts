import { fileURLToPath } from 'node:url';
import { SingletreeError } from '../../base/singletree-error.ts';

/** Where a log is stored. */
export type StoreLocation =
  | { readonly kind: 'memory' }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'postgres'; readonly url: string };

/** Reads the URL of a store; throws `invalid_argument`, without its password, when it names none. */
export function parseStoreUrl(url: string): StoreLocation {
  if (url === 'memory:') return { kind: 'memory' };
  if (url.startsWith('file:')) return { kind: 'file', path: filePath(url) };
  if (/^postgres(ql)?:\/\//.test(url) && isWellFormed(url)) return { kind: 'postgres', url };
  throw new SingletreeError(
    'invalid_argument',
    `The store "${visibleUrl(url)}" cannot be opened. Use "file:PATH", "memory:" or "postgres://USER:PASSWORD@HOST/DATABASE"; encode special characters of a password with %.`,
  );
}

/** The path in a `file:` URL: everything after `file:`, or a URL with two or three slashes, decoded. */
export function filePath(url: string): string {
  try {
    const path = url.startsWith('file://') ? fileURLToPath(url) : url.slice('file:'.length);
    if (path !== '') return path;
  } catch {
    // Reported below.
  }
  throw new SingletreeError(
    'invalid_argument',
    `The store "${url}" names no file. Use a path, such as "file:./data.db" or "file:///var/lib/singletree.db".`,
  );
}

/** Throws `invalid_argument`, without its password, unless the URL names a Redis server. */
export function checkLiveUrl(url: string): void {
  if (/^rediss?:\/\//.test(url) && isWellFormed(url)) return;
  throw new SingletreeError(
    'invalid_argument',
    `The live tail "${visibleUrl(url)}" cannot be used. Use "redis://HOST:PORT" or "rediss://USER:PASSWORD@HOST:PORT/DATABASE"; encode special characters of a password with %.`,
  );
}

/** A URL as it may be printed: without its password. */
export function visibleUrl(text: string): string {
  if (/^(file|memory):/.test(text)) return text;
  const scheme = /^[a-z][a-z0-9+.-]*:/i.exec(text)?.[0];
  if (!isWellFormed(text)) return scheme === undefined ? '…' : `${scheme}…`;
  const url = new URL(text);
  if (url.password !== '') url.password = '***';
  for (const name of new Set(url.searchParams.keys()))
    if (/pass|secret|token|key/i.test(name)) url.searchParams.set(name, '***');
  return url.href;
}

/** The password of a URL, as it is and as it is written there; none when it has no password. */
export function listPasswords(text: string): string[] {
  if (!isWellFormed(text)) return [];
  const { password, searchParams } = new URL(text);
  const given = [password, searchParams.get('password') ?? ''].filter(each => each !== '');
  return given.flatMap(each => [...new Set([each, decoded(each)])]);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // It is not encoded.
  }
}

/** Whether it is a URL whose parts are where they seem: an `@` in the path belongs to a password with a slash. */
function isWellFormed(text: string): boolean {
  return URL.canParse(text) && !new URL(text).pathname.includes('@');
}
