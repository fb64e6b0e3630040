import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { walkFiles } from './file-walk.ts';
import { ignoreRules } from './ignore-rules.ts';
import { SkippedFiles } from './skipped-files.ts';
import { workspace } from './workspace-folder.ts';

const root = mkdtempSync(join(tmpdir(), 'singletree-ignore-'));
const files: Record<string, string> = {
  '.gitignore':
    'dist/\n*.log\n!keep.log\n/only-here\n#comment\n\\#hash\ndocs/**/tmp\na?c\n[xy].txt\nlogs/**\n{a,b}.md\nspace\\ \n',
  'sub/.gitignore': '!again.log\nlocal\n/anchored\n',
};
for (const path of [
  'dist/a',
  'sub/dist/b',
  'dist.txt',
  'x.log',
  'keep.log',
  'sub/again.log',
  'only-here',
  'sub/only-here',
  '#hash',
  'docs/tmp',
  'docs/deep/er/tmp',
  'docs/tmpx',
  'abc',
  'abbc',
  'x.txt',
  'z.txt',
  'logs/one',
  'a.md',
  '{a,b}.md',
  'local',
  'sub/local',
  'sub/deep/local',
  'sub/anchored',
  'sub/deep/anchored',
  'space ',
])
  files[path] = '';

beforeAll(() => {
  execFileSync('git', ['init', '-q', root]);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

async function walked(folder: string): Promise<string[]> {
  const found: string[] = [];
  const walk = { signal: new AbortController().signal, skipped: new SkippedFiles() };
  for await (const path of walkFiles(workspace(root), folder, walk)) found.push(path);
  return found.toSorted();
}

const listed = (folder: string) =>
  execFileSync('git', ['-c', 'core.quotePath=false', 'ls-files', '-z', '--others', '--exclude-standard'], {
    cwd: join(root, folder),
    encoding: 'utf8',
  })
    .split('\0')
    .filter(path => path !== '')
    .toSorted();

describe('ignored files', () => {
  it('are those that git ignores', async () => {
    expect(await walked('')).toEqual(listed(''));
  });

  it('are those that git ignores, when the walk begins in a folder', async () => {
    expect(await walked('sub')).toEqual(listed('sub'));
  });

  it('are decided by the last rule that matches', () => {
    const rules = ignoreRules('*.a\n!b.a\n');
    expect([rules.decide('x.a', false), rules.decide('b.a', false), rules.decide('c', false)]).toEqual([
      true,
      false,
      undefined,
    ]);
  });

  it('survive patterns that mean nothing', () => {
    expect(ignoreRules('[z-a]\n[\n/\n').decide('a', false)).toBeUndefined();
  });
});
