import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { download } from './download.ts';

let server: Server;
let host: string;
beforeEach(async () => {
  server = createServer((request, response) => {
    if (request.url === '/missing') response.writeHead(404).end();
    else response.writeHead(200, { 'content-type': 'text/csv; charset=utf-8' }).end('a,b\n1,2');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => new Promise(resolve => server.close(resolve)));

const from = (path: string, mediaType = 'text/csv') => ({ url: new URL(`http://${host}${path}`), mediaType });
const { signal } = new AbortController();

it('downloads a file, with the type of the response when none is stated', async () => {
  const data = await download(from('/a.csv', ''), { signal, allowHosts: [host] });
  expect([Buffer.from(data.base64, 'base64').toString(), data.mediaType]).toEqual(['a,b\n1,2', 'text/csv']);
});

it('rejects what is missing, too large or private', async () => {
  await expect(download(from('/missing'), { signal, allowHosts: [host] })).rejects.toThrow('answered 404');
  await expect(download(from('/a.csv'), { signal, allowHosts: [host], maxBytes: 3 })).rejects.toThrow('larger than 3');
  await expect(download(from('/a.csv'), { signal })).rejects.toThrow('public internet');
});
