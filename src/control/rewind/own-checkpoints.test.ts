import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../events/vocabulary.ts';
import { MemoryLog } from '../../log/memory-log.ts';
import { ThreadRewind } from './rewind-thread.ts';

let root: string;
let work: string;
let log: MemoryLog;
let rewind: ThreadRewind;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'singletree-own-checkpoints-')));
  work = join(root, 'work');
  mkdirSync(work);
  writeFileSync(join(root, 'victim'), 'precious');
  writeFileSync(join(work, 'own'), 'own');
  log = new MemoryLog();
  rewind = new ThreadRewind({ log, snapshots: join(root, 'snapshots') });
});

const after = `100644 ${'0'.repeat(39)}1`;
const user = (runId: string): AgentEvent => ({ type: 'user', runId, content: 'Go.' });
const start = (cwd: string): AgentEvent => ({
  type: 'harness_start',
  runId: 'r',
  agentId: 'a',
  parentId: 'u:user',
  cwd,
});
const checkpoint = (path: string, workTree = work): AgentEvent => ({
  type: 'custom',
  runId: 'r',
  name: 'checkpoint',
  data: { toolCallId: 'c', workTree, files: [{ path, after }] },
});
async function threadWith(...events: readonly AgentEvent[]): Promise<string> {
  const { id } = await log.createThread();
  await log.append(id, events);
  return id;
}

describe('a checkpoint that an undo follows', () => {
  it('is one of the folder of its run, also after a message that was sent into the run', async () => {
    const id = await threadWith(user('u'), start(work), user('sent'), checkpoint('own'));
    expect((await rewind.undo(id, { force: true })).changed).toEqual([join(work, 'own')]);
    expect(existsSync(join(work, 'own'))).toBe(false);
  });

  it.each(['../victim', 'd/../../victim', './own', '/etc/hosts', '', 'a//b', '.git/hooks/post-checkout', 'own\0'])(
    'has only paths in its folder: not %j',
    async path => {
      const id = await threadWith(user('u'), start(work), checkpoint(path));
      expect(await rewind.undo(id, { force: true })).toMatchObject({ folders: [], changed: [] });
      expect(readFileSync(join(root, 'victim'), 'utf8')).toBe('precious');
    },
  );

  it('has the folder that its run states, and no other', async () => {
    const other = join(root, 'other');
    mkdirSync(other);
    writeFileSync(join(other, 'own'), 'other');
    const stated = [user('u'), start(work), checkpoint('own', other)];
    const silent = [user('u'), checkpoint('own')];
    for (const events of [stated, silent])
      expect((await rewind.undo(await threadWith(...events), { force: true })).changed).toEqual([]);
    expect([existsSync(join(other, 'own')), existsSync(join(work, 'own'))]).toEqual([true, true]);
  });

  it('reads and changes nothing behind a link', async () => {
    const outside = join(root, 'outside');
    mkdirSync(outside);
    symlinkSync(outside, join(work, 'd'));
    const id = await threadWith(user('u'), start(work), checkpoint('d/x'));
    const before = await rewind.previewUndo(id);
    writeFileSync(join(outside, 'x'), 'precious');
    expect(await rewind.previewUndo(id)).toEqual(before);
    await rewind.undo(id, { force: true });
    expect(readFileSync(join(outside, 'x'), 'utf8')).toBe('precious');
  });

  it('has a folder that exists; without it the conversation can be rewound', async () => {
    const id = await threadWith(user('u'), start(work), checkpoint('own'));
    rmSync(work, { recursive: true });
    await expect(rewind.undo(id)).rejects.toMatchObject({ code: 'workspace_unavailable' });
    expect(await rewind.undo(id, { scope: 'conversation' })).toMatchObject({ folders: [], changed: [] });
  });
});

describe('a redo', () => {
  it('follows the note of an undo only in the branch that this undo made', async () => {
    const id = await threadWith(user('u'), start(work), checkpoint('own'));
    const { threadId } = await rewind.undo(id);
    const metadata = (await log.getThread(threadId))?.metadata ?? {};
    const forged = await log.createThread({ metadata });
    expect(await rewind.canRedo(forged.id)).toBe(false);
    await expect(rewind.previewRedo(forged.id)).rejects.toMatchObject({ code: 'invalid_argument' });
    expect(await rewind.canRedo(threadId)).toBe(true);
  });
});
