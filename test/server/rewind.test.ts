import { mkdirSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { coderAgent } from '../../src/agents/index.ts';
import { createClient } from '../../src/client/index.ts';
import { scriptedModel } from '../../src/testing/index.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

const open: TestServer[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map(server => server.close()));
});

/** A server with the coding agent on a folder with one file. */
async function scene(withSnapshots = true) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'singletree-rewind-')));
  const [cwd, home] = [join(root, 'project'), join(root, 'home')];
  mkdirSync(cwd);
  const file = join(cwd, 'a.txt');
  writeFileSync(file, 'one\n');
  const edit = { name: 'bash', input: { command: 'echo two > a.txt' } };
  const agent = coderAgent({
    model: scriptedModel([[{ toolCall: edit }], 'Done.']),
    cwd,
    home,
    permissions: { default: 'allow', rules: [] },
  });
  const server = await startTestServer([agent], withSnapshots ? { snapshots: join(home, 'snapshots') } : {});
  open.push(server);
  const client = createClient({ baseUrl: server.url });
  const { id } = await client.createThread();
  await client.sendMessage(id, { content: 'Write two.' });
  await server.control.idle(id);
  return { client, id, text: () => readFileSync(file, 'utf8') };
}

describe('undo over HTTP', () => {
  it('takes a turn back with its files, and up again', async () => {
    const { client, id, text } = await scene();
    expect(text()).toBe('two\n');
    const preview = await client.undo(id, { preview: true });
    expect(preview.folders[0]?.files).toMatchObject([{ path: 'a.txt', action: 'change', isConflict: false }]);
    expect([preview.threadId, text()]).toEqual([undefined, 'two\n']);
    const undone = await client.undo(id);
    expect([text(), (await client.getThread(undone.threadId as string)).seq]).toEqual(['one\n', 0]);
    expect(await client.redo(undone.threadId as string)).toMatchObject({ threadId: id, direction: 'redo' });
    expect(text()).toBe('two\n');
  });

  it('is refused by a server without snapshots, and for what was not undone', async () => {
    const { client, id } = await scene(false);
    await expect(client.undo(id)).rejects.toMatchObject({ code: 'not_found' });
    const other = await scene();
    await expect(other.client.redo(other.id)).rejects.toMatchObject({ code: 'invalid_argument' });
  });
});
