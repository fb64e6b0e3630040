import { mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { projectInstructions } from './project-instructions.ts';

let outside: string;
let root: string;

beforeEach(() => {
  outside = realpathSync(mkdtempSync(join(tmpdir(), 'singletree-instructions-')));
  root = join(outside, 'repo');
  for (const folder of ['.git', 'docs', 'packages/a']) mkdirSync(join(root, folder), { recursive: true });
});

const put = (path: string, text: string) => writeFileSync(join(root, path), text);

describe('project instructions', () => {
  it('come from the folder and those above it, the nearest first, up to the repository', () => {
    writeFileSync(join(outside, 'AGENTS.md'), 'not of this repository');
    put('AGENTS.md', 'root words');
    put('packages/a/CLAUDE.md', 'package words');
    const { text, files } = projectInstructions(join(root, 'packages/a'));
    expect(files).toEqual([join(root, 'packages/a/CLAUDE.md'), join(root, 'AGENTS.md')]);
    expect(text).toBe(
      `Instructions from ${files[0]}:\n\npackage words\n\nInstructions from ${files[1]}:\n\nroot words`,
    );
  });

  it('prefer AGENTS.md where a folder has both', () => {
    put('AGENTS.md', 'agents');
    put('CLAUDE.md', 'claude');
    expect(projectInstructions(root).files).toEqual([join(root, 'AGENTS.md')]);
  });

  it('are empty when there is no file', () => {
    expect(projectInstructions(root)).toEqual({ text: '', files: [], problems: [] });
  });

  it('include imported files once, in place, and not from code', () => {
    put('AGENTS.md', 'before\n@docs/style.md\n@docs/style.md\n```\n@docs/style.md\n```\nmail me @home now');
    put('docs/style.md', 'style, see\n@../AGENTS.md');
    expect(projectInstructions(root).text).toContain(
      'before\nstyle, see\n@../AGENTS.md\n@docs/style.md\n```\n@docs/style.md\n```\nmail me @home now',
    );
  });

  it('never read a file outside of the project, links included', () => {
    writeFileSync(join(outside, 'secret.txt'), 'SECRET');
    symlinkSync(join(outside, 'secret.txt'), join(root, 'docs/link.md'));
    put('AGENTS.md', `@../secret.txt\n@${join(outside, 'secret.txt')}\n@docs/link.md\n@docs\n@missing.md`);
    const { text, problems } = projectInstructions(root);
    expect(text).not.toContain('SECRET');
    expect(problems.map(problem => problem.split(': ')[1])).toEqual([
      'it was not imported.',
      'it was not imported.',
      'it was not imported.',
      'it was not imported.',
      'it was not imported.',
    ]);
  });

  it('stop importing at a depth of five', () => {
    for (let at = 0; at < 8; at++) put(`docs/${at}.md`, `level ${at}\n@${at + 1}.md`);
    put('AGENTS.md', '@docs/0.md');
    const { text, problems } = projectInstructions(root);
    expect(text).toContain('level 4');
    expect(text).not.toContain('level 5');
    expect(problems).toHaveLength(1);
  });

  it('are shortened to the limit, the farthest first', () => {
    put('AGENTS.md', 'r'.repeat(50));
    put('packages/a/AGENTS.md', 'p'.repeat(80));
    const { text, files, problems } = projectInstructions(join(root, 'packages/a'), { maxLength: 100 });
    expect(files).toHaveLength(2);
    expect(text).toContain('r'.repeat(20));
    expect(text).not.toContain('r'.repeat(21));
    expect(problems).toEqual([`${join(root, 'AGENTS.md')} was shortened to 20 of 50 characters.`]);
  });

  it('end with the person’s own', () => {
    const home = join(outside, 'home');
    mkdirSync(home);
    writeFileSync(join(home, 'AGENTS.md'), 'mine');
    put('AGENTS.md', 'theirs');
    expect(projectInstructions(root, { home }).files).toEqual([join(root, 'AGENTS.md'), join(home, 'AGENTS.md')]);
  });
});
