import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { makeHostile, makeNestedRepository } from '../../../test/support/hostile-git.ts';
import { baseChanges } from './base-changes.ts';

let folder: string;
const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: folder, stdio: 'pipe' });
const write = (path: string, text: string) => writeFileSync(join(folder, path), text);
const commit = (message: string) => {
  git('add', '-A');
  git('commit', '-qm', message);
};

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'singletree-base-test-')));
  git('init', '-q', '-b', 'main');
});

describe('the changes against the base', () => {
  it('compare the folder with the last commit, untracked files included and ignored ones left out', async () => {
    write('a.txt', '1\n2\n3\n');
    write('gone.txt', 'x\n');
    write('.gitignore', 'ignored\n');
    commit('one');
    write('a.txt', '1\ntwo\n3\n');
    write('grüße.txt', 'new\n');
    write('ignored', 'x');
    write('data.bin', 'a\0b');
    execFileSync('rm', [join(folder, 'gone.txt')]);
    const { base, files, more } = await baseChanges(folder);
    expect(base).toEqual({ commit: git('rev-parse', 'HEAD').toString().trim() });
    expect(files).toEqual([
      { path: 'a.txt', action: 'update', added: 1, removed: 1, patch: '@@ -1,3 +1,3 @@\n 1\n-2\n+two\n 3' },
      { path: 'data.bin', action: 'add' },
      { path: 'gone.txt', action: 'delete', added: 0, removed: 1, patch: '@@ -1 +0,0 @@\n-x' },
      { path: 'grüße.txt', action: 'add', added: 1, removed: 0, patch: '@@ -0,0 +1 @@\n+new' },
    ]);
    expect(more).toBe(0);
    expect(git('status', '--short').toString()).toContain('?? data.bin');
  });

  it('begin where the branch left another one', async () => {
    write('a.txt', '1\n');
    commit('one');
    const start = git('rev-parse', 'HEAD').toString().trim();
    git('checkout', '-qb', 'work');
    write('a.txt', '2\n');
    commit('two');
    write('b.txt', '3\n');
    const { base, files } = await baseChanges(folder);
    expect(base).toEqual({ commit: start, branch: 'main' });
    expect(files.map(({ path }) => path)).toEqual(['a.txt', 'b.txt']);
  });

  it('have all files of a repository without commits', async () => {
    write('a.txt', '1\n');
    expect(await baseChanges(folder)).toMatchObject({ base: {}, files: [{ path: 'a.txt', action: 'add' }] });
  });

  it('stay in the folder: neither what is beside it nor what a link leads to is read', async () => {
    mkdirSync(join(folder, 'inner'));
    write('inner/a.txt', '1\n');
    write('.gitignore', 'left-out\n');
    commit('one');
    write('outer.txt', 'secret\n');
    write('inner/a.txt', '2\n');
    write('inner/left-out', 'x');
    symlinkSync('/etc/passwd', join(folder, 'inner', 'link'));
    const { files } = await baseChanges(join(folder, 'inner'));
    expect(files.map(({ path }) => path)).toEqual(['a.txt', 'link']);
    expect(files[1]?.patch).toContain('+/etc/passwd');
    expect(JSON.stringify(files)).not.toContain('root:');
  });

  it('run no program that the repository names', async () => {
    write('a.txt', '1\n');
    write('.gitattributes', '*.txt filter=evil diff=evil\n');
    commit('one');
    for (const [key, value] of [
      ['filter.evil.clean', `touch ${folder}/ran; cat`],
      ['diff.evil.command', `touch ${folder}/ran`],
      ['diff.evil.textconv', `touch ${folder}/ran; cat`],
      ['diff.external', `touch ${folder}/ran`],
      ['core.fsmonitor', `touch ${folder}/ran`],
    ] as const)
      git('config', key, value);
    writeFileSync(join(folder, 'a.txt'), '2\n');
    expect((await baseChanges(folder)).files).toMatchObject([{ path: 'a.txt', added: 1, removed: 1 }]);
    expect(existsSync(join(folder, 'ran'))).toBe(false);
  });

  it('run no program of a hostile configuration, of a partial clone that lacks contents, or of a nested repository', async () => {
    const mark = `${folder}-ran`;
    for (const name of ['a.txt', 'b.txt', 'gone.txt']) write(name, `${name}\n`);
    makeNestedRepository(join(folder, 'nested'), mark);
    git('add', '--no-warn-embedded-repo', 'nested');
    commit('one');
    // The commit of the submodule is older than its files, and a content of the commit is missing.
    const missing = git('rev-parse', 'HEAD:gone.txt').toString().trim();
    rmSync(join(folder, '.git/objects', missing.slice(0, 2), missing.slice(2)), { force: true });
    makeHostile(folder, mark);
    write('a.txt', 'changed\n');
    rmSync(mark, { force: true });
    const { files } = await baseChanges(folder);
    expect(files.map(({ path, action }) => [path, action])).toEqual([
      ['.gitattributes', 'add'],
      ['a.txt', 'update'],
    ]);
    write('gone.txt', 'changed\n');
    await expect(baseChanges(folder)).rejects.toThrow(missing);
    expect(existsSync(mark)).toBe(false);
  });

  it('begin where the branch left the one that it follows', async () => {
    write('a.txt', '1\n');
    commit('one');
    const start = git('rev-parse', 'HEAD').toString().trim();
    git('branch', '-m', 'trunk');
    git('checkout', '-q', '--track', '-b', 'work');
    write('a.txt', '2\n');
    commit('two');
    expect((await baseChanges(folder)).base).toEqual({ commit: start, branch: 'trunk' });
  });

  it('state the counts of a large change without its patch, and how many files are left out', async () => {
    write('a.txt', 'x\n'.repeat(6_000));
    for (let n = 0; n < 1_010; n++) write(`n${n}.txt`, '');
    const { files, more } = await baseChanges(folder);
    expect(files[0]).toEqual({ path: 'a.txt', action: 'add', added: 6_000, removed: 0 });
    expect([files.length, more]).toEqual([1_000, 11]);
  });

  it('reject a folder that is in no repository', async () => {
    const other = mkdtempSync(join(tmpdir(), 'singletree-no-repository-'));
    await expect(baseChanges(other)).rejects.toThrow('not a git repository');
  });
});
