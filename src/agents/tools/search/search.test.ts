import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { callTool } from '../../../../test/support/call-tool.ts';
import { programFor } from '../../workspace/program.ts';
import { workspace } from '../../workspace/workspace-folder.ts';
import { workspaceTools } from '../workspace-tools.ts';

const base = mkdtempSync(join(tmpdir(), 'singletree-search-'));
const root = join(base, 'root');

afterAll(() => rmSync(base, { recursive: true, force: true }));

/** A folder with only these programs, so that a search finds them or not. */
function pathWith(...programs: string[]): string {
  const folder = join(base, `bin-${programs.join('-')}`);
  mkdirSync(folder, { recursive: true });
  for (const program of programs) {
    const found = (process.env['PATH'] ?? '').split(delimiter).find(each => existsSync(join(each, program)));
    if (found !== undefined && !existsSync(join(folder, program)))
      symlinkSync(join(found, program), join(folder, program));
  }
  return folder;
}

const file = (path: string, content: string | Uint8Array = '') => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
};
const toolsWith = (...programs: string[]) => workspaceTools(workspace(root, { env: { PATH: pathWith(...programs) } }));
const hasRipgrep = existsSync(join(pathWith('rg'), 'rg'));
const engines: [string, string[]][] = [
  ...(hasRipgrep ? [['ripgrep', ['rg', 'git']] as [string, string[]]] : []),
  ['git', ['git']],
  ['nothing', []],
];

beforeEach(() => {
  rmSync(root, { recursive: true, force: true });
  mkdirSync(root);
});

describe.each(engines)('a search with %s', (engine, programs) => {
  const call = (name: string, input: unknown) => callTool(toolsWith(...programs), [name, input]);
  const glob = async (pattern: string, more: object = {}) =>
    (await call('glob', { pattern, ...more })).context.split('\n');
  const grep = (pattern: string, more: object = {}) => call('grep', { pattern, ...more });

  it('finds files by pattern, in the order of their names', async () => {
    for (const path of ['b.ts', 'a.ts', 'src/x.ts', 'src/deep/y.tsx', 'src-more/z.ts', '.hidden/h.ts', 'a b.md'])
      file(path);
    expect(await glob('**/*.ts')).toEqual(['.hidden/h.ts', 'a.ts', 'b.ts', 'src/x.ts', 'src-more/z.ts']);
    expect(await glob('*.ts')).toEqual(['.hidden/h.ts', 'a.ts', 'b.ts', 'src/x.ts', 'src-more/z.ts']);
    expect(await glob('src/**/*.{ts,tsx}')).toEqual(['src/deep/y.tsx', 'src/x.ts']);
    expect(await glob('*.ts', { path: 'src' })).toEqual(['src/x.ts']);
    expect(await glob('*.ts', { path: `${root}/src/` })).toEqual([`${root}/src/x.ts`]);
    expect(await glob('? b.md')).toEqual(['a b.md']);
    expect(await glob('*.py')).toEqual(['No file matches *.py.']);
  });

  it('stops at a limit and says so', async () => {
    for (const path of ['c', 'b', 'a']) file(path);
    expect(await call('glob', { pattern: '*', limit: 2 })).toEqual({
      context: 'a\nb\n[There are more: set limit, or narrow the pattern.]',
      result: { files: ['a', 'b'], isComplete: false },
    });
  });

  it('omits what git ignores, and runs nothing that the repository configures', async () => {
    execFileSync('git', ['init', '-q', root]);
    file('hook.sh', '#!/bin/sh\ntouch ran\n');
    chmodSync(join(root, 'hook.sh'), 0o755);
    execFileSync('git', ['-C', root, 'config', 'core.fsmonitor', join(root, 'hook.sh')]);
    file('.gitignore', 'dist/\n*.log\n');
    for (const path of ['a.txt', 'dist/a.txt', 'x.log', 'sub/y.log', 'sub/b.txt']) file(path, 'needle\n');
    expect((await glob('**')).toSorted()).toEqual(['.gitignore', 'a.txt', 'hook.sh', 'sub/b.txt']);
    expect(await glob('*.log')).toEqual(['No file matches *.log.']);
    expect((await grep('needle')).context).toBe('a.txt\n1: needle\nsub/b.txt\n1: needle');
    expect((await grep('needle', { path: 'sub', glob: '*.log' })).context).toBe('Nothing matches needle.');
    expect(existsSync(join(root, 'ran'))).toBe(false);
  });

  it('does not leave the folder', async () => {
    mkdirSync(join(base, 'outside'), { recursive: true });
    writeFileSync(join(base, 'outside/secret.txt'), 'needle');
    symlinkSync(join(base, 'outside'), join(root, 'link'));
    symlinkSync(join(base, 'outside/secret.txt'), join(root, 'file-link.txt'));
    expect(await glob('**')).toEqual(['No file matches **.']);
    expect((await grep('needle')).context).toBe('Nothing matches needle.');
    for (const path of ['link', '..', 'link/secret.txt', 'file-link.txt', '/'])
      for (const name of ['glob', 'grep'])
        await expect(call(name, { pattern: 'needle', path })).rejects.toThrow('outside the workspace');
    await expect(glob('*', { path: 'no' })).rejects.toThrow('does not exist');
    await expect(grep('x', { path: 'no' })).rejects.toThrow('does not exist');
    await expect(glob('/etc/*')).rejects.toThrow('starts with /');
  });

  it('finds lines, in the order of files and lines', async () => {
    file('b.txt', 'one needle\r\ntwo\nthree needle');
    file('a/x.txt', 'needle: 1:2\n');
    expect(await grep('needle')).toEqual({
      context: 'a/x.txt\n1: needle: 1:2\nb.txt\n1: one needle\n3: three needle',
      result: { matches: 3, files: 2, isComplete: true },
    });
    expect((await grep('^N', { ignore_case: true })).context).toBe('a/x.txt\n1: needle: 1:2');
    expect((await grep('needle', { glob: 'a/**' })).context).toBe('a/x.txt\n1: needle: 1:2');
    expect((await grep('needle', { path: 'a' })).context).toBe('a/x.txt\n1: needle: 1:2');
    expect((await grep('needle', { path: 'b.txt' })).context).toBe('b.txt\n1: one needle\n3: three needle');
    expect((await grep('-needle')).context).toBe('Nothing matches -needle.');
  });

  it('shows lines around a match', async () => {
    file('a.txt', '1\n2\nx\n4\nx\n6\n7\n8\nx');
    expect((await grep('x', { context: 1 })).context).toBe('a.txt\n2- 2\n3: x\n4- 4\n5: x\n6- 6\n8- 8\n9: x');
    expect((await grep('x', { context: 1, limit: 1 })).context).toBe(
      'a.txt\n2- 2\n3: x\n4- 4\n[There are more matches: set limit, or narrow the search.]',
    );
  });

  it('stops at a limit, cuts long lines, and omits binary files', async () => {
    file('a.txt', `x${'y'.repeat(5_000)}\nx\nx\n`);
    file('binary', Buffer.from('x\0x\n'));
    expect(await grep('x', { limit: 2 })).toEqual({
      context: `a.txt\n1: x${'y'.repeat(399)}…\n2: x\n[There are more matches: set limit, or narrow the search.]`,
      result: { matches: 2, files: 1, isComplete: false },
    });
    expect((await grep('x')).result).toEqual({ matches: 3, files: 1, isComplete: true });
  });

  it('finds lines of text in UTF-16', async () => {
    file('a.txt', Buffer.from('\ufeffone\nneedle\n', 'utf16le'));
    expect((await grep('needle')).context).toBe('a.txt\n2: needle');
    expect((await grep('needle', { path: 'a.txt' })).context).toBe('a.txt\n2: needle');
  });

  it('says that a binary file was not searched when it is named', async () => {
    file('binary', Buffer.from('needle\0\n'));
    expect(await grep('needle', { path: 'binary' })).toEqual({
      context: 'binary was not searched: it is binary data, not text.',
      result: { matches: 0, files: 0, isComplete: false, binary: 'binary data' },
    });
  });

  it('reports what is wrong with a pattern', async () => {
    file('a.txt', 'x');
    await expect(grep('(')).rejects.toThrow(
      /^"\(" is not a valid regular expression: .*[Uu](nclosed|nterminated) group/,
    );
  });

  it('is not blocked by a pattern that takes forever', async () => {
    file('a.txt', `${'a'.repeat(60)}\n`);
    const found = await grep('(a+)+b$').then(
      ({ context }) => context,
      error => (error as Error).message,
    );
    expect(found).toMatch(/^Nothing matches|takes too long on a\.txt: use a simpler pattern/);
  });
});

describe('a search that skips something', () => {
  const call = (programs: string[], name: string, input: unknown) => callTool(toolsWith(...programs), [name, input]);
  /** A program that prints to its two streams and ends with a code. */
  const program = (name: string, { out = '', err = '', code = 0 }) => {
    const folder = mkdtempSync(join(base, 'bin-'));
    const print = `printf '%s' '${out}'\nprintf '%s' '${err}' >&2\nexit ${code}\n`;
    writeFileSync(join(folder, name), `#!/bin/sh\n${print}`, { mode: 0o755 });
    return workspaceTools(workspace(root, { env: { PATH: folder } }));
  };

  it.each([[[]], [['git']]])('counts files that are too large, with %j', async programs => {
    file('a.txt', 'needle\n');
    file('large.txt', 'needle\n');
    truncateSync(join(root, 'large.txt'), 10 * 1024 * 1024 + 1);
    expect(await call(programs, 'grep', { pattern: 'needle' })).toEqual({
      context: 'a.txt\n1: needle\n[Skipped: 1 file too large to be searched.]',
      result: { matches: 1, files: 1, isComplete: false, skipped: { large: 1 } },
    });
    expect(await call(programs, 'grep', { pattern: 'none', glob: 'a*' })).toMatchObject({
      result: { isComplete: true },
    });
    file('large.log', 'needle\n'.repeat(1_500_000));
    expect(await call(programs, 'grep', { pattern: 'needle', path: 'large.log' })).toEqual({
      context: 'Nothing matches needle.\n[Skipped: 1 file too large to be searched.]',
      result: { matches: 0, files: 0, isComplete: false, skipped: { large: 1 } },
    });
  });

  it('says that a folder cannot be read', async () => {
    file('closed/a.txt', 'needle');
    for (const folder of [base, root]) chmodSync(folder, 0o755);
    chmodSync(join(root, 'closed'), 0);
    pathWith();
    // The superuser may read everything: the test looks as nobody.
    const isSuperuser = process.getuid?.() === 0;
    if (isSuperuser) process.seteuid?.(65_534);
    try {
      const skipped = { unreadable: 1 };
      expect(await call([], 'glob', { pattern: '*' })).toEqual({
        context: 'No file matches *.\n[Skipped: files or folders that cannot be read.]',
        result: { files: [], isComplete: false, skipped },
      });
      expect((await call([], 'grep', { pattern: 'needle' })).result).toMatchObject({ isComplete: false, skipped });
    } finally {
      if (isSuperuser) process.seteuid?.(0);
      chmodSync(join(root, 'closed'), 0o755);
    }
  });

  it('reports what a program could not read', async () => {
    file('a.txt', 'needle\n');
    file('.git/HEAD', 'ref: refs/heads/main\n');
    const skipped = { unreadable: 1 };
    const git = program('git', { out: 'a.txt\n', err: 'warning: could not open directory' });
    expect((await callTool(git, ['glob', { pattern: '*' }])).result).toEqual({
      files: ['a.txt'],
      isComplete: false,
      skipped,
    });
    const ripgrep = program('rg', { out: 'a.txt\n', code: 2 });
    for (const [name, input] of [
      ['glob', { pattern: '*' }],
      ['grep', { pattern: 'needle' }],
    ] as const)
      expect((await callTool(ripgrep, [name, input])).result).toMatchObject({ isComplete: false, skipped });
  });

  it('counts the repositories that git does not enter', async () => {
    for (const folder of [root, join(root, 'inner')]) execFileSync('git', ['init', '-q', folder]);
    file('inner/a.txt', 'needle\n');
    expect(await call(['git'], 'glob', { pattern: '*.txt' })).toEqual({
      context: 'No file matches *.txt.\n[Skipped: 1 folder with a git repository of its own.]',
      result: { files: [], isComplete: false, skipped: { repositories: 1 } },
    });
  });

  it('does not call a truncated list complete', async () => {
    mkdirSync(join(root, 'many'));
    for (let index = 0; index <= 10_000; index++) writeFileSync(join(root, `many/${index}`), '');
    expect((await call([], 'list', { path: 'many', limit: 10_000 })).result).toEqual({
      path: 'many',
      entries: 10_000,
      isComplete: false,
    });
  });
});

describe('the programs of a search', () => {
  it('are not taken from the workspace itself, nor from a relative folder', async () => {
    file('bin/rg', '#!/bin/sh\n');
    chmodSync(join(root, 'bin/rg'), 0o755);
    symlinkSync(join(root, 'bin'), join(base, 'linked-bin'));
    for (const PATH of [join(root, 'bin'), join(base, 'linked-bin'), 'bin', '.', ''])
      expect(await programFor(workspace(root, { env: { PATH } }), 'rg')).toBeUndefined();
  });
});
