import type { MiddlewareHandler } from 'hono';
import { SingletreeError } from '../events/index.ts';

const loopbackNames = new Set(['127.0.0.1', 'localhost', '[::1]']);

/** Whether a host to listen on, or the name in a `Host` header without its port, is this machine only. */
export function isLoopback(host: string): boolean {
  return loopbackNames.has(host.toLowerCase()) || host === '::1';
}

/**
 * Refuses requests that a page of another site could have caused: a `Host` that is not loopback (DNS rebinding), and
 * a change whose `Origin` is not the server itself (cross-site request forgery).
 */
export function guardRequests(): MiddlewareHandler {
  return async (context, next) => {
    const host = context.req.header('host') ?? '';
    if (!isLoopback(host.replace(/:\d+$/, '')))
      throw new SingletreeError(
        'request_forbidden',
        `The request names the host "${host}". This server answers only 127.0.0.1, localhost and [::1].`,
      );
    const origin = context.req.header('origin');
    const safe = context.req.method === 'GET' || context.req.method === 'HEAD';
    if (!safe && origin !== undefined && origin.toLowerCase() !== `http://${host.toLowerCase()}`)
      throw new SingletreeError(
        'request_forbidden',
        `The request comes from the page "${origin}". Only pages of http://${host} may change something here.`,
      );
    await next();
  };
}

const headers = {
  'content-security-policy':
    "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

/** Adds the headers that keep a page from running or loading anything that is not the server's own. */
export function securityHeaders(): MiddlewareHandler {
  return async (context, next) => {
    await next();
    for (const [name, value] of Object.entries(headers)) context.res.headers.set(name, value);
  };
}
