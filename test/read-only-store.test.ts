import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SqliteLog } from '../src/log/index.ts';
import { bareEnvironment } from './support/bare-environment.ts';

const command = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
const nobody = 65_534;

let root: string;
let folder: string;
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'singletree-read-only-'));
  folder = join(root, 'home');
  for (const each of [root, folder]) {
    mkdirSync(each, { recursive: true });
    chmodSync(each, 0o755);
  }
  const log = new SqliteLog(join(root, 'written.db'));
  await log.createThread({ id: 'first-thread', title: 'A title' });
  await log.append('first-thread', [{ type: 'user', runId: 'r', content: 'Hello there' }]);
  // The newest events are beside the file until it is closed.
  for (const suffix of ['', '-wal', '-shm'])
    copyFileSync(join(root, `written.db${suffix}`), join(folder, `used.db${suffix}`));
  await log.close();
  copyFileSync(join(root, 'written.db'), join(folder, 'closed.db'));
});
afterEach(() => {
  chmodSync(folder, 0o755);
  rmSync(root, { recursive: true });
});

/** Nothing is read-only for root: the command is that of another user then. */
function singletree(file: string, ...args: string[]) {
  const asNobody = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {};
  const { status, stdout, stderr } = spawnSync(process.execPath, [command, ...args, '--db', join(folder, file)], {
    encoding: 'utf8',
    cwd: folder,
    env: { ...bareEnvironment(), SINGLETREE_HOME: folder },
    timeout: 20_000,
    ...asNobody,
  });
  return { status, stdout, stderr };
}

const contents = () => readdirSync(folder).map(name => [name, readFileSync(join(folder, name), 'base64')]);

describe('a store that may only be read', () => {
  it.each([
    ['a file and a folder', 'closed.db', 0o444, 0o555],
    ['a file in a folder', 'closed.db', 0o644, 0o555],
    ['a file in a folder that can be written', 'closed.db', 0o444, 0o777],
    ['a file whose newest part is beside it', 'used.db', 0o444, 0o555],
  ])('answers threads and show: %s', (_, file, fileMode, folderMode) => {
    for (const name of readdirSync(folder)) chmodSync(join(folder, name), fileMode);
    chmodSync(folder, folderMode);
    const before = contents();
    expect(singletree(file, 'threads')).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('A title') as string,
    });
    expect(singletree(file, 'show', 'last')).toEqual({ status: 0, stdout: '› Hello there\n', stderr: '' });
    const refused = singletree(file, 'branch', 'last');
    expect([refused.status, refused.stdout]).toEqual([1, '']);
    expect(refused.stderr).toMatch(
      /cannot be written .* Make the file and its folder writable .*\(log_unavailable\)\n$/,
    );
    expect(contents()).toEqual(before);
  });

  it('answers search, usage and export, without what is not indexed yet', () => {
    for (const name of readdirSync(folder)) chmodSync(join(folder, name), 0o444);
    chmodSync(folder, 0o555);
    for (const args of [
      ['search', 'title'],
      ['usage'],
      ['export', 'last'],
      ['graph', 'last'],
      ['inbox'],
      ['store', 'check'],
    ])
      expect([args, singletree('closed.db', ...args).status]).toEqual([args, 0]);
  });
});
