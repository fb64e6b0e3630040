import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../../events/vocabulary.ts';
import { scriptedModel } from '../../model/scripted/scripted-model.ts';
import { loopAgent } from '../../loop/loop-agent.ts';
import { workspaceTools } from '../../tools/workspace-tools.ts';
import { type Checkpoint, readCheckpoint } from './checkpoint.ts';
import { applyRewind, collectUncovered, previewRewind } from './file-rewind.ts';
import { hashContent } from './file-state.ts';
import { ShadowRepository } from './shadow-repository.ts';
import { withCheckpoints } from './with-checkpoints.ts';

let root: string;
let work: string;
let repository: ShadowRepository;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'singletree-checkpoints-')));
  work = join(root, 'work');
  mkdirSync(work);
  repository = new ShadowRepository({ folder: join(root, 'snapshots'), workTree: work });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const at = (path: string) => join(work, path);
const put = (path: string, text: string) => writeFileSync(at(path), text);
const get = (path: string) => (existsSync(at(path)) ? readFileSync(at(path), 'utf8') : undefined);
const bash = (command: string) => [{ toolCall: { name: 'bash', input: { command } } }];
const write = (path: string, content: string) => [{ toolCall: { name: 'write', input: { path, content } } }];

/** Runs scripted calls and returns all events and the checkpoints among them. */
async function run(
  turns: Parameters<typeof scriptedModel>[0],
  tools = withCheckpoints(workspaceTools(work), repository),
) {
  const agent = loopAgent({
    model: scriptedModel([...(turns as never[]), 'Done.']),
    tools,
    permissions: { default: 'allow', rules: [] },
  });
  const events: AgentEvent[] = [];
  for await (const event of agent.invoke({ conversation: { messages: [{ role: 'user', content: 'go' }] } }))
    events.push(event);
  return { events, checkpoints: events.flatMap(event => readCheckpoint(event) ?? []) };
}
const rewind = async (checkpoints: readonly Checkpoint[], direction: 'undo' | 'redo', force = false) =>
  applyRewind(await previewRewind(checkpoints, repository, direction), repository, { force });

describe('checkpoints', () => {
  it('undo and redo what the calls of a turn changed, commands included', async () => {
    put('kept.txt', 'kept');
    put('gone.txt', 'gone');
    const { checkpoints } = await run([
      write('new.txt', 'one'),
      bash('echo two > new.txt; rm gone.txt; mkdir -p d; echo x > d/deep'),
    ]);
    expect(checkpoints.map(({ files }) => files.map(({ path }) => path))).toEqual([
      ['new.txt'],
      ['d/deep', 'gone.txt', 'new.txt'],
    ]);
    expect(await rewind(checkpoints, 'undo')).toEqual(['d/deep', 'gone.txt', 'new.txt']);
    expect([get('kept.txt'), get('gone.txt'), get('new.txt'), get('d/deep')]).toEqual([
      'kept',
      'gone',
      undefined,
      undefined,
    ]);
    await rewind(checkpoints, 'redo');
    expect([get('gone.txt'), get('new.txt'), get('d/deep')]).toEqual([undefined, 'two\n', 'x\n']);
  });

  it('leave alone what others changed between the calls', async () => {
    put('theirs.txt', 'before');
    const tools = withCheckpoints(workspaceTools(work), repository);
    const first = await run([bash('echo a > mine.txt')], tools);
    put('theirs.txt', 'after');
    const second = await run([bash('echo b >> mine.txt')], tools);
    await rewind([...first.checkpoints, ...second.checkpoints], 'undo');
    expect([get('mine.txt'), get('theirs.txt')]).toEqual([undefined, 'after']);
  });

  it('show a file that somebody changed afterwards as a conflict, and rewind it only when forced', async () => {
    const { checkpoints } = await run([bash('echo a > a.txt; echo b > b.txt')]);
    put('a.txt', 'edited by hand');
    expect(await previewRewind(checkpoints, repository, 'undo')).toMatchObject([
      { path: 'a.txt', action: 'delete', isConflict: true },
      { path: 'b.txt', action: 'delete', isConflict: false },
    ]);
    expect(await rewind(checkpoints, 'undo')).toEqual(['b.txt']);
    expect(get('a.txt')).toBe('edited by hand');
    expect(await rewind(checkpoints, 'undo', true)).toEqual(['a.txt']);
    expect(get('a.txt')).toBeUndefined();
  });

  it('restore modes and links', async () => {
    put('run.sh', '#!/bin/sh\n');
    chmodSync(at('run.sh'), 0o755);
    symlinkSync('run.sh', at('link'));
    const { checkpoints } = await run([bash('rm run.sh link')]);
    await rewind(checkpoints, 'undo');
    expect(statSync(at('run.sh')).mode & 0o777).toBe(0o755);
    expect(readFileSync(at('link'), 'utf8')).toBe('#!/bin/sh\n');
  });

  it('touch neither the index nor the history of the person’s repository, and honour .gitignore', async () => {
    const git = (...args: string[]) => execFileSync('git', args, { cwd: work, encoding: 'utf8', stdio: 'pipe' });
    git('init', '--quiet');
    put('.gitignore', 'ignored/\n');
    put('staged.txt', 's');
    git('add', 'staged.txt');
    const before = [git('status', '--porcelain'), git('ls-files', '--stage'), git('count-objects')];
    const { checkpoints } = await run([bash('mkdir ignored; echo x > ignored/file; echo y > seen')]);
    expect(checkpoints.flatMap(({ files }) => files.map(({ path }) => path))).toEqual(['seen']);
    rmSync(at('seen'));
    expect([git('status', '--porcelain'), git('ls-files', '--stage'), git('count-objects')]).toEqual(before);
  });

  it('run no filter or hook that the project configures', async () => {
    put('.gitattributes', '* filter=evil\n');
    mkdirSync(at('.git/hooks'), { recursive: true });
    writeFileSync(at('.git/config'), `[filter "evil"]\n\tclean = touch ${join(root, 'ran')}; cat\n`);
    await run([bash('echo a > a.txt')]);
    expect(existsSync(join(root, 'ran'))).toBe(false);
  });

  it('refuse to write through a folder that became a link', async () => {
    mkdirSync(at('d'));
    put('d/file', 'old');
    const { checkpoints } = await run([bash('echo new > d/file')]);
    rmSync(at('d'), { recursive: true });
    mkdirSync(join(root, 'elsewhere'));
    symlinkSync(join(root, 'elsewhere'), at('d'));
    await expect(rewind(checkpoints, 'undo', true)).rejects.toMatchObject({ code: 'request_forbidden' });
    expect(existsSync(join(root, 'elsewhere/file'))).toBe(false);
  });

  it('replace a link by the folder that it took the place of, and touch nothing behind it', async () => {
    mkdirSync(at('d/sub'), { recursive: true });
    put('d/x', 'inside');
    const outside = join(root, 'outside');
    mkdirSync(join(outside, 'folder'), { recursive: true, mode: 0o500 });
    for (const name of ['sub', 'x']) writeFileSync(join(outside, name), 'theirs');
    const { checkpoints } = await run([bash(`rm -rf d; ln -s ${outside} d`)]);
    await rewind(checkpoints, 'undo');
    expect([get('d/x'), statSync(at('d/sub')).isDirectory()]).toEqual(['inside', true]);
    await rewind(checkpoints, 'redo');
    expect(get('d/x')).toBe('theirs');
    for (const name of ['sub', 'x']) expect(readFileSync(join(outside, name), 'utf8')).toBe('theirs');
    expect(statSync(join(outside, 'folder')).mode & 0o777).toBe(0o500);
  });

  it('are left out with a warning, once, when the folder is too large for the time limit', async () => {
    const slow = new ShadowRepository({ folder: join(root, 's'), workTree: work, maxMs: 0 });
    const { events, checkpoints } = await run(
      [bash('echo a > a'), bash('echo b > b')],
      withCheckpoints(workspaceTools(work), slow),
    );
    expect([get('a'), get('b'), checkpoints]).toEqual(['a\n', 'b\n', []]);
    const warnings = events.filter(event => event.type === 'warning' && event.code === 'checkpoint');
    expect(warnings).toHaveLength(1);
  });

  it('leave large files out and say so', async () => {
    const small = new ShadowRepository({ folder: join(root, 's'), workTree: work, maxFileBytes: 10 });
    put('large.bin', 'x'.repeat(11));
    const { events, checkpoints } = await run(
      [bash('echo a > a; echo more >> large.bin')],
      withCheckpoints(workspaceTools(work), small),
    );
    expect(checkpoints.flatMap(({ files }) => files.map(({ path }) => path))).toEqual(['a']);
    expect(events.find(event => event.type === 'warning')).toMatchObject({
      message: expect.stringContaining('large.bin') as string,
    });
  });

  it('explain that a snapshot was removed', async () => {
    const { checkpoints } = await run([bash('echo a > a; rm -f b')]);
    put('b', 'b');
    const changed = (await run([bash('echo c > b')])).checkpoints;
    rmSync(join(root, 'snapshots'), { recursive: true });
    await repository.snapshot();
    await expect(rewind([...checkpoints, ...changed], 'undo', true)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('begin anew when the snapshots are larger than their quota', async () => {
    const options = { folder: join(root, 'q'), workTree: work, maxBytes: 1 };
    put('a', 'x'.repeat(5000));
    const first = new ShadowRepository(options);
    const hash = hashContent(readFileSync(at('a')));
    await first.snapshot();
    expect(first.content(hash)).toEqual(readFileSync(at('a')));
    rmSync(at('a'));
    const again = new ShadowRepository(options);
    await again.snapshot();
    expect(() => again.content(hash)).toThrow('ENOENT');
  });

  it('restore bytes and permissions whatever attributes the project sets', async () => {
    put('.gitattributes', '* text eol=crlf ident working-tree-encoding=UTF-16\n');
    put('crlf.txt', 'one\r\n$Id$\r\n');
    for (const mode of [0o600, 0o640, 0o444]) {
      put(`mode-${mode}`, '$Id$\n');
      chmodSync(at(`mode-${mode}`), mode);
    }
    const { checkpoints } = await run([bash('echo x > crlf.txt; rm -f mode-*; chmod 600 .gitattributes')]);
    expect((await previewRewind(checkpoints, repository, 'undo')).filter(({ isConflict }) => isConflict)).toEqual([]);
    await rewind(checkpoints, 'undo');
    expect(get('crlf.txt')).toBe('one\r\n$Id$\r\n');
    for (const mode of [0o600, 0o640, 0o444])
      expect([statSync(at(`mode-${mode}`)).mode & 0o7777, get(`mode-${mode}`)]).toEqual([mode, '$Id$\n']);
    expect(statSync(at('.gitattributes')).mode & 0o777).toBe(0o644);
  });

  it('replace a folder by a file and a file by a folder, in both directions', async () => {
    mkdirSync(at('d'));
    put('d/x', 'deep');
    put('f', 'file');
    mkdirSync(at('empty'), { mode: 0o700 });
    const { checkpoints } = await run([bash('rm -rf d; echo f > d; rm f; mkdir f; echo a > f/x; rmdir empty')]);
    await rewind(checkpoints, 'undo');
    expect([get('d/x'), get('f'), statSync(at('empty')).mode & 0o777]).toEqual(['deep', 'file', 0o700]);
    await rewind(checkpoints, 'redo');
    expect([get('d'), get('f/x'), existsSync(at('empty'))]).toEqual(['f\n', 'a\n', false]);
  });

  it('restore files whose names are not UTF-8', async () => {
    const { checkpoints } = await run([bash(`printf one > "$(printf 'a\\377')"; printf two > plain`)]);
    const name = Buffer.from('a\xff', 'latin1');
    const file = Buffer.concat([Buffer.from(`${work}/`), name]);
    expect(readFileSync(file, 'utf8')).toBe('one');
    await rewind(checkpoints, 'undo');
    expect([existsSync(file), get('plain')]).toEqual([false, undefined]);
    await rewind(checkpoints, 'redo');
    expect([readFileSync(file, 'utf8'), get('plain')]).toEqual(['one', 'two']);
  });

  it('cover the files of nested repositories, and name what they do not cover', async () => {
    put('.gitignore', 'secret\n');
    put('secret', 'key');
    mkdirSync(at('nested/.git'), { recursive: true });
    put('nested/.git/config', '[filter "x"]\n');
    put('nested/a', 'one');
    const { checkpoints } = await run([bash('echo two > nested/a; echo >> nested/.git/config; echo >> secret')]);
    expect(collectUncovered(checkpoints, work)).toEqual([
      { path: 'nested/.git', reason: 'git' },
      { path: 'secret', reason: 'ignored' },
    ]);
    await rewind(checkpoints, 'undo');
    expect(get('nested/a')).toBe('one');
  });

  it('keep covering a file that a call makes git ignore', async () => {
    put('a.log', 'one');
    const { checkpoints } = await run([bash(`echo '*.log' > .gitignore; echo two > a.log`)]);
    await rewind(checkpoints, 'undo');
    expect([get('a.log'), get('.gitignore')]).toEqual(['one', undefined]);
  });

  it('name a file that a call makes too large, and wait for no pipe', async () => {
    const small = new ShadowRepository({ folder: join(root, 's'), workTree: work, maxFileBytes: 10 });
    put('a', 'small');
    const { events, checkpoints } = await run(
      [bash('echo more than ten bytes > a; mkfifo pipe')],
      withCheckpoints(workspaceTools(work), small),
    );
    expect(collectUncovered(checkpoints, work).map(({ path }) => path)).toEqual(['a', 'pipe']);
    expect(events.find(event => event.type === 'warning')).toMatchObject({
      code: 'not_covered',
      message: expect.stringContaining('a (too large for snapshots), pipe (not a file') as string,
    });
  });

  it('report what an undo restored and what it did not', async () => {
    put('d', 'file');
    put('other', 'old');
    const { checkpoints } = await run([bash('rm d; echo new > other')]);
    mkdirSync(at('d'));
    put('d/theirs', 'x');
    await expect(rewind(checkpoints, 'undo', true)).rejects.toMatchObject({
      code: 'rewind_incomplete',
      details: { restored: ['other'], failed: [{ path: 'd', reason: expect.stringContaining('ENOTEMPTY') as string }] },
    });
    expect([get('other'), get('d/theirs')]).toEqual(['old', 'x']);
  });

  it('of earlier versions are rewound with what they know of permissions', async () => {
    put('a', 'now');
    chmodSync(at('a'), 0o600);
    await repository.snapshot();
    const [before, after] = [Buffer.from('before'), Buffer.from('now')].map(hashContent);
    const old = {
      toolCallId: 'c',
      workTree: work,
      files: [{ path: 'a', before: `100755 ${before}`, after: `100644 ${after}` }],
    };
    put('b', 'before');
    await repository.snapshot();
    expect(await rewind([old], 'undo')).toEqual(['a']);
    expect([get('a'), statSync(at('a')).mode & 0o777]).toEqual(['before', 0o755]);
  });

  it('have no path that leads out of the folder or into the data of git', () => {
    const event = (path: string, bytes?: string) =>
      readCheckpoint({
        type: 'custom',
        runId: 'r',
        id: 'i',
        name: 'checkpoint',
        data: { toolCallId: 'c', workTree: work, files: [{ path, ...(bytes && { bytes }) }] },
      } as AgentEvent);
    for (const path of ['../x', '/x', 'a/../../x', '.git/hooks/x', 'a/.GIT/x', 'a\0b', ''])
      expect([path, event(path), event('x', Buffer.from(path).toString('base64') || 'Li4=')]).toEqual([
        path,
        undefined,
        undefined,
      ]);
    expect(event('a/..b')).toBeDefined();
  });
});
