import { rm } from 'node:fs/promises';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { runMark, runVariable } from '../../agents/process/process-marks.ts';
import { SqliteLog } from '../../log/index.ts';
import { answerInbox } from './inbox.ts';

const folder = mkdtempSync(join(tmpdir(), 'inbox-'));
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true, force: true });
});

describe('singletree inbox', () => {
  it('refuses an answer from inside the run that asks, and stores nothing', async () => {
    const db = join(folder, 'log.db');
    const log = await SqliteLog.open(db);
    const { id } = await log.createThread();
    const lease = await log.acquireLease(`thread:${id}`, { owner: 'o', ttlMs: 60_000 });
    const asked = { type: 'relay', runId: 'r', id: 'q', relayKind: 'question', question: 'Tea?' } as const;
    await log.append(id, [{ type: 'run_requested', runId: 'r', agentId: 'a', parentId: 'p' }, asked], { lease });
    vi.stubEnv(runVariable, runMark('o', id, 'r'));
    await expect(answerInbox('answer', ['1', 'Yes'], { db })).rejects.toMatchObject({ code: 'request_forbidden' });
    expect(await log.read(id)).toHaveLength(2);
    await log.close();
  });
});
