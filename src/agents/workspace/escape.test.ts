import { execFileSync } from 'node:child_process';
import {
  constants,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { Folder } from './folder.ts';
import { rootAt } from './root.ts';
import { WorkspaceFolder } from './workspace-folder.ts';

const base = realpathSync(mkdtempSync(join(tmpdir(), 'singletree-escape-')));
const root = join(base, 'root');
const outside = join(base, 'outside');
const secret = join(outside, 'secret.txt');

afterAll(() => rmSync(base, { recursive: true, force: true }));

beforeEach(() => {
  rmSync(base, { recursive: true, force: true });
  mkdirSync(join(root, 'folder/deep'), { recursive: true });
  mkdirSync(outside);
  mkdirSync(join(base, 'root-beside'));
  writeFileSync(secret, 'SECRET');
  writeFileSync(join(base, 'root-beside/secret.txt'), 'SECRET');
  writeFileSync(join(root, 'file.txt'), 'inside');
  writeFileSync(join(root, 'folder/file.txt'), 'inside');
});

const readAll = (workspace: WorkspaceFolder, path: string) =>
  workspace.withFile(path, ({ handle }) => handle.readFile('utf8'));

/** The content outside the root, to verify that nothing there changes. */
const outsideNow = () => ({
  files: [base, outside, join(base, 'root-beside')].map(folder => readdirSync(folder).toSorted()),
  secret: readFileSync(secret, 'utf8'),
});

/** All operations with a path. */
const uses: readonly ((workspace: WorkspaceFolder, path: string) => Promise<unknown>)[] = [
  readAll,
  (workspace, path) => workspace.entries(path, 10),
  (workspace, path) => workspace.change([{ path, content: 'WRITTEN' }]),
  (workspace, path) => workspace.change([{ path: `${path}/new/file.txt`, content: 'WRITTEN' }]),
  (workspace, path) =>
    workspace.run({ command: 'touch ran', folder: path, signal: new AbortController().signal, timeoutMs: 5_000 }),
];

const link = (target: string, path: string) => symlinkSync(target, join(root, path));

/** Paths that lead outside, each with its setup. */
const escapes: Record<string, { path: string | (() => string); set?: () => void }> = {
  'one step up': { path: '..' },
  'a climb': { path: '../outside/secret.txt' },
  'a climb from below': { path: 'folder/deep/../../../outside/secret.txt' },
  'a climb through a name that does not exist': { path: 'nothing/../../outside/secret.txt' },
  'a climb that comes back to a sibling with the same beginning': { path: '../root-beside/secret.txt' },
  'a long climb': { path: `${'../'.repeat(60)}etc/passwd` },
  'an absolute path': { path: '/etc/passwd' },
  'an absolute path outside': { path: () => secret },
  'an absolute path that starts like the root': { path: () => `${root}-beside/secret.txt` },
  'an absolute path inside that climbs': { path: () => `${root}/../outside/secret.txt` },
  'a path with doubled slashes': { path: () => `/${secret}` },
  'the root of the disk': { path: '/' },
  'the root of the process': { path: () => `/proc/self/root${secret}` },
  'the folder of the process': { path: '/proc/self/cwd/package.json' },
  'an open file of the process': { path: '/proc/self/fd/0' },
  'an open file by its device': { path: '/dev/fd/0' },
  'a device': { path: '/dev/zero' },
  'the memory of the process': { path: '/proc/self/mem' },
  'a link to a file': { path: 'link', set: () => link(secret, 'link') },
  'a link to a folder': { path: 'link', set: () => link(outside, 'link') },
  'a name behind a link to a folder': { path: 'link/secret.txt', set: () => link(outside, 'link') },
  'a link with a climb': { path: 'link', set: () => link('../outside/secret.txt', 'link') },
  'a link with a climb, deep': {
    path: 'folder/deep/link',
    set: () => link('../../../outside/secret.txt', 'folder/deep/link'),
  },
  'a chain of links': {
    path: 'one',
    set: () => {
      link('two', 'one');
      link('folder/three', 'two');
      link(secret, 'folder/three');
    },
  },
  'a link to a folder inside that holds a link': {
    path: 'one/two/secret.txt',
    set: () => {
      link('folder', 'one');
      link('../../outside', 'folder/two');
    },
  },
  'a link to the parent': { path: 'up/outside/secret.txt', set: () => link('..', 'up') },
  'a link to the root of the process': { path: 'link', set: () => link(`/proc/self/root${secret}`, 'link') },
  'a link to the folder of the process': { path: 'link/package.json', set: () => link('/proc/self/cwd', 'link') },
  'a link to an open file': { path: 'link', set: () => link('/dev/fd/0', 'link') },
  'a link in a circle': {
    path: 'one',
    set: () => {
      link('two', 'one');
      link('one', 'two');
    },
  },
  'a link to itself through a folder': { path: 'again/again/again', set: () => link('again', 'again') },
  'a NUL byte': { path: 'file.txt\0../../outside/secret.txt' },
  'a very long name': { path: 'x'.repeat(300) },
  'a very long path': { path: 'x/'.repeat(5_000) },
};

describe.each([
  ...(process.platform === 'linux' ? [['through opened folders', true] as const] : []),
  ['with a check of what was opened', false] as const,
])('a workspace %s', (_, byDescriptor) => {
  const open = () => new WorkspaceFolder(rootAt(root, byDescriptor));

  it.each(Object.entries(escapes))('rejects %s, for every operation', async (_, { path, set }) => {
    set?.();
    const before = outsideNow();
    for (const use of uses)
      await expect(use(open(), typeof path === 'string' ? path : path())).rejects.toMatchObject({
        name: 'SingletreeError',
        message: expect.stringMatching(/outside the workspace|too many links|NUL|too long|does not exist/),
      });
    expect(outsideNow()).toEqual(before);
  });

  it('says that a path is outside', async () => {
    await expect(readAll(open(), '../outside/secret.txt')).rejects.toThrow(
      '"../outside/secret.txt" is outside the workspace. Use a path inside it, relative to its root.',
    );
    link(secret, 'link');
    await expect(readAll(open(), 'link')).rejects.toThrow(
      '"link" goes through the link link, which leads outside the workspace.',
    );
  });

  it('does not write through a link to nothing', async () => {
    link(join(outside, 'new.txt'), 'away');
    link('missing.txt', 'dangling');
    link('missing', 'folder/gone');
    for (const path of ['away', 'dangling', 'folder/gone', 'folder/gone/file.txt'])
      await expect(open().change([{ path, content: 'x' }])).rejects.toThrow(/leads outside|does not exist/);
    expect(readdirSync(outside)).toEqual(['secret.txt']);
    expect(existsSync(join(root, 'missing.txt'))).toBe(false);
  });

  it('never opens pipes, sockets and devices, and never waits for them', async () => {
    execFileSync('mkfifo', [join(root, 'pipe')]);
    const server = createServer().listen(join(root, 'socket'));
    await new Promise(resolve => server.once('listening', resolve));
    link('/dev/zero', 'zero');
    for (const path of ['pipe', 'socket']) {
      await expect(readAll(open(), path)).rejects.toThrow('is not a regular file');
      await expect(open().change([{ path, content: 'x' }])).rejects.toThrow('is not a regular file');
    }
    await expect(readAll(open(), 'zero')).rejects.toThrow('outside the workspace');
    await new Promise(resolve => server.close(resolve));
  });

  it('removes a link and not what it points to', async () => {
    link(secret, 'away');
    link('file.txt', 'near');
    await open().change([
      { path: 'away', content: undefined },
      { path: 'near', content: undefined },
    ]);
    expect(readdirSync(root).toSorted()).toEqual(['file.txt', 'folder']);
    expect(readFileSync(secret, 'utf8')).toBe('SECRET');
  });

  it('writes a new file in place of one with a second name outside, which keeps its content', async () => {
    linkSync(secret, join(root, 'hard.txt'));
    await open().change([{ path: 'hard.txt', content: 'new' }]);
    expect(readFileSync(join(root, 'hard.txt'), 'utf8')).toBe('new');
    expect(readFileSync(secret, 'utf8')).toBe('SECRET');
  });

  it('follows links that stay inside', async () => {
    link('file.txt', 'relative');
    link(join(root, 'folder'), 'absolute');
    link('../absolute/deep/../file.txt', 'folder/winding');
    const workspace = open();
    for (const path of [
      'relative',
      'absolute/file.txt',
      'folder/winding',
      'folder/deep/../file.txt',
      './/folder//file.txt',
    ])
      expect(await readAll(workspace, path)).toBe('inside');
    await workspace.change([
      { path: 'relative', content: 'new' },
      { path: 'absolute/a/b.txt', content: 'made' },
    ]);
    expect(readFileSync(join(root, 'file.txt'), 'utf8')).toBe('new');
    expect(readFileSync(join(root, 'folder/a/b.txt'), 'utf8')).toBe('made');
  });

  it('accepts absolute paths by any name of the root', async () => {
    const alias = join(base, 'alias');
    symlinkSync(root, alias);
    for (const workspace of [open(), new WorkspaceFolder(rootAt(alias, byDescriptor))])
      for (const name of [root, alias, `/proc/self/root${root}`].filter(existsSync))
        expect(await readAll(workspace, `${name}/file.txt`)).toBe('inside');
    expect(new WorkspaceFolder(rootAt(alias, byDescriptor)).root).toBe(root);
  });

  it('opens no link, also one that did not exist before', async () => {
    link('file.txt', 'file-link');
    link('folder', 'folder-link');
    const folder = await Folder.open(rootAt(root, byDescriptor));
    await expect(folder.openFile('file-link', constants.O_RDONLY)).rejects.toThrow('ELOOP');
    await expect(folder.enter('folder-link')).rejects.toThrow(/ELOOP|ENOTDIR/);
    await folder.close();
  });

  it('does not read outside while folders and files are swapped for links', async () => {
    const exchange = startExchange();
    const workspace = open();
    const seen = new Set<string>();
    for (let count = 0; count < 200 || seen.size < 2; count++)
      for (const path of ['folder/secret.txt', 'secret.txt'])
        seen.add(await readAll(workspace, path).catch(error => (error as Error).name));
    await exchange.stop();
    expect([...seen].toSorted()).toEqual(['SingletreeError', 'inside']);
  });
});

it.skipIf(process.platform !== 'linux')('does not write outside while folders are swapped for links', async () => {
  const exchange = startExchange();
  const workspace = new WorkspaceFolder(rootAt(root));
  const before = outsideNow();
  const outcomes = new Set<string>();
  for (let count = 0; count < 150 || outcomes.size < 2; count++)
    for (const path of ['folder/secret.txt', 'folder/new/file.txt', 'secret.txt'])
      outcomes.add(
        await workspace.change([{ path, content: 'inside' }]).then(
          () => 'written',
          error => (error as Error).name,
        ),
      );
  await exchange.stop();
  expect([...outcomes].toSorted()).toEqual(['SingletreeError', 'written']);
  expect(outsideNow()).toEqual(before);
});

it.skipIf(process.platform !== 'linux')(
  'does not remove or run anything outside while folders are exchanged for links',
  async () => {
    const exchange = startExchange();
    const workspace = new WorkspaceFolder(rootAt(root));
    const before = outsideNow();
    const signal = new AbortController().signal;
    for (let count = 0; count < 25; count++) {
      await workspace.change([{ path: 'folder/secret.txt', content: undefined }]).catch(() => {});
      await workspace.change([{ path: 'folder/secret.txt', content: 'inside' }]).catch(() => {});
      await workspace.run({ command: 'touch ran', folder: 'folder', signal, timeoutMs: 5_000 }).catch(() => {});
    }
    await exchange.stop();
    expect(outsideNow()).toEqual(before);
  },
);

/** A thread that swaps `folder` and `secret.txt` for links to outside and back, as fast as it can. */
function startExchange() {
  writeFileSync(join(root, 'folder/secret.txt'), 'inside');
  writeFileSync(join(root, 'secret.txt'), 'inside');
  const stopped = new Int32Array(new SharedArrayBuffer(4));
  const code = `
    const { renameSync, symlinkSync, unlinkSync, rmSync } = require('node:fs');
    const { workerData: { root, outside, stopped } } = require('node:worker_threads');
    const attempt = act => { try { act(); } catch {} };
    const exchange = (name, target) => {
      attempt(() => renameSync(root + '/' + name, root + '/parked'));
      attempt(() => symlinkSync(target, root + '/' + name));
      attempt(() => unlinkSync(root + '/' + name));
      attempt(() => renameSync(root + '/parked', root + '/' + name));
      attempt(() => rmSync(root + '/parked', { recursive: true }));
    };
    while (Atomics.load(stopped, 0) === 0) {
      exchange('folder', outside);
      exchange('secret.txt', outside + '/secret.txt');
    }`;
  const worker = new Worker(code, { eval: true, workerData: { root, outside, stopped } });
  const gone = new Promise(resolve => worker.once('exit', resolve));
  return {
    stop: async () => {
      Atomics.store(stopped, 0, 1);
      await gone;
    },
  };
}
