import { appendFileSync, cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

const fixtures = fileURLToPath(new URL('../cli-agents/session-fixtures', import.meta.url));
const tokens = [{ token: 'token-all' }, { token: 'token-own', resourceId: 'own' }];

let home: string;
let server: TestServer;

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'singletree-sessions-'));
  cpSync(join(fixtures, 'pi'), join(home, '.pi'), { recursive: true });
  cpSync(join(fixtures, 'claude'), join(home, '.claude'), { recursive: true });
  server = await startTestServer([], { tokens, sessions: { home, environment: {} }, secrets: ['FIRST-ANSWER'] });
});
afterEach(async () => {
  await server.close();
  rmSync(home, { recursive: true });
});
const clientFor = (token: string) => createClient({ baseUrl: server.url, token: `token-${token}` });

describe('sessions of external agents over HTTP', () => {
  it('lists what is on the machine, imports what is named, and what was appended since', async () => {
    const client = clientFor('all');
    const sessions = await client.listSessions();
    expect(sessions.map(({ agentId, status, folder }) => `${agentId} ${status} ${folder}`).toSorted()).toEqual([
      'claude new $CWD',
      'pi new $CWD',
    ]);
    const { id, ...pi } = sessions.find(({ agentId }) => agentId === 'pi') ?? { id: '' };
    expect(pi).toMatchObject({ title: 'FIRST-PROMPT read the notes', bytes: 3785 });
    expect(JSON.stringify(sessions), 'no file is named').not.toContain(home);

    const folder = join(home, '.pi', 'agent', 'sessions', '--home-dev-project--');
    const path = join(folder, readdirSync(folder)[0] ?? '');
    const lines = readFileSync(path, 'utf8').split('\n');
    writeFileSync(path, `${lines.slice(0, 9).join('\n')}\n`);
    expect(await client.importSession(id)).toMatchObject({ threadId: id, status: 'imported' });
    appendFileSync(path, lines.slice(9).join('\n'));
    expect(await client.importSession(id)).toMatchObject({ threadId: id, status: 'added' });
    expect(await client.importSession(id)).toMatchObject({ threadId: id, status: 'unchanged' });
    expect(await client.listSessions()).toContainEqual(
      expect.objectContaining({ id, status: 'imported', threadId: id }),
    );
    expect((await server.log.getThread(id))?.importedSeq).toBeGreaterThan(0);
  });

  it('replaces the secrets that the server knows when that is asked for', async () => {
    const client = clientFor('all');
    const [session] = (await client.listSessions()).filter(({ agentId }) => agentId === 'pi');
    const { threadId = '', secrets } = await client.importSession(session?.id ?? '', { skipSecrets: true });
    expect(secrets).toBeGreaterThan(0);
    expect(JSON.stringify(await server.log.read(threadId))).not.toContain('FIRST-ANSWER');
  });

  it('imports nothing but what it lists: a path or an unknown id is refused', async () => {
    for (const id of ['unknown', '../../etc/passwd', join(home, '.pi')])
      await expect(clientFor('all').importSession(id)).rejects.toMatchObject({ code: 'not_found' });
    expect(await server.log.listThreads()).toEqual([]);
  });

  it('is closed to a token of one resource, and on a server that looks for no sessions', async () => {
    const [session] = await clientFor('all').listSessions();
    await expect(clientFor('own').listSessions()).rejects.toMatchObject({ code: 'not_found' });
    await expect(clientFor('own').importSession(session?.id ?? '')).rejects.toMatchObject({ code: 'not_found' });
    expect((await clientFor('own').getSetup()).hasSessions).toBe(false);
    expect((await clientFor('all').getSetup()).hasSessions).toBe(true);
    const other = await startTestServer([]);
    await expect(createClient({ baseUrl: other.url }).listSessions()).rejects.toMatchObject({ code: 'not_found' });
    await other.close();
  });
});
