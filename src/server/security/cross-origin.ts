import { defined } from '../../base/defined.ts';
/** Whether a text is exactly one origin as a browser sends it, such as `https://app.example` or `http://localhost:3000`. */
export function isOrigin(text: string): boolean {
  if (!/^https?:\/\/[^*]+$/.test(text) || !URL.canParse(text)) return false;
  return new URL(text).origin === text;
}

/** What of a request decides about another origin. */
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
