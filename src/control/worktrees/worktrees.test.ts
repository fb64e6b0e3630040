import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { gitProject, type GitProject } from '../../../test/support/git-project.ts';
import { makeHostile, makeNestedRepository } from '../../../test/support/hostile-git.ts';
import { type WorktreeRecord, checkBranchPrefix, worktreeName } from './worktree-record.ts';
import { Worktrees } from './worktrees.ts';

let project: GitProject;
let worktrees: Worktrees;

beforeEach(() => {
  project = gitProject({ 'a.txt': 'one\ntwo\nthree\n', 'sub/b.txt': 'b\n', '.gitignore': '.env\nbuild/\n' });
  worktrees = new Worktrees({ home: project.home, folder: project.folder });
});
afterEach(() => project.remove());

async function make(options: { uncommitted?: boolean; branch?: string } = {}): Promise<WorktreeRecord> {
  const made = await worktrees.create({ threadId: 'thread', agentId: 'coder', ...options });
  if ('problem' in made) throw new Error(made.problem);
  return made;
}
const read = (folder: string, path: string) => readFileSync(join(folder, path), 'utf8');
const write = (folder: string, path: string, content: string) => writeFileSync(join(folder, path), content);

describe('a worktree of a thread', () => {
  it('is in the data folder, on a branch of its own, and the project shows no sign of it', async () => {
    const { path, branch, head, folder } = await make();
    expect(path).toMatch(new RegExp(`^${join(project.home, 'worktrees')}/coder-[0-9a-f]{8}/project$`));
    expect(branch).toMatch(/^singletree\/coder-[0-9a-f]{8}$/);
    expect(project.git(['branch', '--show-current'], path).trim()).toBe(branch);
    expect([read(folder, 'a.txt'), folder]).toEqual(['one\ntwo\nthree\n', path]);
    expect(project.git(['rev-parse', 'HEAD']).trim()).toBe(head);
    expect([project.git(['status', '--porcelain']), project.git(['status', '--porcelain'], path)]).toEqual(['', '']);
  });

  it('begins with the uncommitted changes of the folder, or without them', async () => {
    project.write('a.txt', 'mine\n');
    project.write('new.txt', 'untracked\n');
    const before = project.git(['status', '--porcelain']);
    const dirty = await make();
    expect([read(dirty.path, 'a.txt'), read(dirty.path, 'new.txt')]).toEqual(['mine\n', 'untracked\n']);
    expect(project.git(['status', '--porcelain'], dirty.path)).toBe(before);
    expect((await worktrees.state(dirty)).files).toEqual([]);
    const plain = await make({ uncommitted: false });
    expect([read(plain.path, 'a.txt'), existsSync(join(plain.path, 'new.txt'))]).toEqual(['one\ntwo\nthree\n', false]);
    expect(project.git(['status', '--porcelain'])).toBe(before);
  });

  it('has the untracked files that .worktreeinclude names, which are no changes', async () => {
    project.write('.worktreeinclude', '.env\n/build/*.json\n!/build/no.json\n');
    project.write('.env', 'KEY=1\n');
    project.write('build/yes.json', '{}');
    project.write('build/no.json', '{}');
    project.write('build/other.txt', '');
    const { path } = await make({ uncommitted: false });
    expect(read(path, '.env')).toBe('KEY=1\n');
    expect(['yes.json', 'no.json', 'other.txt'].map(name => existsSync(join(path, 'build', name)))).toEqual([
      true,
      false,
      false,
    ]);
    const [record] = await worktrees.records();
    expect((await worktrees.state(record as WorktreeRecord)).files).toEqual([]);
  });

  it('is of the whole repository when the folder is a part of it', async () => {
    worktrees = new Worktrees({ home: project.home, folder: join(project.folder, 'sub') });
    const { path, folder, origin } = await make();
    expect([folder, origin]).toEqual([join(path, 'sub'), join(project.folder, 'sub')]);
    expect(read(folder, 'b.txt')).toBe('b\n');
  });

  it('reports every change of its files, with lines and hunks', async () => {
    const made = await make();
    write(made.path, 'a.txt', 'one\n2\nthree\n');
    write(made.path, 'new.txt', 'x\ny\n');
    rmSync(join(made.path, 'sub/b.txt'));
    write(made.path, 'image.bin', '\0\u0001');
    const state = await worktrees.state(made);
    expect(state.files).toEqual([
      { path: 'a.txt', action: 'update', added: 1, removed: 1 },
      { path: 'image.bin', action: 'add' },
      { path: 'new.txt', action: 'add', added: 2, removed: 0 },
      { path: 'sub/b.txt', action: 'delete', added: 0, removed: 1 },
    ]);
    expect([state.isClean, state.hasCommits]).toEqual([false, false]);
    expect(await worktrees.readPatch(made, 'a.txt')).toBe('@@ -1,3 +1,3 @@\n one\n-two\n+2\n three');
    expect(await worktrees.readPatch(made, '../../etc/passwd').catch(({ code }) => code)).toBe('not_found');
  });

  it('is kept as changes of the original files, without a commit', async () => {
    const made = await make();
    write(made.path, 'a.txt', 'one\n2\nthree\n');
    write(made.path, 'new.txt', 'x\n');
    rmSync(join(made.path, 'sub/b.txt'));
    expect(await worktrees.keep(made)).toEqual(['a.txt', 'new.txt', 'sub/b.txt']);
    expect([read(project.folder, 'a.txt'), read(project.folder, 'new.txt')]).toEqual(['one\n2\nthree\n', 'x\n']);
    expect(project.git(['status', '--porcelain'])).toBe(' M a.txt\n D sub/b.txt\n?? new.txt\n');
    expect(project.git(['rev-parse', 'HEAD']).trim()).toBe(made.head);
    const [kept] = await worktrees.records();
    expect((await worktrees.state(kept as WorktreeRecord)).isClean).toBe(true);
    expect(await worktrees.keep(kept as WorktreeRecord)).toEqual([]);
  });

  it('is kept beside other changes of the same file', async () => {
    project.write('a.txt', `${'line\n'.repeat(20)}end\n`);
    const made = await make();
    write(made.path, 'a.txt', `first\n${'line\n'.repeat(20)}end\n`);
    project.write('a.txt', `${'line\n'.repeat(20)}end of mine\n`);
    await worktrees.keep(made);
    expect(read(project.folder, 'a.txt')).toBe(`first\n${'line\n'.repeat(20)}end of mine\n`);
  });

  it('applies nothing when one file conflicts, and names it', async () => {
    const made = await make();
    write(made.path, 'a.txt', 'one\n2\nthree\n');
    write(made.path, 'new.txt', 'theirs\n');
    project.write('a.txt', 'changed by hand\n');
    project.write('new.txt', 'mine\n');
    await expect(worktrees.keep(made)).rejects.toMatchObject({
      code: 'apply_conflict',
      details: { files: ['a.txt', 'new.txt'] },
    });
    expect([read(project.folder, 'a.txt'), read(project.folder, 'new.txt')]).toEqual(['changed by hand\n', 'mine\n']);
  });

  it('does not write through a link of the original folder', async () => {
    const made = await make();
    const outside = join(project.home, 'outside');
    mkdirSync(outside);
    mkdirSync(join(made.path, 'docs'));
    write(made.path, 'docs/x.txt', 'x\n');
    symlinkSync(outside, join(project.folder, 'docs'));
    await expect(worktrees.keep(made)).rejects.toMatchObject({ code: 'apply_conflict' });
    expect(existsSync(join(outside, 'x.txt'))).toBe(false);
  });

  it('is removed with its branch when nothing would be lost, else only when that is forced', async () => {
    const clean = await make();
    await worktrees.remove(clean);
    expect([existsSync(clean.path), project.git(['branch', '--list', 'singletree/*'])]).toEqual([false, '']);
    const dirty = await make();
    write(dirty.path, 'a.txt', 'changed\n');
    await expect(worktrees.remove(dirty)).rejects.toMatchObject({
      code: 'worktree_changed',
      details: { files: ['a.txt'] },
    });
    expect(existsSync(dirty.path)).toBe(true);
    await worktrees.remove(dirty, { force: true });
    expect([existsSync(dirty.path), await worktrees.records()]).toEqual([false, []]);
    expect(project.git(['worktree', 'list']).trim().split('\n')).toHaveLength(1);
  });

  it('is removed with its branch when git has packed the references, and is read by several at once', async () => {
    const made = await make();
    project.git(['pack-refs', '--all']);
    const states = await Promise.all([1, 2, 3].map(() => worktrees.state(made)));
    expect(states.map(({ isClean }) => isClean)).toEqual([true, true, true]);
    await worktrees.remove(made);
    expect(project.git(['branch', '--list'])).toBe('* main\n');
    expect(project.git(['fsck', '--full'])).toBe('');
  });

  it('leaves a branch with commits when the worktree is removed', async () => {
    const made = await make();
    write(made.path, 'a.txt', 'committed\n');
    const author = ['-c', 'user.name=Agent', '-c', 'user.email=agent@example.com'];
    project.git([...author, 'commit', '--quiet', '-am', 'By the agent'], made.path);
    expect(await worktrees.state(made)).toMatchObject({ hasCommits: true, isClean: false });
    await expect(worktrees.remove(made)).rejects.toMatchObject({ code: 'worktree_changed' });
    await worktrees.remove(made, { force: true });
    expect(project.git(['branch', '--list', made.branch]).trim()).toBe(made.branch);
  });

  it('runs no hooks, filters or monitors that the repository configures', async () => {
    const mark = join(project.home, 'ran');
    project.write('.gitattributes', '*.txt filter=evil\n');
    project.git(['config', 'filter.evil.smudge', `touch ${mark}; cat`]);
    project.git(['config', 'filter.evil.clean', `touch ${mark}; cat`]);
    project.git(['config', 'core.fsmonitor', `touch ${mark}`]);
    writeFileSync(join(project.folder, '.git/hooks/post-checkout'), `#!/bin/sh\ntouch ${mark}\n`, { mode: 0o755 });
    const made = await make();
    write(made.path, 'a.txt', 'changed\n');
    await worktrees.keep(made);
    expect([existsSync(mark), read(project.folder, 'a.txt')]).toEqual([false, 'changed\n']);
  });

  it('runs no program of a hostile configuration, of a partial clone that lacks contents, or of a nested repository', async () => {
    const mark = join(project.home, 'ran');
    makeNestedRepository(join(project.folder, 'nested'), mark);
    project.git(['add', '--no-warn-embedded-repo', 'nested']);
    const author = ['-c', 'user.name=a', '-c', 'user.email=a@b'];
    project.git([...author, 'commit', '--quiet', '-am', 'A submodule']);
    makeHostile(project.folder, mark);
    rmSync(mark, { force: true });
    const made = await make();
    write(made.path, 'a.txt', 'changed\n');
    const state = await worktrees.state(made);
    expect(state.files.map(({ path }) => path)).toEqual(['a.txt']);
    await worktrees.readPatch(made, 'a.txt');
    await worktrees.keep(made);
    await worktrees.remove(made, { force: true });
    expect(read(project.folder, 'a.txt')).toBe('changed\n');
    // The whole commit cannot be read, and is not fetched.
    const missing = project.git(['rev-parse', 'HEAD:sub/b.txt']).trim();
    rmSync(join(project.folder, '.git/objects', missing.slice(0, 2), missing.slice(2)));
    await expect(make({ uncommitted: false })).rejects.toMatchObject({ code: 'worktree_unavailable' });
    expect(existsSync(mark)).toBe(false);
  });

  it('refuses a .worktreeinclude that is a pipe, without waiting for it', async () => {
    execFileSync('mkfifo', [join(project.folder, '.worktreeinclude')]);
    await expect(make()).rejects.toMatchObject({
      code: 'worktree_unavailable',
      message: expect.stringContaining('.worktreeinclude is not a regular file') as string,
    });
    expect([await worktrees.records(), project.git(['branch', '--list', 'singletree/*'])]).toEqual([[], '']);
  });

  it('of an earlier version, whose beginning is a reference, still has its changes', async () => {
    const made = await make();
    const own = join(project.home, 'worktrees', made.name);
    const tree = project.git(['rev-parse', `${made.head}^{tree}`]).trim();
    project.git(['update-ref', 'refs/worktree/singletree/base', tree], made.path);
    for (const name of ['base', 'index', 'git']) rmSync(join(own, name), { recursive: true });
    write(made.path, 'a.txt', 'changed\n');
    expect((await worktrees.state(made)).files.map(({ path }) => path)).toEqual(['a.txt']);
  });

  it('does not exist for a folder without a repository, without a commit or without git, and says why', async () => {
    const plain = new Worktrees({ home: project.home, folder: project.home });
    expect(await plain.create({ threadId: 't', agentId: 'a' })).toEqual({
      problem: 'The folder is not in a git repository',
    });
    mkdirSync(join(project.home, 'empty'));
    project.git(['init', '--quiet'], join(project.home, 'empty'));
    const empty = new Worktrees({ home: project.home, folder: join(project.home, 'empty') });
    expect(await empty.create({ threadId: 't', agentId: 'a' })).toEqual({
      problem: 'The repository has no commit yet',
    });
    const path = process.env['PATH'];
    process.env['PATH'] = '/nowhere';
    try {
      expect(await worktrees.create({ threadId: 't', agentId: 'a' })).toEqual({ problem: 'git is not installed' });
    } finally {
      process.env['PATH'] = path;
    }
  });

  it('leaves nothing behind when it cannot be made', async () => {
    project.git(['branch', 'taken']);
    await expect(make({ branch: 'taken' })).rejects.toMatchObject({ code: 'worktree_unavailable' });
    expect([await worktrees.records(), project.git(['branch', '--list', 'taken/*'])]).toEqual([[], '']);
  });

  it('ignores records that describe a folder elsewhere', async () => {
    mkdirSync(join(project.home, 'worktrees/evil'), { recursive: true });
    const record = { ...(await make()), name: 'evil', path: project.folder };
    write(join(project.home, 'worktrees/evil'), 'worktree.json', JSON.stringify(record));
    expect((await worktrees.records()).map(({ name }) => name)).not.toContain('evil');
  });
});

describe('the names of worktrees', () => {
  it.each([
    '-x',
    '../x',
    'a..b',
    'a b',
    'a~1',
    'a:b',
    '/a',
    'a/',
    'a//b',
    'x.lock',
    'x.lock/y',
    '.a',
    'a\n',
    '@{',
    '',
    'refs/heads/main',
    'HEAD',
  ])('refuses %j as the beginning of a branch', prefix => {
    expect(() => checkBranchPrefix(prefix)).toThrow('is not valid');
  });

  it('takes plain names, and makes a safe name of any agent', () => {
    for (const prefix of ['try', 'try/parser-2', 'A_b.c']) expect(() => checkBranchPrefix(prefix)).not.toThrow();
    fc.assert(
      fc.property(fc.string(), agentId => {
        expect(worktreeName(agentId)).toMatch(/^[a-z0-9][a-z0-9-]*-[0-9a-f]{8}$/);
      }),
    );
  });
});
