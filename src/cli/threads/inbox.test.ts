import { spawnSync } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { mkdtempSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { runMark, runVariable } from '../../agents/process/process-marks.ts';
import { SqliteLog } from '../../log/sqlite/sqlite-log.ts';
import { answerInbox } from './inbox.ts';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'inbox-'))));
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true, force: true });
});

/** A log with a run that asks a question. */
async function askingLog(owner: string, agentId = 'a') {
  const db = join(folder, 'log.db');
  const log = await SqliteLog.open(db);
  const { id } = await log.createThread();
  const lease = await log.acquireLease(`thread:${id}`, { owner, ttlMs: 60_000 });
  const asked = { type: 'relay', runId: 'r', id: 'q', relayKind: 'question', question: 'Tea?' } as const;
  await log.append(id, [{ type: 'run_requested', runId: 'r', agentId, parentId: 'p' }, asked], { lease });
  return { db, log, id };
}

const endedProcess = () => `${hostname()}/${spawnSync(process.execPath, ['--version']).pid}/x`;

describe('singletree inbox', () => {
  it('stores the answer to an interrupted run of an agent that only other processes have', async () => {
    const { db, log, id } = await askingLog(endedProcess());
    expect(await answerInbox('answer', ['1', 'Yes'], { db })).toBe(0);
    expect((await log.read(id)).at(-1)).toMatchObject({ type: 'relay_resolved', relayId: 'q', answer: 'Yes' });
    await log.close();
  });

  it('stores the answer to an interrupted run that another process resumes at the same time', async () => {
    const { db, log, id } = await askingLog(endedProcess(), 'demo');
    await log.acquireLease(`thread:${id}`, { owner: 'another', ttlMs: 60_000, isGone: () => true });
    expect(await answerInbox('answer', ['1', 'Yes'], { db })).toBe(0);
    expect((await log.read(id)).at(-1)).toMatchObject({ type: 'relay_resolved', relayId: 'q', answer: 'Yes' });
    await log.close();
  });

  it('refuses an answer from inside the run that asks, and stores nothing', async () => {
    const { db, log, id } = await askingLog('o');
    vi.stubEnv(runVariable, runMark('o', id, 'r'));
    await expect(answerInbox('answer', ['1', 'Yes'], { db })).rejects.toMatchObject({ code: 'request_forbidden' });
    expect(await log.read(id)).toHaveLength(2);
    await log.close();
  });
});
