import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { checkStore } from '../store/check-store.ts';
import { SqliteLog } from './sqlite-log.ts';

const root = mkdtempSync(join(tmpdir(), 'singletree-notes-'));
afterAll(() => rmSync(root, { recursive: true }));

/** A file of an older version: a run that asks and messages for it, one that was requested and not started, one that ended. */
function olderFile(name: string): string {
  const path = join(root, name);
  writeFileSync(path, gunzipSync(readFileSync(new URL('./fixtures/schema-11.db.gz', import.meta.url))));
  return path;
}

describe('a file whose threads note what is open in their metadata', () => {
  it('has it in the index, and the requests of its open runs in the log', async () => {
    const log = new SqliteLog(olderFile('a.db'));
    const [asking, requested, finished] = await Promise.all(
      ['asking', 'requested', 'finished'].map(id => log.getThread(id)),
    );
    const request = { agentId: 'asking', parentId: '01a1ec2b-3498-7385-884a-22abdde6c0da:user', model: 'a/b' };
    expect(asking?.open).toEqual([
      { kind: 'relay', id: 'run 1/q', runId: 'run 1', seq: 3 },
      { kind: 'run', id: 'run 1', runId: 'run 1', seq: 5, request, owner: 'host/1/old' },
      { kind: 'message', id: 'm 1', runId: 'run 1', seq: 6 },
      { kind: 'message', id: 'm 2', runId: 'run 1', seq: 7 },
    ]);
    const queued = { type: 'message_queued', agent: 'asking', waitsFor: 'run 1' };
    expect(await log.read('asking', { after: 4 })).toMatchObject([
      { type: 'run_requested', runId: 'run 1', ...request, seq: 5, ts: expect.any(String) },
      { ...queued, id: 'm 1', content: 'Hurry', delivery: 'steer', order: 0 },
      { ...queued, id: 'm 2', content: 'And then?', delivery: 'steer', by: 'ann', order: 1 },
    ]);
    expect([asking?.title, asking?.metadata]).toEqual(['Old', { kept: true }]);
    expect(requested).toMatchObject({
      seq: 2,
      metadata: {},
      open: [{ kind: 'run', id: 'run 9', request: { agentId: 'asking', parentId: 'u:user', model: 'a/b' } }],
    });
    expect([finished?.open, finished?.metadata, finished?.seq]).toEqual([undefined, {}, 3]);
    expect((await log.listThreads({ open: 'run' })).map(({ id }) => id).toSorted()).toEqual(['asking', 'requested']);
    await log.append('asking', [{ type: 'harness_end', runId: 'run 1', agentId: 'asking' }]);
    expect((await log.getThread('asking'))?.open).toMatchObject([{ id: 'm 1' }, { id: 'm 2' }]);
    expect(await checkStore(log)).toMatchObject({ threads: 3, problems: [] });
    await log.close();
  });

  it('is moved once', async () => {
    const path = olderFile('b.db');
    await new SqliteLog(path).close();
    const log = new SqliteLog(path);
    expect(await log.getThread('requested')).toMatchObject({ seq: 2 });
    await log.close();
  });
});
