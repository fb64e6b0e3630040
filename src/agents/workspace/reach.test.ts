import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { accessCovers, pathAccessIn } from './path-access.ts';
import type { PathAccess } from '../contract/permissions.ts';
import { rootAt } from './root.ts';
import { WorkspaceFolder } from './workspace-folder.ts';

const base = realpathSync(mkdtempSync(join(tmpdir(), 'singletree-reach-')));
const root = join(base, 'root');
const file = join(base, 'outside/file.txt');

afterAll(() => rmSync(base, { recursive: true, force: true }));

beforeEach(() => {
  rmSync(base, { recursive: true, force: true });
  for (const folder of ['root', 'outside/folder', 'outside-beside']) mkdirSync(join(base, folder), { recursive: true });
  for (const path of ['outside/file.txt', 'outside/file.txt.key', 'outside/folder/a.txt', 'outside-beside/b.txt'])
    writeFileSync(join(base, path), `content of ${path}`);
});

const access = (path: string, kind: PathAccess['kind'] = 'file', mode: PathAccess['mode'] = 'read'): PathAccess => ({
  path,
  kind,
  mode,
});

describe.each([true, false])('granted paths outside a workspace, by descriptor: %s', byDescriptor => {
  const open = (...granted: PathAccess[]) =>
    new WorkspaceFolder(rootAt(root, byDescriptor), { outside: 'ask' }).pinned([], granted);
  const read = (workspace: WorkspaceFolder, path: string) =>
    workspace.withFile(path, ({ handle }) => handle.readFile('utf8'));
  const notGranted = /outside the workspace, to which access was not granted/;

  it('are opened when exactly they were granted, however they are written', async () => {
    symlinkSync(file, join(root, 'link'));
    for (const path of [file, '../outside/file.txt', 'link', join(base, 'outside/folder/../file.txt')])
      expect(await read(open(access(file)), path)).toBe('content of outside/file.txt');
  });

  it('do not include a sibling, a longer name, their folder, or writing', async () => {
    const workspace = open(access(file));
    for (const path of ['../outside/file.txt.key', '../outside/folder/a.txt', '../outside-beside/b.txt'])
      await expect(read(workspace, path)).rejects.toThrow(notGranted);
    await expect(workspace.entries('../outside', 10)).rejects.toThrow(notGranted);
    await expect(workspace.change([{ path: file, content: 'x' }])).rejects.toThrow(notGranted);
    await expect(read(open(access(join(base, 'outside'), 'folder')), '../outside-beside/b.txt')).rejects.toThrow(
      notGranted,
    );
  });

  it('include what is below a granted folder, except what links lead to', async () => {
    symlinkSync(join(base, 'outside-beside/b.txt'), join(base, 'outside/folder/link'));
    const workspace = open(access(join(base, 'outside/folder'), 'folder', 'write'));
    expect(await workspace.entries('../outside/folder', 10)).toHaveLength(2);
    expect(await read(workspace, join(base, 'outside/folder/a.txt'))).toBe('content of outside/folder/a.txt');
    await expect(read(workspace, '../outside/folder/link')).rejects.toThrow(notGranted);
    const [changed] = await workspace.change([{ path: '../outside/folder/new.txt', content: 'new' }]);
    expect(changed?.real).toBe(join(base, 'outside/folder/new.txt'));
    await expect(workspace.change([{ path: '../outside/folder/deep/new.txt', content: 'x' }])).rejects.toThrow(
      'does not exist',
    );
    expect(readdirSync(join(base, 'outside/folder')).toSorted()).toEqual(['a.txt', 'link', 'new.txt']);
  });

  it('are refused when a link replaced a granted file', async () => {
    rmSync(file);
    symlinkSync(join(base, 'outside-beside/b.txt'), file);
    await expect(read(open(access(file)), file)).rejects.toThrow(notGranted);
    await expect(open(access(file, 'file', 'write')).change([{ path: file, content: 'x' }])).rejects.toThrow(
      notGranted,
    );
    expect(readFileSync(join(base, 'outside-beside/b.txt'), 'utf8')).toBe('content of outside-beside/b.txt');
  });

  it('are refused when a folder replaced a granted file', async () => {
    rmSync(file);
    mkdirSync(file);
    await expect(open(access(file)).entries(file, 10)).rejects.toThrow(notGranted);
  });

  it('are refused when they are not what a pin requires', async () => {
    const pinned = new WorkspaceFolder(rootAt(root, byDescriptor), { outside: 'ask' });
    symlinkSync(file, join(root, 'link'));
    const path = await pinned.resolve('link');
    expect(path).toEqual({ written: 'link', resolved: [file], outside: access(file) });
    rmSync(join(root, 'link'));
    symlinkSync(join(base, 'outside-beside/b.txt'), join(root, 'link'));
    const workspace = pinned.pinned([path], [access(file), access(join(base, 'outside-beside/b.txt'))]);
    await expect(read(workspace, 'link')).rejects.toThrow('does not lead where it led');
  });

  it('cannot be granted unless the workspace asks for them', async () => {
    const workspace = new WorkspaceFolder(rootAt(root, byDescriptor)).pinned([], [access(file)]);
    await expect(read(workspace, file)).rejects.toThrow('is outside the workspace');
    expect(await workspace.resolve(file)).toEqual({ written: file, resolved: [] });
  });
});

describe('access to a path', () => {
  it('is not read from parameters that are not fully understood', () => {
    const params = { path: '/etc/hosts', kind: 'file', mode: 'read' };
    expect(pathAccessIn({ ...params, reason: 'because' })).toEqual(params);
    expect(pathAccessIn({ ...params, path: '/', kind: 'folder' })).toMatchObject({ path: '/' });
    for (const path of ['etc/hosts', '', '/etc/../root', '/etc//hosts', '/etc/', '/./etc', 5])
      expect(pathAccessIn({ ...params, path })).toBeUndefined();
    expect(pathAccessIn({ ...params, kind: 'any' })).toBeUndefined();
    expect(pathAccessIn({ path: '/etc' })).toBeUndefined();
  });

  it('covers a path only when its names begin with all names of the granted folder', () => {
    const names = fc.array(fc.constantFrom('a', 'ab', 'b', 'a.b'), { maxLength: 4 });
    fc.assert(
      fc.property(names, names, (granted, needed) => {
        const path = (list: string[]) => `/${list.join('/')}`;
        const isBelow = granted.every((name, index) => needed[index] === name);
        expect(accessCovers(access(path(granted), 'folder'), access(path(needed)))).toBe(isBelow);
        expect(accessCovers(access(path(granted), 'folder'), access(path(needed), 'file', 'write'))).toBe(false);
      }),
    );
  });
});
