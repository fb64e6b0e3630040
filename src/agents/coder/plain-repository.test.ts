import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isPlainRepository } from './plain-repository.ts';
import { planModeDecision } from './plan-mode.ts';

let root: string;
let repo: string;
let marker: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'singletree-plain-')));
  repo = join(root, 'repo');
  marker = join(root, 'ran');
  makeRepository(repo);
});
afterEach(() => rmSync(root, { recursive: true }));

const env = { PATH: process.env['PATH'], HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1' };
const git = (folder: string, ...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=n', '-c', 'user.email=e', ...args], { cwd: folder, env, stdio: 'pipe' });

function makeRepository(folder: string): void {
  mkdirSync(folder);
  git(folder, 'init', '-q');
  writeFileSync(join(folder, 'a.txt'), 'one\n');
  git(folder, 'add', '.');
  git(folder, 'commit', '-qm', 'first');
  writeFileSync(join(folder, 'a.txt'), 'two, longer\n');
}

/** Writes a program that leaves a mark. */
function program(path: string): string {
  writeFileSync(path, `#!/bin/sh\ntouch ${marker}\n`);
  chmodSync(path, 0o755);
  return path;
}

const decided = (command: string, folder = repo) =>
  planModeDecision({
    tool: 'bash',
    category: 'execute',
    input: { command },
    shell: true,
    paths: { workdir: [{ written: '.', resolved: ['.', folder] }] },
  }).policy;

const commands = [
  'git status',
  'git status --short',
  'git diff',
  'git diff --cached',
  'git log',
  'git show',
  'git branch',
];

describe('git in plan mode', () => {
  it('reads without a question in a usual repository, in a folder of it and in a worktree', () => {
    git(repo, 'remote', 'add', 'origin', 'https://example.com/r.git');
    git(repo, 'config', 'branch.main.merge', 'refs/heads/main');
    git(repo, 'worktree', 'add', '-q', join(root, 'tree'));
    mkdirSync(join(repo, 'below'));
    for (const folder of [repo, join(repo, 'below'), join(root, 'tree')])
      for (const command of [...commands, 'git log | head -5']) expect(decided(command, folder), command).toBe('allow');
  });

  it.each<[what: string, prepare: (repo: string) => void]>([
    ['an external diff', to => git(to, 'config', 'diff.external', program(join(root, 'x')))],
    ['a file system monitor', to => git(to, 'config', 'core.fsmonitor', program(join(root, 'x')))],
    [
      'a setting behind its section',
      to => appendFileSync(join(to, '.git/config'), `[core] fsmonitor = ${program(join(root, 'x'))}\n`),
    ],
    [
      'a setting behind another section',
      to => appendFileSync(join(to, '.git/config'), `[branch "a"]\n[core] fsmonitor = ${program(join(root, 'x'))}\n`),
    ],
    [
      'an included file',
      to => {
        writeFileSync(join(root, 'more'), `[diff]\n\texternal = ${program(join(root, 'x'))}\n`);
        git(to, 'config', 'include.path', join(root, 'more'));
      },
    ],
    [
      'a filter',
      to => {
        writeFileSync(join(to, '.gitattributes'), '* filter=x\n');
        git(to, 'config', 'filter.x.clean', `${program(join(root, 'x'))}; cat`);
      },
    ],
    [
      'a conversion of texts',
      to => {
        writeFileSync(join(to, '.gitattributes'), '* diff=x\n');
        git(to, 'config', 'diff.x.textconv', program(join(root, 'x')));
      },
    ],
    ['a hook', to => void program(join(to, '.git/hooks/post-index-change'))],
    [
      'a repository among its files',
      to => {
        makeRepository(join(to, 'nested'));
        git(to, 'add', 'nested');
        git(join(to, 'nested'), 'config', 'core.fsmonitor', program(join(root, 'x')));
      },
    ],
  ])('asks where the repository has %s', (_, prepare) => {
    prepare(repo);
    expect(commands.map(command => decided(command))).toEqual(commands.map(() => 'ask'));
    // The question is not idle: git runs the program.
    rmSync(marker, { force: true });
    for (const command of commands.slice(0, 3)) git(repo, ...command.split(' ').slice(1));
    expect(existsSync(marker)).toBe(true);
  });

  it.each<[what: string, prepare: (repo: string) => void]>([
    ['fetches what is missing', to => git(to, 'config', 'remote.origin.promisor', 'true')],
    ['has an alias', to => git(to, 'config', 'alias.x', '!x')],
    ['verifies signatures', to => git(to, 'config', 'log.showSignature', 'true')],
    ['has submodules', to => writeFileSync(join(to, '.gitmodules'), '')],
    [
      'has settings that continue in the next line',
      to => appendFileSync(join(to, '.git/config'), '[user]\n\tname = a\\\nb\n'),
    ],
    [
      'has a pipe for settings',
      to => {
        rmSync(join(to, '.git/config'));
        execFileSync('mkfifo', [join(to, '.git/config')]);
      },
    ],
    ['has settings that are not text', to => appendFileSync(join(to, '.git/config'), '\0')],
    ['is split', to => git(to, 'update-index', '--split-index')],
    ['has an index of another version', to => git(to, 'update-index', '--index-version', '4')],
  ])('is not known to start no program where it %s', (_, prepare) => {
    expect(isPlainRepository(repo)).toBe(true);
    prepare(repo);
    expect(isPlainRepository(repo)).toBe(false);
  });

  it('asks where git could take another repository than the one that is found', () => {
    git(repo, 'config', 'core.fsmonitor', program(join(root, 'x')));
    const below = join(repo, 'below');
    mkdirSync(join(below, '.git/objects'), { recursive: true });
    mkdirSync(join(below, '.git/refs'));
    expect(decided('git status', below)).toBe('ask');
    writeFileSync(join(below, '.git/HEAD'), 'nothing');
    expect(decided('git status', below)).toBe('ask');
    git(repo, 'config', '--unset', 'core.fsmonitor');
    rmSync(join(below, '.git/HEAD'));
    expect(decided('git status', below)).toBe('allow');
    symlinkSync('refs/heads/main', join(below, '.git/HEAD'));
    expect(decided('git status', below)).toBe('ask');
  });

  it('asks outside of a repository, in the folder of one without files, and where the folder is not known', () => {
    git(root, 'init', '-q', '--bare', 'bare');
    for (const folder of ['/', join(root, 'bare'), join(repo, '.git'), join(root, 'missing')])
      expect(decided('git status', folder)).toBe('ask');
    expect(planModeDecision({ tool: 'bash', input: { command: 'git status' }, shell: true }).policy).toBe('ask');
  });
});
