import { readFile, realpath } from 'node:fs/promises';
import { extname, resolve, sep } from 'node:path';
import type { Handler } from 'hono';
import { SingletreeError } from '../events/index.ts';

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

/**
 * Serves the files of a folder and nothing outside it, links followed. A path without an extension that is no file
 * gets `index.html`, so that the page can have addresses of its own.
 */
export function staticFiles(root: string): Handler {
  return async context => {
    const path = decodePath(new URL(context.req.url).pathname);
    const file = path === undefined ? undefined : await readConfined(root, path);
    if (file !== undefined && path !== undefined) return fileResponse(path, file);
    const page = path !== undefined && extname(path) === '' ? await readConfined(root, '/index.html') : undefined;
    if (page !== undefined) return fileResponse('/index.html', page);
    throw new SingletreeError('not_found', 'There is nothing at this address.');
  };
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

async function readConfined(root: string, path: string): Promise<Buffer<ArrayBuffer> | undefined> {
  try {
    const file = await confinedPath(root, path.slice(1));
    return file === undefined ? undefined : await readFile(file);
  } catch {
    return undefined;
  }
}

/** Where a file of the folder is, links followed; undefined when it is not there or lies outside. */
export async function confinedPath(root: string, path: string): Promise<string | undefined> {
  try {
    const base = await realpath(root);
    const file = await realpath(resolve(base, path));
    return file.startsWith(base + sep) ? file : undefined;
  } catch {
    return undefined;
  }
}

function fileResponse(path: string, file: Buffer<ArrayBuffer>): Response {
  // Names under /assets carry a hash of what is inside.
  const cache = path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache';
  const type = contentTypes[extname(path).toLowerCase()] ?? 'application/octet-stream';
  return new Response(file, { headers: { 'content-type': type, 'cache-control': cache } });
}
