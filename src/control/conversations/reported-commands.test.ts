import { describe, expect, it } from 'vitest';
import { MemoryLog } from '../../log/memory-log.ts';
import { ConversationReader } from './conversation-reader.ts';

const folder = '/home/person/project';

async function log() {
  const store = new MemoryLog();
  const run = async (
    runId: string,
    agentId: string,
    cwd: string,
    commands?: { name: string; description?: string }[],
  ) => {
    const { id } = await store.createThread();
    await store.append(id, [
      { type: 'harness_start', runId, agentId, cwd },
      { type: 'session', runId, sessionId: 's', ...(commands && { commands }) },
      { type: 'harness_end', runId, agentId },
    ]);
    return id;
  };
  return { store, run, commands: new ConversationReader(store).commands };
}

describe('the slash commands that programs reported', () => {
  it('are those of the newest run of each agent in the folder', async () => {
    const { run, commands } = await log();
    await run('r1', 'claude', folder, [{ name: 'old' }]);
    await run('r2', 'claude', folder, [{ name: 'review', description: 'reviews' }, { name: 'compact' }]);
    await run('r3', 'gemini', folder, [{ name: 'memory' }]);
    await run('r4', 'claude', '/elsewhere', [{ name: 'other' }]);
    await run('r5', 'codex', folder);
    const found = await commands.list(folder);
    expect([...found.keys()].toSorted()).toEqual(['claude', 'gemini']);
    expect(found.get('claude')).toEqual([
      { name: 'review', description: 'reviews', sends: '/review {argument}' },
      { name: 'compact', description: '', sends: '/compact {argument}' },
    ]);
  });

  it('count for the project that a worktree is a copy of, and not when they were imported', async () => {
    const { store, commands } = await log();
    const { id } = await store.createThread();
    await store.append(id, [
      {
        type: 'folder_changed',
        runId: 'f',
        folder: '/data/worktrees/a',
        worktree: { origin: folder, branch: 'b', head: 'h' },
      },
      { type: 'harness_start', runId: 'r', agentId: 'claude', cwd: '/data/worktrees/a' },
      { type: 'session', runId: 'r', sessionId: 's', commands: [{ name: 'review' }] },
    ]);
    expect((await commands.list(folder)).get('claude')).toHaveLength(1);
    const imported = await log();
    const { id: other } = await imported.store.createThread({ imported: true });
    await imported.store.append(
      other,
      [
        { type: 'harness_start', runId: 'r', agentId: 'claude', cwd: folder },
        { type: 'session', runId: 'r', sessionId: 's', commands: [{ name: 'evil' }] },
      ],
      { imported: true },
    );
    expect((await imported.commands.list(folder)).size).toBe(0);
  });
});
