import { isIP } from 'node:net';
import { SingletreeError } from '../../base/singletree-error.ts';
import { defined } from '../../base/defined.ts';

const loopbackNames = new Set(['127.0.0.1', 'localhost', '[::1]']);

/** Whether a host to listen on, or the name in a `Host` header without its port, is this machine only. */
export function isLoopback(host: string): boolean {
  return loopbackNames.has(host.toLowerCase()) || host === '::1';
}

export interface GuardOptions {
  /** Whether the server listens beyond this machine. */
  readonly isPublic: boolean;
  /** The host names that a public server accepts, in addition to every IP address. */
  readonly hosts: readonly string[];
  /** Whether pages of another origin may change something. */
  readonly allowsOrigin: (origin: string) => boolean;
}

/** The parts of a request that show its origin. */
export interface RequestSource {
  readonly method: string;
  readonly host: string | undefined;
  readonly origin: string | undefined;
}

/**
 * Returns a check that refuses requests that a page of another site could have caused: a foreign `Host` (DNS rebinding;
 * it needs a name, so an IP address is safe), and a change whose `Origin` is neither the server itself nor allowed
 * (cross-site request forgery).
 */
export function requestGuard({ isPublic, hosts, allowsOrigin }: GuardOptions): (source: RequestSource) => void {
  const names = new Set(hosts.map(host => host.toLowerCase()));
  const isOurs = (name: string) =>
    isLoopback(name) || (isPublic && (names.has(name) || isIP(name.replaceAll(/[[\]]/g, '')) !== 0));
  return ({ method, host = '', origin }) => {
    const called = host.toLowerCase();
    if (!isOurs(called.replace(/:\d+$/, '')))
      throw new SingletreeError(
        'request_forbidden',
        `The request names the host "${host}". This server answers only ${['127.0.0.1, localhost, [::1]', ...names].join(', ')}.`,
      );
    if (method === 'GET' || method === 'HEAD' || origin === undefined || allowsOrigin(origin)) return;
    const from = origin.toLowerCase();
    if (from !== `http://${called}` && !(isPublic && from === `https://${called}`))
      throw new SingletreeError(
        'request_forbidden',
        `The request comes from the page "${origin}". Only pages of http://${host} may change something here; allow others with the option \`cors\`, or \`--cors\`.`,
      );
  };
}

/** Whether a text is exactly one origin as a browser sends it, such as `https://app.example` or `http://localhost:3000`. */
export function isOrigin(text: string): boolean {
  if (!/^https?:\/\/[^*]+$/.test(text) || !URL.canParse(text)) return false;
  return new URL(text).origin === text;
}

/** The parts of a request that determine cross-origin access. */
export interface CrossOriginRequest {
  readonly method: string;
  readonly origin: string | undefined;
  /** `Access-Control-Request-Method`: only a preflight has it. */
  readonly requestedMethod: string | undefined;
  readonly requestedHeaders: string | undefined;
}

/**
 * The pages of other origins that may use the server. Only these exact origins are allowed, and never with cookies: they
 * send the token themselves.
 */
export class CrossOrigin {
  readonly #origins: ReadonlySet<string>;

  constructor(origins: readonly string[]) {
    this.#origins = new Set(origins);
  }

  isAllowed(origin: string | undefined): origin is string {
    return origin !== undefined && this.#origins.has(origin);
  }

  /** The headers of every response; none when no origin is allowed. */
  headers(origin: string | undefined): Readonly<Record<string, string>> {
    if (this.#origins.size === 0) return {};
    if (!this.isAllowed(origin)) return { vary: 'Origin' };
    return { vary: 'Origin', 'access-control-allow-origin': origin, 'access-control-expose-headers': '*' };
  }

  /** The response to the preflight of an allowed origin; undefined for any other request. */
  preflight({ method, origin, requestedMethod, requestedHeaders }: CrossOriginRequest): Response | undefined {
    if (method !== 'OPTIONS' || requestedMethod === undefined || !this.isAllowed(origin)) return undefined;
    const headers = {
      'access-control-allow-methods': 'GET, POST, PATCH, DELETE',
      ...defined({ 'access-control-allow-headers': requestedHeaders }),
      'access-control-max-age': '600',
    };
    return new Response(null, { status: 204, headers });
  }
}

/** The headers that keep a page from running or loading anything that is not the server's own. */
export const securityHeaders: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};
