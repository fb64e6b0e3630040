import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { coderAgent } from '../../agents/coder/coder-agent.ts';
import { scriptedModel } from '../../agents/model/scripted/scripted-model.ts';
import { MemoryLog } from '../../log/memory-log.ts';
import { Supervisor } from '../supervision/supervisor.ts';
import { ThreadRewind } from './rewind-thread.ts';

let cwd: string;
let home: string;
const log = new MemoryLog();
const supervisor = new Supervisor({ log });

beforeEach(() => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'singletree-rewind-')));
  [cwd, home] = [join(root, 'project'), join(root, 'home')];
  mkdirSync(cwd);
  writeFileSync(join(cwd, 'a.txt'), 'one\n');
});

const text = () => readFileSync(join(cwd, 'a.txt'), 'utf8');
const rewinder = () => new ThreadRewind({ log, snapshots: join(home, 'snapshots') });

/** Sends a message that makes the agent run a command. */
async function turn(threadId: string, command: string): Promise<void> {
  const model = scriptedModel([[{ toolCall: { name: 'bash', input: { command } } }], 'Done.']);
  const agent = coderAgent({ model, cwd, home, permissions: { default: 'allow', rules: [] } });
  await (await supervisor.start(threadId, { agent, content: command })).done;
}
const userTexts = async (threadId: string) =>
  (await log.read(threadId)).flatMap(event => (event.type === 'user' ? [event.content] : []));

describe('rewinding a thread', () => {
  it('takes the newest turn back in a new branch, and up again', async () => {
    const { id } = await log.createThread({ title: 'Work' });
    await turn(id, 'echo two > a.txt');
    await turn(id, 'echo three > a.txt; echo new > b.txt');
    const preview = await rewinder().previewUndo(id);
    expect(preview).toMatchObject({ message: 'echo three > a.txt; echo new > b.txt' });
    expect(preview.folders[0]?.files.map(({ path, action }) => [path, action])).toEqual([
      ['a.txt', 'change'],
      ['b.txt', 'delete'],
    ]);
    expect(text()).toBe('three\n');

    const undone = await rewinder().undo(id);
    expect([text(), existsSync(join(cwd, 'b.txt'))]).toEqual(['two\n', false]);
    expect(await userTexts(undone.threadId)).toEqual(['echo two > a.txt']);
    expect((await log.getThread(undone.threadId))?.title).toBe('Work');
    expect(await userTexts(id)).toHaveLength(2);

    const again = await rewinder().redo(undone.threadId);
    expect([again.threadId, text(), existsSync(join(cwd, 'b.txt'))]).toEqual([id, 'three\n', true]);
  });

  it('is refused while a message waits in the thread', async () => {
    const { id } = await log.createThread();
    await turn(id, 'echo two > a.txt');
    const queued = { type: 'message_queued' as const, runId: 'q', id: 'm', content: 'later', agent: 'coder', order: 0 };
    await log.append(id, [{ ...queued, delivery: 'follow_up' }]);
    await expect(rewinder().undo(id)).rejects.toMatchObject({ code: 'run_under_way' });
    await log.append(id, [{ type: 'message_withdrawn', runId: 'w', id: 'm' }]);
    await rewinder().undo(id);
    expect(text()).toBe('one\n');
  });

  it('takes several turns back from a message on', async () => {
    const { id } = await log.createThread();
    await turn(id, 'echo two > a.txt');
    await turn(id, 'echo three > a.txt');
    const first = (await log.read(id)).find(event => event.type === 'user');
    const { threadId } = await rewinder().undo(id, { messageId: `${first?.runId}:user` });
    expect([text(), await userTexts(threadId)]).toEqual(['one\n', []]);
  });

  it('takes the conversation back without the files, or the files without the conversation', async () => {
    const { id } = await log.createThread();
    await turn(id, 'echo two > a.txt');
    const talked = await rewinder().undo(id, { scope: 'conversation' });
    expect([text(), talked.changed, await userTexts(talked.threadId)]).toEqual(['two\n', [], []]);
    expect([await rewinder().canRedo(talked.threadId), await rewinder().canRedo(id)]).toEqual([true, false]);
    expect(await rewinder().redo(talked.threadId)).toMatchObject({ threadId: id, changed: [] });
    const files = await rewinder().undo(id, { scope: 'files' });
    expect([text(), files.threadId, files.changed]).toEqual(['one\n', id, [join(cwd, 'a.txt')]]);
  });

  it('leaves files alone that others changed, unless it is forced', async () => {
    const { id } = await log.createThread();
    await turn(id, 'echo two > a.txt');
    writeFileSync(join(cwd, 'a.txt'), 'by hand\n');
    expect((await rewinder().previewUndo(id)).folders[0]?.files).toMatchObject([{ path: 'a.txt', isConflict: true }]);
    expect((await rewinder().undo(id)).changed).toEqual([]);
    expect(text()).toBe('by hand\n');
    expect((await rewinder().undo(id, { force: true })).changed).toEqual([join(cwd, 'a.txt')]);
    expect(text()).toBe('one\n');
  });

  it('names what a turn changed and an undo leaves as it is', async () => {
    const { id } = await log.createThread();
    writeFileSync(join(cwd, '.gitignore'), 'ignored\n');
    await turn(id, 'echo two > a.txt; echo x > ignored');
    const warning = `Not covered in ${cwd}: ignored (ignored by git).`;
    expect((await rewinder().previewUndo(id)).warnings).toEqual([warning]);
    const undone = await rewinder().undo(id);
    expect([undone.warnings, text(), existsSync(join(cwd, 'ignored'))]).toEqual([[warning], 'one\n', true]);
  });

  it('finds the folder of the newest turn, and of the turn that was taken back', async () => {
    const { id } = await log.createThread();
    expect(await rewinder().findFolder(id)).toBeUndefined();
    await turn(id, 'true');
    expect(await rewinder().findFolder(id)).toBe(cwd);
    const { threadId } = await rewinder().undo(id);
    expect(await rewinder().findFolder(threadId)).toBe(cwd);
  });

  it('explains what cannot be undone or redone', async () => {
    const { id } = await log.createThread();
    await expect(rewinder().undo(id)).rejects.toMatchObject({ code: 'invalid_argument' });
    await expect(rewinder().undo('nowhere')).rejects.toMatchObject({ code: 'thread_not_found' });
    await expect(rewinder().redo(id)).rejects.toMatchObject({ code: 'invalid_argument' });
    await expect(rewinder().undo(id, { messageId: 'x' })).rejects.toThrow('There is no message "x" to undo.');
  });
});
