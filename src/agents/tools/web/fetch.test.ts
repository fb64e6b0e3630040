import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CallOptions, callTool } from '../../../../test/support/call-tool.ts';
import { type FetchOptions, fetchTool } from './fetch.ts';
import { htmlText } from './html-text.ts';
import { isPublicAddress } from './public-address.ts';

const pages: Record<string, RequestListener> = {
  '/text': (_, response) => response.setHeader('content-type', 'text/plain; charset=utf-8').end('hello'),
  '/latin': (_, response) =>
    response.setHeader('content-type', 'text/plain; charset=iso-8859-1').end(Buffer.from([0xe9])),
  '/html': (_, response) =>
    response.setHeader('content-type', 'text/html').end('<h1>A &amp; B</h1><script>no</script>'),
  '/json': (_, response) => response.setHeader('content-type', 'application/ld+json').end('{"a":1}'),
  '/image': (_, response) => response.setHeader('content-type', 'image/png').end('PNG'),
  '/zipped': (_, response) =>
    response.setHeader('content-type', 'text/plain').setHeader('content-encoding', 'gzip').end('zipped'),
  '/missing': (_, response) => response.writeHead(404, { 'content-type': 'text/plain' }).end('no such page'),
  '/endless': (_, response) => {
    response.setHeader('content-type', 'text/plain');
    const more = () => {
      while (response.write('x'.repeat(1000)));
    };
    response.on('drain', more);
    more();
  },
  '/silent': () => {},
  '/move': (_, response) => response.writeHead(302, { location: '/text' }).end(),
  '/circle': (_, response) => response.writeHead(302, { location: '/circle' }).end(),
  '/away': (request, response) =>
    response.writeHead(302, { location: `http://127.0.0.1:${request.socket.localPort}/text` }).end(),
  '/file': (_, response) => response.writeHead(302, { location: 'file:///etc/passwd' }).end(),
};
let server: Server;
let port = 0;
let asked: string[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(request.url ?? '');
    pages[request.url ?? '']?.(request, response);
  });
  await new Promise<void>(resolve => server.listen(0, resolve));
  ({ port } = server.address() as AddressInfo);
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const fetchPage = (url: string, settings: FetchOptions = {}, options?: CallOptions) => {
  asked = [];
  return callTool([fetchTool({ allowHosts: [`localhost:${port}`], ...settings })], ['fetch', { url }], options);
};
const page = (path: string, settings?: FetchOptions, options?: CallOptions) =>
  fetchPage(`http://localhost:${port}${path}`, settings, options);

describe('fetch', () => {
  it('returns the text of a page', async () => {
    expect(await page('/text')).toEqual({
      context: 'hello',
      result: {
        url: `http://localhost:${port}/text`,
        status: 200,
        contentType: 'text/plain; charset=utf-8',
        bytes: 5,
        isWhole: true,
      },
    });
    expect((await page('/latin')).context).toBe('é');
    expect((await page('/html')).context).toBe('A & B');
    expect((await page('/json')).context).toBe('{"a":1}');
  });

  it('follows redirects, up to five', async () => {
    expect((await page('/move')).result).toMatchObject({ url: `http://localhost:${port}/text` });
    await expect(page('/circle')).rejects.toThrow('redirects more than 5 times');
    await expect(page('/file')).rejects.toThrow('file: cannot be fetched');
  });

  it("rejects what is not text, and reports a server's refusal", async () => {
    await expect(page('/image')).rejects.toThrow('is image/png: only text can be fetched');
    await expect(page('/zipped')).rejects.toThrow('compressed with gzip');
    await expect(page('/missing')).rejects.toThrow('answered 404: no such page');
    for (const url of ['ftp://x.org/', 'file:///etc/passwd', 'data:text/plain,x', 'nonsense', ''])
      await expect(fetchPage(url)).rejects.toThrow();
  });

  it('reads no more than its limit', async () => {
    const { context, result } = await page('/endless', { maxBytes: 5_000 });
    expect(context).toBe(`${'x'.repeat(5_000)}\n[The rest is omitted: only 5000 bytes are read.]`);
    expect(result).toMatchObject({ bytes: 5_000, isWhole: false });
  });

  it('stops when it is aborted, and has a time limit for the loop', async () => {
    const abort = new AbortController();
    const fetching = page('/silent', {}, { signal: abort.signal });
    await new Promise(resolve => server.once('request', resolve));
    abort.abort();
    await expect(fetching).rejects.toThrow('aborted');
    expect(fetchTool().timeoutMs).toBe(30_000);
    expect(fetchTool({ timeoutMs: 5 }).timeoutMs).toBe(5);
  });

  it.each([
    'http://127.0.0.1:PORT/text',
    'http://127.1:PORT/text',
    'http://2130706433:PORT/text',
    'http://0x7f000001:PORT/text',
    'http://0.0.0.0:PORT/text',
    'http://[::1]:PORT/text',
    'http://[::ffff:127.0.0.1]:PORT/text',
    'http://[::]:PORT/text',
    'http://10.0.0.1/',
    'http://169.254.169.254/latest/meta-data/',
    'http://user:pass@192.168.1.1/',
    'https://[fe80::1]/',
  ])('refuses %s, an address of this machine or its network', async url => {
    await expect(fetchPage(url.replace('PORT', `${port}`))).rejects.toThrow('address of this machine or its network');
    expect(asked).toEqual([]);
  });

  it('rejects a name that resolves to such an address, and a redirect to one', async () => {
    await expect(page('/text', { allowHosts: [] })).rejects.toThrow('localhost is an address of this machine');
    expect(asked).toEqual([]);
    await expect(page('/away')).rejects.toThrow('127.0.0.1 is an address of this machine');
    expect(asked).toEqual(['/away']);
  });
});

describe('public addresses', () => {
  it('include those of the internet', () => {
    const all = ['1.1.1.1', '93.184.215.14', '172.32.0.1', '2606:4700::1111', '2a00:1450:4001::1'];
    expect(all.filter(address => !isPublicAddress(address))).toEqual([]);
  });

  it('include no others', () => {
    const none = [
      '0.0.0.0 10.1.2.3 100.64.0.1 127.0.0.1 127.255.255.255 169.254.169.254 172.16.0.1 172.31.255.255 192.168.0.1',
      '198.18.0.1 224.0.0.1 255.255.255.255 :: ::1 ::ffff:8.8.8.8 ::ffff:127.0.0.1 64:ff9b::7f00:1 fe80::1 fc00::1',
      'fd12::1 ff02::1 2001:db8::1 2002:7f00:1::1 2001::1 localhost x',
    ]
      .join(' ')
      .split(' ');
    expect(none.filter(isPublicAddress)).toEqual([]);
  });
});

describe('the text of a page', () => {
  it.each([
    ['<p>one</p><p>two<br>three</p>', 'one\n\ntwo\nthree'],
    ['<head><title>x</title></head><style>p{}</style>a<!-- <b> -->b', 'ab'],
    ['<ul><li>a</li><li>b <b>c</b></li></ul>', '- a\n- b c'],
    ['<td>1</td><td>2</td>', '1 2'],
    ['a &lt;b&gt; &#233;&#x1F600; &unknown; &#99999999;', 'a <b> é😀 &unknown; &#99999999;'],
    ['1 < 2 and <unclosed', '1 < 2 and'],
    ['<script>if (a < b) "</p>"</script >x', 'x'],
    ['<svg><path/></svg>after<script>open', 'after'],
  ])('%j is %j', (html, text) => {
    expect(htmlText(html)).toBe(text);
  });

  it('needs time in proportion to the page', () => {
    for (const piece of ['<', '<!--', '<script', '<p ', '&#', '<a href="', ' ']) htmlText(piece.repeat(200_000));
  });
});
