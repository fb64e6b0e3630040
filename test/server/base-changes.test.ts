import { execFileSync } from 'node:child_process';
import { mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import type { AgentEvent } from '../../src/events/index.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

let server: TestServer;
let cwd: string;

const run = (folder: string): AgentEvent[] => [
  { type: 'harness_start', runId: 'r', agentId: 'coder', cwd: folder },
  { type: 'harness_end', runId: 'r', agentId: 'coder', reason: 'complete' },
];

beforeEach(async () => {
  cwd = realpathSync(mkdtempSync(join(tmpdir(), 'singletree-base-route-')));
  execFileSync('git', ['init', '-q'], { cwd });
  writeFileSync(join(cwd, 'a.txt'), 'one\n');
  const tokens = [{ token: 'whole-server' }, { token: 'one-tenant-only', resourceId: 'tenant' }];
  server = await startTestServer([], { tokens });
});
afterEach(() => server.close());

const clientOf = (token = 'whole-server') => createClient({ baseUrl: server.url, token });

describe('the changes of a thread against its base', () => {
  it('are those of the folder that its newest run worked in', async () => {
    const { id } = await server.log.createThread();
    await server.log.append(id, run(cwd));
    expect(await clientOf().baseChanges(id)).toMatchObject({
      folder: cwd,
      files: [{ path: 'a.txt', action: 'add', added: 1, removed: 0, patch: '@@ -0,0 +1 @@\n+one' }],
    });
  });

  it('are refused for a thread without a folder, with one that an import states, and for a token of a resource', async () => {
    const plain = await server.log.createThread();
    const imported = await server.log.createThread({ imported: true });
    await server.log.append(imported.id, run(cwd), { imported: true });
    const own = await server.log.createThread({ resourceId: 'tenant' });
    await server.log.append(own.id, run(cwd));
    for (const request of [
      clientOf().baseChanges(plain.id),
      clientOf().baseChanges(imported.id),
      clientOf('one-tenant-only').baseChanges(own.id),
    ])
      await expect(request).rejects.toMatchObject({ code: 'not_found' });
  });

  it('report a folder that is gone or in no repository', async () => {
    const gone = await server.log.createThread();
    await server.log.append(gone.id, run(join(cwd, 'nowhere')));
    await expect(clientOf().baseChanges(gone.id)).rejects.toMatchObject({ code: 'workspace_unavailable' });
    const outside = await server.log.createThread();
    await server.log.append(outside.id, run(mkdtempSync(join(tmpdir(), 'singletree-no-repository-'))));
    await expect(clientOf().baseChanges(outside.id)).rejects.toThrow('not a git repository');
  });
});
