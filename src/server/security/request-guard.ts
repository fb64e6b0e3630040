import { isIP } from 'node:net';
import { SingletreeError } from '../../base/singletree-error.ts';

const loopbackNames = new Set(['127.0.0.1', 'localhost', '[::1]']);

/** Whether a host to listen on, or the name in a `Host` header without its port, is this machine only. */
export function isLoopback(host: string): boolean {
  return loopbackNames.has(host.toLowerCase()) || host === '::1';
}

export interface GuardOptions {
  /** Whether the server listens beyond this machine. */
  readonly isPublic: boolean;
  /** The names by which a public server may be called, beside every IP address. */
  readonly hosts: readonly string[];
  /** Whether pages of another origin may change something. */
  readonly allowsOrigin: (origin: string) => boolean;
}

/** What of a request says where it comes from. */
export interface RequestSource {
  readonly method: string;
  readonly host: string | undefined;
  readonly origin: string | undefined;
}

/**
 * Makes the check that refuses requests a page of another site could have caused: a `Host` that is not ours (DNS
 * rebinding: it needs a name, so an IP address is safe), and a change whose `Origin` is not the server itself
 * (cross-site request forgery) nor allowed.
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
