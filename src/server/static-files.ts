import { createHash } from 'node:crypto';
import { readFile, realpath, stat } from 'node:fs/promises';
import { extname, resolve, sep } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Handler } from 'hono';
import { SingletreeError } from '../base/singletree-error.ts';
import { escapeHtml } from './html-pages.ts';

const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.map': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
};

/** A file to send: plain, and compressed when that saves enough. */
interface SentFile {
  readonly plain: Buffer<ArrayBuffer>;
  readonly etag: string;
  /** When and how long the file was that this was made of. */
  readonly version: string;
  /** Made when a reader takes it for the first time. */
  compressed: Partial<Record<Encoding, Promise<Buffer<ArrayBuffer>>>>;
}

export interface StaticFilesOptions {
  /** Replaces the title of `index.html`. */
  readonly title?: string | undefined;
}

/**
 * Serves the files of a folder and nothing outside it, links followed. A path without an extension that is no file
 * gets `index.html`, so that the page can route on the client. Each file is read and compressed once until it changes.
 */
export function staticFiles(root: string, { title }: StaticFilesOptions = {}): Handler {
  const kept = new Map<string, SentFile>();
  const find = async (path: string): Promise<SentFile | undefined> => {
    const file = await confinedPath(root, path.slice(1));
    const stats = file === undefined ? undefined : await stat(file).catch(() => undefined);
    if (file === undefined || stats?.isFile() !== true) return undefined;
    const version = `${stats.mtimeMs} ${stats.size}`;
    const known = kept.get(file);
    if (known?.version === version) return known;
    const content = await readFile(file);
    const plain = path === '/index.html' && title !== undefined ? withTitle(content, title) : content;
    const etag = `"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`;
    const sent: SentFile = { plain, etag, version, compressed: {} };
    kept.set(file, sent);
    return sent;
  };
  return async context => {
    const path = decodePath(new URL(context.req.url).pathname);
    const header = (name: string) => context.req.header(name);
    const file = path === undefined ? undefined : await find(path);
    if (file !== undefined && path !== undefined) return fileResponse(path, file, header);
    const page = path !== undefined && extname(path) === '' ? await find('/index.html') : undefined;
    if (page !== undefined) return fileResponse('/index.html', page, header);
    throw new SingletreeError('not_found', 'There is nothing at this address.');
  };
}

function withTitle(page: Buffer, title: string): Buffer<ArrayBuffer> {
  return Buffer.from(page.toString().replace(/<title>[^<]*<\/title>/, () => `<title>${escapeHtml(title)}</title>`));
}

/** The path as written, decoded once; undefined when it cannot name a file. */
function decodePath(path: string): string | undefined {
  try {
    const decoded = decodeURIComponent(path);
    return /[\0\\]/.test(decoded) || decoded.split('/').includes('..') ? undefined : decoded;
  } catch {
    return undefined;
  }
}

/** Where a file of the folder is, links followed; undefined when it is missing or lies outside. */
export async function confinedPath(root: string, path: string): Promise<string | undefined> {
  try {
    const base = await realpath(root);
    const file = await realpath(resolve(base, path));
    return file.startsWith(base + sep) ? file : undefined;
  } catch {
    return undefined; // It is missing, or may not be read.
  }
}

async function fileResponse(
  path: string,
  file: SentFile,
  header: (name: string) => string | undefined,
): Promise<Response> {
  // Names under /assets carry a hash of what is inside.
  const cache = path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache';
  const type = contentTypes[extname(path).toLowerCase()] ?? 'application/octet-stream';
  const headers = { 'content-type': type, 'cache-control': cache, etag: file.etag, vary: 'accept-encoding' };
  if (header('if-none-match') === file.etag) return new Response(null, { status: 304, headers });
  const encoding = isText(type) && file.plain.length > shortest ? encodingFor(header('accept-encoding')) : undefined;
  if (encoding === undefined) return new Response(file.plain, { headers });
  const body = await (file.compressed[encoding] ??= compress[encoding](file.plain));
  return new Response(body, { headers: { ...headers, 'content-encoding': encoding } });
}

/** Smaller files are not compressed. */
const shortest = 1024;

type Encoding = 'br' | 'gzip';

const compress: Record<Encoding, (content: Buffer) => Promise<Buffer<ArrayBuffer>>> = {
  br: promisify((content: Buffer, done: (error: Error | null, result: Buffer<ArrayBuffer>) => void) =>
    brotliCompress(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }, done),
  ),
  gzip: promisify((content: Buffer, done: (error: Error | null, result: Buffer<ArrayBuffer>) => void) =>
    gzip(content, { level: 9 }, done),
  ),
};

/** Returns the best encoding that a reader accepts. */
function encodingFor(accepted = ''): Encoding | undefined {
  const taken = accepted.split(',').flatMap(each => {
    const [name = '', ...params] = each.trim().toLowerCase().split(';');
    return params.some(param => /^\s*q=0(\.0*)?$/.test(param)) ? [] : [name.trim()];
  });
  return (['br', 'gzip'] as const).find(encoding => taken.includes(encoding));
}

function isText(type: string): boolean {
  return /^text\/|json|javascript|svg/.test(type);
}
