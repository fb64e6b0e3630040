import { existsSync, readFileSync, rmSync } from 'node:fs';
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

describe('a branch that continues with a message', () => {
  const text = (folder: string) => readFileSync(join(folder, 'a.txt'), 'utf8');
  const begin = async () => {
    const client = clientOf('all');
    const { id } = await client.createThread({});
    await client.sendMessage(id, { content: 'Begin.', agent: 'first' });
    await server.control.idle(id);
    const asked = (await server.log.read(id)).find(({ type }) => type === 'user');
    return { client, id, message: `${asked?.runId}:user` };
  };

  it('works in a worktree of its own with another agent, after any message', async () => {
    const { client, id, message } = await begin();
    const send = { content: 'Go on.', agent: 'second', worktree: true };
    const branch = await client.branchThread(id, { message, send });
    await server.control.idle(branch.id);
    const { folder } = await client.getWorktree(branch.id);
    // It begins with the changes that are not committed.
    expect([text(project.folder), text(folder)]).toEqual(['one\n1\n', 'one\n1\n2\n']);
    const said = (await server.log.read(branch.id)).flatMap(each => (each.type === 'user' ? [each.content] : []));
    expect(said).toEqual(['Begin.', 'Go on.']);
    expect(branch.branchedFrom).toMatchObject({ threadId: id });
  });

  it('works where the conversation did without one', async () => {
    const { client, id } = await begin();
    const { id: branch } = await client.branchThread(id, { send: { content: 'Go on.', agent: 'second' } });
    await server.control.idle(branch);
    expect(text(project.folder)).toBe('one\n1\n2\n');
    await expect(client.getWorktree(branch)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('leaves nothing behind when it cannot start', async () => {
    const { client, id } = await begin();
    const send = { content: 'Go on.', worktree: true };
    await expect(client.branchThread(id, { send: { ...send, agent: 'nobody' } })).rejects.toMatchObject({
      code: 'agent_not_found',
    });
    await expect(client.branchThread(id, { send: { ...send, mode: 'dreaming' } })).rejects.toMatchObject({
      code: 'invalid_argument',
    });
    rmSync(join(project.folder, '.git'), { recursive: true });
    await expect(client.branchThread(id, { send })).rejects.toMatchObject({
      code: 'worktree_unavailable',
      message: expect.stringContaining('No worktree was made') as string,
    });
    expect((await client.listThreads()).map(thread => thread.id)).toEqual([id]);
    expect(await client.listWorktrees()).toEqual([]);
  });
});
