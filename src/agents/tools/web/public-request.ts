import { lookup } from 'node:dns';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { isPublicAddress } from './public-address.ts';

export interface PublicRequestOptions {
  readonly signal: AbortSignal;
  /** Hosts that may be private, as written in a URL: `localhost:8080`. */
  readonly allowHosts: readonly string[];
}

interface PublicPost extends PublicRequestOptions {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const mostRedirects = 5;

/**
 * Fetches a page of the public internet and follows redirects. Rejects an address of this machine or its network, also
 * when a name resolves to one: the connection uses the address that was checked.
 */
export async function getPublic(
  address: string,
  options: PublicRequestOptions,
): Promise<{ url: URL; response: IncomingMessage }> {
  let url = checkedUrl(address);
  for (let redirects = 0; redirects <= mostRedirects; redirects++) {
    const response = await send(url, options, { method: 'GET', headers: getHeaders });
    const { location } = response.headers;
    if (location === undefined || ![301, 302, 303, 307, 308].includes(response.statusCode ?? 0))
      return { url, response };
    response.destroy();
    url = checkedUrl(location, url);
  }
  throw new Error(`${address} redirects more than ${mostRedirects} times.`);
}

/** Posts to an address in the same way; redirects are not followed. */
export function postPublic(address: string, { headers, body, ...options }: PublicPost): Promise<IncomingMessage> {
  return send(checkedUrl(address), options, { method: 'POST', headers, body });
}

function checkedUrl(address: string, base?: URL): URL {
  if (!URL.canParse(address, base?.href))
    throw new Error(`${address} is not a valid address: expected http:// or https://.`);
  const url = new URL(address, base);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new Error(`${url.protocol} cannot be fetched: only http: and https: are.`);
  return url;
}

const getHeaders = { accept: 'text/*, application/json, */*;q=0.1', 'accept-encoding': 'identity' };

async function send(
  url: URL,
  { signal, allowHosts }: PublicRequestOptions,
  { method, headers, body }: { method: string; headers: Readonly<Record<string, string>>; body?: string },
): Promise<IncomingMessage> {
  const isAllowed = allowHosts.includes(url.host);
  if (!isAllowed && isPrivateAddress(url)) throw notPublic(url.hostname);
  const request = url.protocol === 'https:' ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    // A pooled connection would skip the lookup.
    const settings = {
      method,
      signal,
      headers: { 'user-agent': 'singletree', ...headers },
      agent: false,
      ...(isAllowed ? {} : { lookup: publicLookup }),
    };
    request(url, settings, resolve).once('error', reject).end(body);
  });
}

/** Whether a URL names an address of this machine or its network, not by a name that resolves to one. */
export function isPrivateAddress({ hostname }: URL): boolean {
  const literal = hostname.replace(/^\[|\]$/g, '');
  return isIP(literal) !== 0 && !isPublicAddress(literal);
}

const publicLookup: LookupFunction = (host, options, done) => {
  lookup(host, { ...options, all: true }, (error, addresses) => {
    const [first] = addresses ?? [];
    if (error !== null || first === undefined) done(error ?? notPublic(host), '', 0);
    else if (!addresses.every(({ address }) => isPublicAddress(address))) done(notPublic(host), '', 0);
    else if (options.all === true) done(null, addresses);
    else done(null, first.address, first.family);
  });
};

function notPublic(host: string): Error {
  return new Error(`${host} is an address of this machine or its network: only the public internet can be fetched.`);
}
