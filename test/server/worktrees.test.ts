import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { coderAgent } from '../../src/agents/coder/coder-agent.ts';
import { scriptedModel } from '../../src/agents/model/scripted/scripted-model.ts';
import { createClient } from '../../src/client/index.ts';
import { Worktrees } from '../../src/control/index.ts';
import { type GitProject, gitProject } from '../support/git-project.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

let project: GitProject;
let server: TestServer;

const coder = (id: string, command: string) =>
  coderAgent({
    id,
    model: scriptedModel([[{ toolCall: { name: 'bash', input: { command } } }], 'Done.']),
    cwd: project.folder,
    home: project.home,
    permissions: { default: 'allow', rules: [] },
  });

beforeEach(async () => {
  project = gitProject({ 'a.txt': 'one\n' });
  server = await startTestServer([coder('first', 'echo 1 >> a.txt'), coder('second', 'echo 2 >> a.txt')], {
    worktrees: new Worktrees({ home: project.home, folder: project.folder }),
    tokens: [{ token: 'token-all' }, ...['own', 'other'].map(id => ({ token: `token-${id}`, resourceId: id }))],
  });
});
afterEach(async () => {
  await server.close();
  project.remove();
});
const clientOf = (token: string) => createClient({ baseUrl: server.url, token: `token-${token}` });

async function compare(token: string) {
  const client = clientOf(token);
  const { runs } = await client.startComparison({
    content: 'Do it.',
    agents: [{ agent: 'first' }, { agent: 'second' }],
  });
  await Promise.all(server.control.running().map(({ done }) => done));
  await Promise.all(runs.map(({ threadId }) => server.control.idle(threadId)));
  return { client, runs };
}

describe('comparisons over HTTP', () => {
  it('starts agents in worktrees, reads their diffs, keeps one and removes the others', async () => {
    const { client, runs } = await compare('all');
    const [first, other] = runs;
    const [threadId, folder] = [first?.threadId ?? '', first?.folder ?? ''];
    expect(await client.getWorktree(threadId)).toMatchObject({ folder, isClean: false, files: [{ path: 'a.txt' }] });
    expect(await client.readPatch(threadId, 'a.txt')).toEqual({ path: 'a.txt', patch: '@@ -1 +1,2 @@\n one\n+1' });
    expect(await client.keepWorktree(threadId)).toEqual({ files: ['a.txt'] });
    expect(readFileSync(join(project.folder, 'a.txt'), 'utf8')).toBe('one\n1\n');
    await client.removeWorktree(threadId);
    await expect(client.removeWorktree(other?.threadId ?? '')).rejects.toMatchObject({ code: 'worktree_changed' });
    await client.removeWorktree(other?.threadId ?? '', { force: true });
    expect([existsSync(folder), await client.listWorktrees()]).toEqual([false, []]);
    await expect(client.getWorktree(threadId)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('refuses to keep a worktree that does not fit, and says which file', async () => {
    const { client, runs } = await compare('all');
    project.write('a.txt', 'other\n');
    await expect(client.keepWorktree(runs[0]?.threadId ?? '')).rejects.toMatchObject({
      code: 'apply_conflict',
      message: expect.stringContaining('a.txt'),
    });
  });

  it('refuses hostile branch names, unknown agents and paths outside', async () => {
    const client = clientOf('all');
    const agents = [{ agent: 'first' }, { agent: 'second' }];
    const refused = client.startComparison({ content: 'x', agents, branch: '--upload-pack=x' });
    await expect(refused).rejects.toMatchObject({ code: 'invalid_argument' });
    const unknown = client.startComparison({ content: 'x', agents: [{ agent: 'first' }, { agent: 'nobody' }] });
    await expect(unknown).rejects.toMatchObject({ code: 'agent_not_found' });
    expect(await client.listThreads()).toEqual([]);
    const { runs } = await compare('all');
    await expect(client.readPatch(runs[0]?.threadId ?? '', '/etc/passwd')).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it('shows worktrees only to those who see their threads', async () => {
    const { runs } = await compare('own');
    const threadId = runs[0]?.threadId ?? '';
    expect(await clientOf('own').listWorktrees()).toHaveLength(2);
    expect(await clientOf('other').listWorktrees()).toEqual([]);
    await expect(clientOf('other').getWorktree(threadId)).rejects.toMatchObject({ code: 'thread_not_found' });
    await expect(clientOf('other').keepWorktree(threadId)).rejects.toMatchObject({ code: 'thread_not_found' });
    await expect(clientOf('other').removeWorktree(threadId)).rejects.toMatchObject({ code: 'thread_not_found' });
    await server.log.deleteThread(threadId);
    expect(await clientOf('own').listWorktrees()).toHaveLength(1);
    expect(await clientOf('all').listWorktrees()).toHaveLength(2);
  });
});
