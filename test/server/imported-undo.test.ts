import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { coderAgent } from '../../src/agents/index.ts';
import { scriptedModel } from '../../src/testing/index.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';
import { ask } from './http.ts';

const guest = { authorization: 'Bearer of-one-resource' };

let root: string;
let project: string;
let server: TestServer;
beforeEach(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'singletree-imported-undo-')));
  project = join(root, 'project');
  mkdirSync(project);
  writeFileSync(join(root, 'victim'), 'precious\n');
  writeFileSync(join(project, 'tool.sh'), '#!/bin/sh\n');
  const agent = coderAgent({
    model: scriptedModel([[{ toolCall: { name: 'bash', input: { command: 'rm tool.sh' } } }], 'Done.']),
    cwd: project,
    home: join(root, 'home'),
    permissions: { default: 'allow', rules: [] },
  });
  const tokens = [{ token: 'of-one-resource', resourceId: 'guest' }];
  server = await startTestServer([agent], { snapshots: join(root, 'home', 'snapshots'), tokens });
});
afterEach(() => server.close());

const post = (path: string, body: unknown) =>
  ask(server.url, `/api/threads/${path}`, { method: 'POST', headers: guest, body });

/** Imports a thread whose one checkpoint has these files. */
async function importCheckpoint(files: readonly object[], workTree = project): Promise<string> {
  const events = [
    { type: 'user', runId: 'u', content: 'Go.' },
    { type: 'harness_start', runId: 'r', agentId: 'coder', parentId: 'u:user', cwd: workTree },
    { type: 'custom', runId: 'r', id: 'k', name: 'checkpoint', data: { toolCallId: 'c', workTree, files } },
  ];
  const headers = { ...guest, 'content-type': 'application/x-ndjson' };
  const body = events.map(event => `${JSON.stringify(event)}\n`).join('');
  return String((await ask(server.url, '/api/threads/import', { method: 'POST', headers, body })).json['id']);
}

/** Has the agent remove a file, so that the snapshots of its folder have the content; returns the hash of that. */
async function snapshotContent(): Promise<string> {
  const { id } = await server.log.createThread({ resourceId: 'guest' });
  await post(`${id}/messages`, { content: 'Tidy up.' });
  await server.control.idle(id);
  expect(existsSync(join(project, 'tool.sh'))).toBe(false);
  return execFileSync('git', ['hash-object', '--stdin'], { input: '#!/bin/sh\n' }).toString().trim();
}

describe('an undo of an imported thread', () => {
  it('removes no file that a checkpoint of it names, and says nothing about one', async () => {
    const after = `100644 ${'0'.repeat(39)}1`;
    for (const path of ['../victim', join(root, 'victim'), 'tool.sh']) {
      const id = await importCheckpoint([{ path, after }]);
      const { json: branch } = await post(`${id}/branches`, {});
      for (const threadId of [id, String(branch['id'])]) {
        expect((await post(`${threadId}/undo`, { preview: true })).json['folders']).toEqual([]);
        const { status, json } = await post(`${threadId}/undo`, { force: true });
        expect([status, json['folders'], json['changed']]).toEqual([200, [], []]);
        expect((await post(`${String(json['threadId'])}/redo`, { force: true })).json['changed']).toEqual([]);
      }
    }
    expect(readFileSync(join(root, 'victim'), 'utf8')).toBe('precious\n');
    expect(existsSync(join(project, 'tool.sh'))).toBe(true);
  });

  it('writes no file from the snapshots of a folder', async () => {
    const before = `100755 ${await snapshotContent()}`;
    for (const path of ['../evil.sh', 'evil.sh']) {
      const id = await importCheckpoint([{ path, before }]);
      expect((await post(`${id}/undo`, { force: true })).json['changed']).toEqual([]);
    }
    expect([readdirSync(project), existsSync(join(root, 'evil.sh'))]).toEqual([[], false]);
  });
});
