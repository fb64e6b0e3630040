import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../../test/support/test-server.ts';

const folder = mkdtempSync(join(tmpdir(), 'singletree-static-'));
const root = join(folder, 'web');
const long = 'export const text = "0123456789";\n'.repeat(500);
let server: TestServer;

beforeAll(async () => {
  mkdirSync(join(root, 'assets'), { recursive: true });
  mkdirSync(join(folder, 'web-secret'));
  writeFileSync(join(folder, 'secret.txt'), 'secret');
  writeFileSync(join(folder, 'web-secret', 'secret.txt'), 'secret');
  writeFileSync(join(root, 'index.html'), '<!doctype html><title>page</title>');
  writeFileSync(join(root, 'assets', 'app-1a2b.js'), 'export {};');
  writeFileSync(join(root, 'assets', 'long-1a2b.js'), long);
  writeFileSync(join(root, 'a b.svg'), '<svg/>');
  symlinkSync(join(folder, 'secret.txt'), join(root, 'link.txt'));
  server = await startTestServer([], { webRoot: root });
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Sends the path as it is: `fetch` would tidy it up. */
const get = (path: string) =>
  new Promise<{ status: number | undefined; body: string }>((resolve, reject) => {
    const { hostname, port } = new URL(server.url);
    const sent = request({ hostname, port, path }, response => {
      let body = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
      response.on('end', () => resolve({ status: response.statusCode, body }));
    });
    sent.on('error', reject);
    sent.end();
  });

describe('the files of the page', () => {
  it.each([
    ['/', 'text/html; charset=utf-8', 'no-cache'],
    ['/threads/some-id', 'text/html; charset=utf-8', 'no-cache'],
    ['/assets/app-1a2b.js', 'text/javascript; charset=utf-8', 'public, max-age=31536000, immutable'],
    ['/a%20b.svg', 'image/svg+xml', 'no-cache'],
  ])('%s is %s, cached %s', async (path, type, cache) => {
    const response = await fetch(server.url + path);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe(type);
    expect(response.headers.get('cache-control')).toBe(cache);
    expect(response.headers.get('content-security-policy')).toContain("default-src 'self'");
  });

  it.each(['/missing.js', '/assets/old-9z.js', '/api/index.html', '/assets/'])('%s is not there', async path => {
    const response = await fetch(server.url + path);
    if (path === '/assets/') expect(await response.text()).toContain('<title>page');
    else expect(response.status).toBe(404);
  });

  it.each([
    '/../secret.txt',
    '/%2e%2e/secret.txt',
    '/..%2fsecret.txt',
    '/%2e%2e%2fsecret.txt',
    '/assets/..%2f..%2fsecret.txt',
    '/assets/../../secret.txt',
    '/..%5csecret.txt',
    '/..\\secret.txt',
    '/%252e%252e%252fsecret.txt',
    '//etc/passwd',
    '/../web-secret/secret.txt',
    '/..%2fweb-secret%2fsecret.txt',
    '/link.txt',
    '/secret.txt%00.html',
    '/%c0%ae%c0%ae/secret.txt',
    '/%',
  ])('%s gives nothing from outside', async path => {
    const { status, body } = await get(path);
    expect(body).not.toContain('secret\n');
    expect(body).not.toMatch(/^secret|root:/);
    expect([200, 400, 404]).toContain(status);
    if (status === 200) expect(body).toContain('<title>page');
  });

  it.each([
    ['br, gzip', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0, gzip;q=0.5', 'gzip'],
    ['identity', null],
  ])('are compressed for a reader that accepts %s: %s', async (accepted, encoding) => {
    const response = await fetch(`${server.url}/assets/long-1a2b.js`, { headers: { 'accept-encoding': accepted } });
    expect(response.headers.get('content-encoding')).toBe(encoding);
    expect(response.headers.get('vary')).toContain('accept-encoding');
    expect(await response.text()).toBe(long);
  });

  it('are sent anew only when they changed', async () => {
    const first = await fetch(`${server.url}/a%20b.svg`);
    const etag = first.headers.get('etag') ?? '';
    const headers = { 'if-none-match': etag };
    expect((await fetch(`${server.url}/a%20b.svg`, { headers })).status).toBe(304);
    writeFileSync(join(root, 'a b.svg'), '<svg><g/></svg>');
    const changed = await fetch(`${server.url}/a%20b.svg`, { headers });
    expect([changed.status, await changed.text()]).toEqual([200, '<svg><g/></svg>']);
  });

  it('have the title that the server is given, as text', async () => {
    const titled = await startTestServer([], { webRoot: root, pageTitle: 'Ours & <b>' });
    expect(await (await fetch(`${titled.url}/threads/x`)).text()).toContain('<title>Ours &#38; &#60;b&#62;</title>');
    await titled.close();
  });

  it('cannot be changed', async () => {
    expect((await fetch(`${server.url}/index.html`, { method: 'PUT', body: 'x' })).status).toBe(404);
  });
});
