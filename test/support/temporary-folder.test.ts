import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ownedFolder } from './owned-folder.ts';
import { inSystemFolder, systemFolderVariable } from './system-folder.ts';

describe('the temporary folder of tests', () => {
  it('is one of the run, in that of the system, where every user may make folders', () => {
    expect([dirname(tmpdir()), basename(tmpdir())]).toEqual([
      process.env[systemFolderVariable],
      expect.stringMatching(/^st-.{6}$/),
    ]);
    expect(statSync(tmpdir()).mode & 0o7777).toBe(0o1777);
  });

  it('is that of the system for files that later runs use again', async () => {
    const before = tmpdir();
    expect(await inSystemFolder(async () => tmpdir())).toBe(process.env[systemFolderVariable]);
    expect(tmpdir()).toBe(before);
  });
});

describe('an owned folder', () => {
  it('is removed with what is in it', async () => {
    const folder = ownedFolder('owned-');
    mkdirSync(join(folder.path, 'a'));
    writeFileSync(join(folder.path, 'a', 'file'), '');
    await folder.remove();
    expect(existsSync(folder.path)).toBe(false);
  });
});
