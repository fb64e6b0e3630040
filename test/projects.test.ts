import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FolderRoots } from '../src/cli/serve/folder-roots.ts';
import { ProjectSites } from '../src/cli/serve/project-sites.ts';
import { ProviderSettings } from '../src/cli/settings/provider-settings.ts';
import { openSettings } from '../src/cli/settings/settings.ts';
import { RecentProjects } from '../src/config/index.ts';
import { Supervisor, Worktrees } from '../src/control/index.ts';
import { runHeader } from '../src/control/conversations/inside-run.ts';
import { MemoryLog } from '../src/log/index.ts';
import { type App, createApp } from '../src/server/index.ts';

const secret = 'sk-0123456789-never-shown';
let root: string;
let home: string;
let sites: ProjectSites;
let control: Supervisor;
let app: App;
const at = (...names: string[]) => join(root, ...names);
const writeRules = (folder: string, ...commands: string[]) =>
  writeFileSync(
    at(folder, 'singletree.config.json'),
    JSON.stringify({ permissions: { rules: commands.map(command => ({ command, policy: 'allow' })) } }),
  );

beforeEach(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'singletree-sites-')));
  home = at('data');
  for (const name of ['person/one', 'person/two', 'person/.hidden', 'other/secret'])
    mkdirSync(at(name), { recursive: true });
  symlinkSync(at('other'), at('person', 'out'));
  symlinkSync(at('person', 'two'), at('person', 'second'));
  writeRules('person/two', 'make');
  for (const name of ['OPENAI_API_KEY', 'ANTHROPIC_API_KEY']) vi.stubEnv(name, '');
  vi.stubEnv('SINGLETREE_HOME', home);
  vi.stubEnv('PATH', '/nowhere');
  const start = await openSettings(at('person', 'one'));
  const worktrees = new Worktrees({ home, folder: at('person', 'one') });
  const roots = new FolderRoots([at('person')]);
  sites = await ProjectSites.open({ start, roots, worktrees, yolo: false, isShared: false });
  const log = new MemoryLog();
  control = new Supervisor({ log, agents: ({ agentId }) => sites.get(agentId) });
  app = createApp({
    log,
    control,
    agents: sites,
    projects: sites,
    providers: new ProviderSettings(start.settings, () => sites.refresh()),
    tokens: [
      { token: 'owner-token' },
      { token: 'member-token', rights: ['read', 'send', 'approve'] },
      { token: 'tenant-token', resourceId: 'tenant' },
    ],
    logStyle: 'off',
  });
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await control.close();
  await sites.close();
  rmSync(root, { recursive: true, force: true });
});

async function call(path: string, { who = 'owner', body, method, headers = {} }: CallOptions = {}) {
  const response = await app.request(`http://127.0.0.1${path}`, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: {
      authorization: `Bearer ${who}-token`,
      host: '127.0.0.1',
      'content-type': 'application/json',
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, text, body: (text === '' ? {} : JSON.parse(text)) as Record<string, unknown> };
}

interface CallOptions {
  readonly who?: 'owner' | 'member' | 'tenant';
  readonly body?: object;
  readonly method?: string;
  readonly headers?: Record<string, string>;
}

const openFolder = (folder: string, options: CallOptions = {}) =>
  call('/api/projects', { body: { folder }, ...options });

describe('projects of a server', () => {
  it('lists only folders below the roots, with links resolved', async () => {
    expect((await call('/api/folders')).body).toEqual({
      path: at('person'),
      folders: [
        { name: 'one', path: at('person', 'one'), isProject: false },
        { name: 'second', path: at('person', 'two'), isProject: true },
        { name: 'two', path: at('person', 'two'), isProject: true },
      ],
      isCut: false,
    });
    for (const path of [
      root,
      at('other'),
      at('person', 'out'),
      at('person', 'out', 'secret'),
      `${at('person')}/../other`,
      '/etc',
    ])
      expect((await call(`/api/folders?path=${encodeURIComponent(path)}`)).status, path).toBe(403);
    expect((await call(`/api/folders?path=${encodeURIComponent(at('person', 'none'))}`)).status).toBe(404);
  });

  it('opens no folder outside the roots, unless it was opened in a terminal', async () => {
    for (const folder of [at('other'), at('person', 'out'), `${at('person')}/../other/secret`])
      expect((await openFolder(folder)).body, folder).toMatchObject({ code: 'request_forbidden' });
    expect((await openFolder(at('person', 'none'))).status).toBe(404);
    expect((await openFolder(at('person', 'second'))).body).toMatchObject({
      folder: at('person', 'two'),
      isStart: false,
    });
    new RecentProjects(home).add(at('other', 'secret'));
    expect((await openFolder(at('person', 'out', 'secret'))).body).toMatchObject({ folder: at('other', 'secret') });
  });

  it('needs the right to administer, and is closed to one resource and to the programs of a run', async () => {
    const inRun = { headers: { [runHeader]: 'mark' } };
    const trust = { folder: at('person', 'two'), lines: [] };
    const thread = (await call('/api/threads', { body: {} })).body;
    const move = `/api/threads/${String(thread['id'])}/folder`;
    for (const [path, body] of [
      ['/api/folders'],
      ['/api/projects', { folder: at('person', 'two') }],
      ['/api/projects/trust', trust],
      [move, { folder: at('person', 'one') }],
      ['/api/providers'],
      ['/api/providers', { id: 'openai', key: secret }],
    ] as const) {
      expect((await call(path, { who: 'member', ...(body && { body }) })).status, path).toBe(403);
      expect((await call(path, { who: 'tenant', ...(body && { body }) })).status, path).toBe(404);
    }
    for (const path of ['/api/projects', '/api/rules', `/api/agents?folder=${encodeURIComponent(at('person', 'one'))}`])
      expect((await call(path, { who: 'tenant' })).status, path).toBe(404);
    for (const [path, body] of [
      ['/api/projects/trust', trust],
      [move, { folder: at('person', 'one') }],
      ['/api/providers', { id: 'openai', key: secret }],
    ] as const)
      expect((await call(path, { body, ...inRun })).status, path).toBe(403);
  });

  it('asks before the configuration of a folder applies, and again when it changed meanwhile', async () => {
    const rules = async () =>
      (await call(`/api/rules?folder=${encodeURIComponent(at('person', 'two'))}`)).body['rules'] as {
        command?: string;
      }[];
    expect((await call(`/api/rules?folder=${encodeURIComponent(at('person', 'two'))}`)).status).toBe(404);
    const { body } = await openFolder(at('person', 'two'));
    const { question, lines } = body['trust'] as { question: string; lines: string[] };
    expect([question, ...lines]).toEqual([
      'Trust this folder?',
      `${at('person', 'two', 'singletree.config.json')} is not trusted yet. It`,
      '  - allows calls without asking (1 rule)',
    ]);
    expect((await rules()).some(({ command }) => command === 'make')).toBe(false);
    writeRules('person/two', 'make', 'rm *');
    const trust = (read: readonly string[]) =>
      call('/api/projects/trust', { body: { folder: at('person', 'two'), lines: read } });
    expect((await trust(lines)).body).toMatchObject({ status: 409, code: 'trust_changed' });
    expect((await rules()).some(({ command }) => command === 'make')).toBe(false);
    writeRules('person/two', 'make');
    expect((await trust(lines)).body).not.toHaveProperty('trust');
    expect(await rules()).toContainEqual({
      command: 'make',
      policy: 'allow',
      source: at('person', 'two', 'singletree.config.json'),
    });
    expect((await call('/api/rules')).body['rules']).not.toContainEqual(expect.objectContaining({ command: 'make' }));
  });

  it('begins conversations in open projects, also for who may only send', async () => {
    const begin = (folder: string) => call('/api/threads', { who: 'member', body: { folder } });
    expect((await begin(at('person', 'two'))).status).toBe(404);
    await openFolder(at('person', 'two'));
    const { body } = await begin(at('person', 'two'));
    expect(body).toMatchObject({ metadata: { cwd: at('person', 'two') } });
    const id = String(body['id']);
    expect((await call('/api/threads')).body['threads']).toMatchObject([{ id, folder: at('person', 'two') }]);
    const moved = await call(`/api/threads/${id}/folder`, { body: { folder: at('person', 'one') } });
    expect(moved.body).toMatchObject({ id, folder: at('person', 'one') });
    expect((await call(`/api/threads/${id}/folder`, { body: { folder: at('other') } })).status).toBe(404);
  });
});

describe('keys of a server', () => {
  it('are stored and removed, and no answer ever has one', async () => {
    const texts: string[] = [];
    const ask = async (...args: Parameters<typeof call>) => {
      const answer = await call(...args);
      texts.push(answer.text);
      return answer;
    };
    const before = (await ask('/api/agents')).body['agents'] as { id: string }[];
    expect(before.map(({ id }) => id)).toEqual(['demo']);
    expect((await ask('/api/providers', { body: { id: 'openai', key: secret } })).status).toBe(200);
    const { providers } = (await ask('/api/providers')).body as { providers: { id: string }[] };
    expect(providers.find(({ id }) => id === 'openai')).toEqual({
      id: 'openai',
      name: 'OpenAI',
      variable: 'OPENAI_API_KEY',
      source: 'stored',
      isStored: true,
    });
    expect((await ask('/api/agents')).body['agents']).toMatchObject([{ id: 'coder' }, { id: 'demo' }]);
    expect(process.env['OPENAI_API_KEY']).toBe('');
    const named = await ask('/api/threads', { body: { title: `the key is ${secret}` } });
    expect(named.body['title']).toBe('the key is [redacted]');
    expect((await ask('/api/providers/openai', { method: 'DELETE' })).status).toBe(204);
    expect((await ask('/api/providers/openai', { method: 'DELETE' })).status).toBe(404);
    expect((await ask('/api/agents')).body['agents']).toMatchObject([{ id: 'demo' }]);
    for (const body of [
      { id: 'nobody', key: secret },
      { id: 'openai' },
      { id: 'openai', key: `${secret} with spaces` },
      { id: 'openai', key: secret, baseURL: 'http://127.0.0.1:1/v1' },
      { id: 'office', baseURL: `http://me:${secret}@127.0.0.1:1/v1` },
      { id: 'office', baseURL: 'file:///etc/passwd' },
    ])
      expect((await ask('/api/providers', { body })).body, JSON.stringify(body)).toMatchObject({
        code: 'invalid_argument',
      });
    expect(texts.join('\n')).not.toContain(secret);
    expect(readFileSync(join(home, 'providers.json'), 'utf8')).not.toContain(secret);
  });
});
