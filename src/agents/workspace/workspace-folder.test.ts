import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { lawRuns } from '../../../test/support/run-size.ts';
import { rootAt } from './root.ts';
import { WorkspaceFolder, workspace } from './workspace-folder.ts';

const base = realpathSync(mkdtempSync(join(tmpdir(), 'singletree-workspace-')));
const root = join(base, 'root');
const never = new AbortController().signal;

afterAll(() => rmSync(base, { recursive: true, force: true }));

beforeEach(() => {
  rmSync(root, { recursive: true, force: true });
  mkdirSync(root);
});

const file = (path: string, content: string) => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
};
const textOf = (path: string) => readFileSync(join(root, path), 'utf8');
const readAll = (space: WorkspaceFolder, path: string) => space.withFile(path, ({ handle }) => handle.readFile('utf8'));
/** Whether a process exists and is not a zombie. */
const isRunning = (pid: number) =>
  /^[^Z\s]/.test(spawnSync('ps', ['-o', 'stat=', '-p', `${pid}`], { encoding: 'utf8' }).stdout);
const openFiles = () => readdirSync('/dev/fd').length;

describe('a workspace', () => {
  it('needs an existing folder', () => {
    file('file.txt', '');
    expect(() => workspace(join(root, 'nothing'))).toThrow(`The folder ${root}/nothing`);
    expect(() => workspace(join(root, 'file.txt'))).toThrow('is not a folder');
  });

  describe.each([true, false])('that resolves paths (by descriptor: %s)', byDescriptor => {
    it.each<[path: string, real: string | undefined]>([
      ['a/file', 'a/file'],
      ['./a//file/', 'a/file'],
      ['link/file', 'a/file'],
      ['link', 'a'],
      ['', '.'],
      ['self/self', '.'],
      ['link/new/deep', 'a/new/deep'],
      ['dangling', 'a/none'],
      ['out/x', undefined],
      ['../x', undefined],
      ['loop', undefined],
      ['a/file/below', undefined],
    ])('leads %j to %s', async (path, real) => {
      file('a/file', '');
      for (const [name, target] of Object.entries({
        link: 'a',
        self: '.',
        dangling: 'a/none',
        out: '/etc',
        loop: 'loop',
      }))
        symlinkSync(target, join(root, name));
      const space = new WorkspaceFolder(rootAt(root, byDescriptor));
      const absolute = real === '.' ? root : `${root}/${real}`;
      expect(await space.resolve(path)).toEqual({
        written: path,
        resolved: real === undefined ? [] : [real, absolute],
      });
    });

    it('keeps a link at the end on request', async () => {
      symlinkSync('a', join(root, 'link'));
      const space = new WorkspaceFolder(rootAt(root, byDescriptor));
      expect((await space.resolve('link', { keepLink: true })).resolved).toEqual(['link', `${root}/link`]);
    });

    it('opens nothing else at a pinned path, and closes what it opened', async () => {
      file('a', 'a');
      file('b', 'b');
      symlinkSync('a', join(root, 'link'));
      const space = new WorkspaceFolder(rootAt(root, byDescriptor));
      const pinned = space.pinned([await space.resolve('link')]);
      expect(await readAll(pinned, 'link')).toBe('a');
      rmSync(join(root, 'link'));
      symlinkSync('b', join(root, 'link'));
      const before = openFiles();
      await expect(readAll(pinned, 'link')).rejects.toThrow('does not lead where it led');
      await expect(pinned.change([{ path: 'link', content: '' }])).rejects.toThrow('does not lead where it led');
      expect(openFiles()).toBe(before);
      expect(await readAll(pinned, 'b')).toBe('b');
    });
  });

  it('reports what is wrong with a path, without its internal paths', async () => {
    file('folder/file.txt', 'x');
    const space = workspace(root);
    await expect(readAll(space, 'folder')).rejects.toThrow('"folder" is a folder: a file was expected.');
    await expect(readAll(space, 'no.txt')).rejects.toMatchObject({ code: 'not_found' });
    await expect(readAll(space, 'no/no.txt')).rejects.toThrow('"no/no.txt" does not exist. List its folder');
    await expect(readAll(space, 'folder/file.txt/x')).rejects.toThrow('goes through file.txt, which is not a folder');
    await expect(space.entries('folder/file.txt', 1)).rejects.toThrow('"folder/file.txt" is not a folder.');
    await expect(space.change([{ path: 'folder', content: '' }])).rejects.toThrow('is a folder');
    await expect(space.change([{ path: 'new/', content: '' }])).rejects.toThrow('names a folder');
    await expect(space.change([{ path: '', content: '' }])).rejects.toThrow('is a folder');
  });

  it('returns the kind and state of a path', async () => {
    file('folder/file.txt', 'x');
    symlinkSync('folder/file.txt', join(root, 'link'));
    const space = workspace(root);
    expect(await space.look('link')).toMatchObject({ kind: 'file', real: 'folder/file.txt' });
    expect(await space.look('link', { keepLink: true })).toMatchObject({ kind: 'link', real: 'link' });
    expect(await space.look('.')).toMatchObject({ kind: 'folder', real: '' });
    expect(await space.look('no/no')).toBeUndefined();
  });

  it('lists a folder up to a limit', async () => {
    for (const name of ['a', 'b', 'c']) file(name, '');
    expect(await workspace(root).entries('.', 2)).toHaveLength(2);
    expect((await workspace(root).entries('.', 5)).map(({ name, kind }) => `${kind} ${name}`).toSorted()).toEqual([
      'file a',
      'file b',
      'file c',
    ]);
  });

  it('enters folders that may be entered but not listed', async () => {
    file('folder/file.txt', 'x');
    chmodSync(join(root, 'folder'), 0o311);
    expect(await readAll(workspace(root), 'folder/file.txt')).toBe('x');
    chmodSync(join(root, 'folder'), 0o755);
  });

  it('leaves no descriptor open, whatever fails', async () => {
    file('folder/file.txt', 'x');
    symlinkSync('nowhere', join(root, 'dangling'));
    symlinkSync('folder', join(root, 'link'));
    const space = workspace(root);
    const before = openFiles();
    for (const path of ['folder/file.txt', 'link/file.txt', 'dangling', 'no/no', 'folder', 'link/file.txt/x', '..']) {
      await readAll(space, path).catch(() => {});
      await space.entries(path, 5).catch(() => {});
      await space.look(path).catch(() => {});
      await space.change([{ path: `${path}/new`, content: '' }]).catch(() => {});
      await space.change([{ path, content: undefined, from: 'other' }]).catch(() => {});
    }
    expect(openFiles()).toBe(before);
  });
});

describe('changes', () => {
  it('create folders, keep the mode of a file, and leave nothing else behind', async () => {
    file('run.sh', 'old');
    chmodSync(join(root, 'run.sh'), 0o750);
    const changed = await workspace(root).change([
      { path: 'run.sh', content: 'new' },
      { path: 'a/b/c.txt', content: 'made' },
    ]);
    expect(changed.map(({ real }) => real)).toEqual(['run.sh', 'a/b/c.txt']);
    expect([textOf('run.sh'), textOf('a/b/c.txt')]).toEqual(['new', 'made']);
    expect(statSync(join(root, 'run.sh')).mode & 0o777).toBe(0o750);
    expect(readdirSync(root, { recursive: true, encoding: 'utf8' }).toSorted()).toEqual([
      'a',
      'a/b',
      'a/b/c.txt',
      'run.sh',
    ]);
  });

  it('are rejected when the file changed since it was read', async () => {
    file('a.txt', 'one');
    const space = workspace(root);
    const seen = (await space.look('a.txt'))?.stamp as string;
    file('a.txt', 'two!');
    await expect(space.change([{ path: 'a.txt', content: 'x', from: seen }])).rejects.toThrow(
      'changed since it was read',
    );
    await expect(space.change([{ path: 'a.txt', content: 'x', from: null }])).rejects.toThrow('exists already');
    await expect(space.change([{ path: 'b.txt', content: 'x', from: seen }])).rejects.toThrow('was removed');
    await expect(space.change([{ path: 'b.txt', content: undefined }])).rejects.toThrow('does not exist');
    expect(textOf('a.txt')).toBe('two!');
    const [after] = await space.change([
      { path: 'a.txt', content: 'x', from: (await space.look('a.txt'))?.stamp as string },
    ]);
    expect((await space.look('a.txt'))?.stamp).toBe(after?.stamp);
  });

  it('are all made, or none', async () => {
    file('a.txt', 'a');
    file('gone.txt', 'gone');
    file('b.txt', 'b');
    symlinkSync('b.txt', join(root, 'same.txt'));
    const before = readdirSync(root).toSorted();
    for (const last of [
      { path: '../x', content: '' },
      { path: 'b.txt/x', content: '' },
      { path: 'b.txt', content: '', from: 'other' },
    ])
      await expect(
        workspace(root).change([
          { path: 'a.txt', content: 'new' },
          { path: 'gone.txt', content: undefined },
          { path: 'new.txt', content: 'new' },
          last,
        ]),
      ).rejects.toThrow();
    const twice = ['b.txt', 'same.txt'].map(path => ({ path, content: 'x' }));
    await expect(workspace(root).change(twice)).rejects.toThrow('is changed twice at once');
    expect(readdirSync(root).toSorted()).toEqual(before);
    expect(['a.txt', 'gone.txt', 'b.txt'].map(textOf)).toEqual(['a', 'gone', 'b']);
  });

  it('are rolled back when one fails after others were made', async () => {
    file('a.txt', 'a');
    file('gone.txt', 'gone');
    const late = {
      path: 'late.txt',
      content: 'late',
      // Called between the check of the file and the write: from then on a folder is in its place.
      get from(): null {
        mkdirSync(join(root, 'late.txt/x'), { recursive: true });
        return null;
      },
    };
    await expect(
      workspace(root).change([
        { path: 'a.txt', content: 'new' },
        { path: 'gone.txt', content: undefined },
        { path: 'new.txt', content: 'new' },
        late,
      ]),
    ).rejects.toThrow('"late.txt"');
    rmSync(join(root, 'late.txt'), { recursive: true });
    expect(readdirSync(root).toSorted()).toEqual(['a.txt', 'gone.txt']);
    expect(['a.txt', 'gone.txt'].map(textOf)).toEqual(['a', 'gone']);
  });
});

describe('processes', () => {
  const run = (command: string, more: object = {}) => {
    const chunks: Uint8Array[] = [];
    const space = workspace(root, { env: { GIVEN: 'yes' } });
    return space
      .run({ command, signal: never, timeoutMs: 20_000, onOutput: chunk => chunks.push(chunk), ...more })
      .then(end => ({ ...end, output: Buffer.concat(chunks).toString() }));
  };

  it('run in the folder, with the given variables and few others', async () => {
    mkdirSync(join(root, 'sub'));
    process.env['SINGLETREE_TEST_KEY'] = 'key';
    expect(await run('pwd; echo $GIVEN $SINGLETREE_TEST_KEY', { folder: 'sub' })).toEqual({
      exitCode: 0,
      timedOut: false,
      output: `${root}/sub\nyes\n`,
    });
    delete process.env['SINGLETREE_TEST_KEY'];
  });

  it('end with their exit code, or with 128 and the signal', async () => {
    expect(await run('exit 3')).toMatchObject({ exitCode: 3 });
    expect(await run('kill -TERM $$')).toMatchObject({ exitCode: 143, signal: 'SIGTERM' });
  });

  it('end when the shell does, together with its background processes', async () => {
    const { output, exitCode } = await run('sleep 1000 & echo $!; exit 5');
    expect(exitCode).toBe(5);
    await vi.waitFor(() => expect(isRunning(Number(output))).toBe(false));
  });

  it.skipIf(process.platform !== 'linux')('end although a process that left the group holds the output', async () => {
    const { output } = await run('setsid sleep 1000 & echo $!');
    process.kill(Number(output), 'SIGKILL');
  });

  it('are stopped with their children at their time limit', async () => {
    const { exitCode, timedOut, output } = await run('trap "" INT TERM; sleep 1000 & echo $!; wait', {
      timeoutMs: 1_000,
    });
    expect([exitCode, timedOut]).toEqual([124, true]);
    await vi.waitFor(() => expect(isRunning(Number(output))).toBe(false));
  });

  it.runIf(process.platform === 'linux')('are stopped with what left their process group', async () => {
    const abort = new AbortController();
    let pid = 0;
    const onOutput = (chunk: Uint8Array) => {
      pid = Number(Buffer.from(chunk).toString());
      abort.abort(new Error('enough'));
    };
    const command = `setsid sh -c 'echo $$; exec sleep 1000' & while :; do sleep 0.05; done`;
    await expect(run(command, { signal: abort.signal, onOutput })).rejects.toThrow('enough');
    expect(pid).toBeGreaterThan(0);
    expect(isRunning(pid)).toBe(false);
  });

  it('are stopped with their children when they are aborted', async () => {
    const abort = new AbortController();
    let pid = 0;
    const onOutput = (chunk: Uint8Array) => {
      pid = Number(Buffer.from(chunk).toString());
      abort.abort(new Error('enough'));
    };
    await expect(run('sleep 1000 & echo $!; wait', { signal: abort.signal, onOutput })).rejects.toThrow('enough');
    await vi.waitFor(() => expect(isRunning(pid)).toBe(false));
    await expect(run('touch ran', { signal: abort.signal })).rejects.toThrow('enough');
    expect(existsSync(join(root, 'ran'))).toBe(false);
  });
});

describe('random trees with links', () => {
  const name = fc.constantFrom('a', 'b', 'c', 'd');
  const path = fc.array(name, { minLength: 1, maxLength: 3 }).map(names => names.join('/'));
  const step = fc.oneof({ weight: 4, arbitrary: name }, fc.constantFrom('..', '.', '', 'outside', 'root'));
  const winding = fc.array(step, { minLength: 1, maxLength: 6 }).map(steps => steps.join('/'));
  const target = fc.oneof(
    winding,
    path.map(inside => join(root, inside)),
    fc.constantFrom(join(base, 'outside'), join(base, 'outside/secret'), '/', '/proc/self/root', `/proc/self/cwd`),
  );
  const tree = fc.array(fc.record({ path, target: fc.option(target) }), { maxLength: 10 });

  it('never return what is outside, and return what is inside', async () => {
    mkdirSync(join(base, 'outside'), { recursive: true });
    await fc.assert(
      fc.asyncProperty(
        tree,
        fc.array(winding, { maxLength: 6 }),
        fc.boolean(),
        async (entries, asked, byDescriptor) => {
          rmSync(root, { recursive: true, force: true });
          mkdirSync(root);
          writeFileSync(join(base, 'outside/secret'), 'SECRET');
          for (const each of entries) place(each);
          const space = new WorkspaceFolder(rootAt(root, byDescriptor));
          for (const path of [...asked, ...entries.map(entry => entry.path)]) {
            const found = await space.look(path).catch(() => undefined);
            if (found !== undefined) {
              const real = join(root, found.real);
              expect(realpathSync(real)).toBe(real);
              expect(`${real}/`.startsWith(`${root}/`)).toBe(true);
            } else if (isPlain(path)) expect(existsSync(join(root, path))).toBe(false);
            await space
              .withFile(path, async ({ handle }) => expect(await handle.readFile('utf8')).toBe('inside'))
              .catch(refusal);
            await space.change([{ path: `${path}/new`, content: 'inside' }]).catch(refusal);
          }
          expect(readdirSync(join(base, 'outside'))).toEqual(['secret']);
          expect(readFileSync(join(base, 'outside/secret'), 'utf8')).toBe('SECRET');
          expect(readdirSync(base).toSorted()).toEqual(['outside', 'root']);
        },
      ),
      { numRuns: lawRuns(60) },
    );
  });

  /** Creates a link or a file where the name is free. */
  function place({ path, target }: { path: string; target: string | null }): void {
    const at = join(root, path);
    try {
      // Folders are created first where no link or file is in the way.
      for (let up = dirname(at); up.startsWith(root); up = dirname(up))
        if (existsSync(up) && realpathSync(up) !== up) return;
      mkdirSync(dirname(at), { recursive: true });
      if (target === null) writeFileSync(at, 'inside', { flag: 'wx' });
      else symlinkSync(target, at);
    } catch {
      // The name is taken already.
    }
  }

  /** Whether no part of the path is a link. */
  function isPlain(path: string): boolean {
    if (/^\/|\.\./.test(path)) return false;
    try {
      return realpathSync(join(root, path)) === join(root, path).replace(/\/$/, '');
    } catch {
      return false;
    }
  }

  function refusal(error: unknown): void {
    expect((error as Error).name).toBe('SingletreeError');
  }
});
