import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createClient } from '../src/client/index.ts';
import { scriptByStep, startScriptedServer } from '../src/testing/index.ts';
import { fakeProgram } from './cli-agents/support/fake-program.ts';
import { bareEnvironment } from './support/bare-environment.ts';
import { gitProject, type GitProject } from './support/git-project.ts';
import { startProduct } from './support/product.ts';
import { useChats } from './terminal/chat-scene.ts';

const command = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
const programs = dirname(fakeProgram());
let project: GitProject;
beforeEach(() => (project = gitProject({ 'a.txt': 'one\n' })));
afterEach(() => project.remove());

/** Variables of a person: two that tests need, and one of each kind that is withheld. */
const ofPerson = {
  JAVA_HOME: '/opt/java',
  CACHE_URL: 'redis://localhost:6379',
  DEPLOY_TOKEN: 'a secret of the person',
  DATABASE_URL: 'postgres://app:hunter2@localhost/app',
  NODE_OPTIONS: '--no-warnings',
  GEMINI_API_KEY: 'of another agent',
  OPENAI_API_KEY: 'scripted',
};
const withheld = ['DEPLOY_TOKEN', 'DATABASE_URL', 'NODE_OPTIONS', 'GEMINI_API_KEY', 'SINGLETREE_HOME'];
const listed = (file: string) => join(project.home, file);
const listTo = (file: string) => `env > '${listed(file)}'`;
const namesIn = (text: string) => [...text.matchAll(/^(\w+)=/gm)].map(([, name = '']) => name);
const seen = (file: string) => namesIn(readFileSync(listed(file), 'utf8'));

/** A scripted model whose agent lists its environment, with the variables to reach it. */
async function scripted() {
  const toolCall = { name: 'bash', input: { command: listTo('bash') } };
  const server = await startScriptedServer({ script: scriptByStep([[{ toolCall }], 'Done.']) });
  const PATH = `${programs}:${process.env['PATH']}`;
  const more = { PATH, SINGLETREE_HOME: project.home, OPENAI_BASE_URL: `${server.url}/v1` };
  return { server, env: { ...bareEnvironment(), ...ofPerson, ...more } };
}

function configure(config: object): void {
  writeFileSync(join(project.home, 'singletree.config.json'), JSON.stringify(config));
}

/** Runs an external agent, `bash`, a setup command and an MCP server, and returns what each sees. */
async function runAll(): Promise<Record<string, string[]>> {
  const { server, env } = await scripted();
  const agents = 'coder@openai/gpt-5.5,codex';
  const options = { env, cwd: project.folder };
  await promisify(execFile)(process.execPath, [command, 'compare', 'env', '--agents', agents, '--yolo'], options);
  const shown = await promisify(execFile)(process.execPath, [command, 'threads', '--json'], options);
  const threads = shown.stdout.split('\n').flatMap(line => (line === '' ? [] : [JSON.parse(line) as { id: string }]));
  const exported = await Promise.all(
    threads.map(({ id }) => promisify(execFile)(process.execPath, [command, 'export', id], options)),
  );
  await server.close();
  const said = exported
    .flatMap(({ stdout }) => stdout.split('\n'))
    .filter(line => line.includes('"text"'))
    .map(line => (JSON.parse(line) as { content?: string }).content ?? '')
    .find(text => text.startsWith('{'));
  return {
    agent: Object.keys(JSON.parse(said ?? '{}') as object),
    bash: seen('bash'),
    setup: seen('setup'),
    mcp: seen('mcp'),
  };
}

const servers = () => ({ probe: { command: 'sh', args: ['-c', `${listTo('mcp')}; exit 1`] } });

describe('the programs that a person starts', { timeout: 60_000 }, () => {
  it('see the person’s environment without secrets; an MCP server sees the short list', async () => {
    configure({ mcpServers: servers(), worktree: { setup: listTo('setup') } });
    const { agent, bash, setup, mcp } = await runAll();
    for (const names of [agent, bash, setup]) {
      expect(names).toEqual(expect.arrayContaining(['PATH', 'JAVA_HOME', 'CACHE_URL', 'SINGLETREE_RUN']));
      expect(names?.filter(name => withheld.includes(name))).toEqual([]);
    }
    expect(agent, 'its own key').toContain('OPENAI_API_KEY');
    expect([...(bash ?? []), ...(setup ?? [])]).not.toContain('OPENAI_API_KEY');
    expect(mcp).toContain('PATH');
    expect(mcp?.filter(name => name in ofPerson)).toEqual([]);
  });

  it('see what the configuration passes and sets, not what it drops', async () => {
    const env = { pass: ['DATABASE_URL'], drop: ['JAVA_HOME'], set: { ADDED: '1' } };
    configure({ env, mcpServers: servers(), worktree: { setup: listTo('setup') } });
    const { agent, bash, setup, mcp } = await runAll();
    for (const names of [agent, bash, setup]) {
      expect(names).toEqual(expect.arrayContaining(['DATABASE_URL', 'ADDED']));
      expect(names).not.toContain('JAVA_HOME');
    }
    expect(mcp).not.toContain('DATABASE_URL');
  });

  it.each([
    ['the person’s on their own machine', undefined, true],
    ['the short list on a server with tokens', 'a-long-token-of-ann', false],
  ])('see %s, when the page starts them', async (_, token, isPersons) => {
    configure({ permissions: { default: 'allow', rules: [] } });
    const { server, env } = await scripted();
    const product = await startProduct(project.home, 0, {
      env: { ...env, ...(token !== undefined && { SINGLETREE_TOKEN: token }) },
      cwd: project.folder,
    });
    const client = createClient({ baseUrl: product.url, token: token ?? product.token });
    const { id } = await client.createThread();
    await client.sendMessage(id, { content: 'go', agent: 'coder', model: 'openai/gpt-5.5' });
    for await (const event of client.watch(id)) if (event.type === 'harness_end') break;
    await product.end('SIGTERM');
    await server.close();
    expect(seen('bash')).toContain('PATH');
    expect(seen('bash').includes('JAVA_HOME')).toBe(isPersons);
  });
});

describe('the shell of the coding agent', { timeout: 60_000 }, () => {
  const startChat = useChats();

  it('sees the person’s environment in a run; in an imported thread the short list', async () => {
    const { server, env } = await scripted();
    const options = { env, cwd: project.folder };
    const singletree = (...args: string[]) => promisify(execFile)(process.execPath, [command, ...args], options);
    const go = ['run', 'coder', 'go', '--model', 'openai/gpt-5.5', '--yolo'];
    await singletree(...go);
    const own = seen('bash');
    writeFileSync(listed('thread.jsonl'), (await singletree('export', 'last')).stdout);
    const { id } = JSON.parse((await singletree('import', listed('thread.jsonl'), '--json')).stdout) as { id: string };
    await singletree(...go, '--resume', id);
    await server.close();
    expect(own).toEqual(expect.arrayContaining(['PATH', 'JAVA_HOME', 'SINGLETREE_RUN']));
    expect(own.filter(name => withheld.includes(name))).toEqual([]);
    expect(seen('bash')).toEqual(expect.arrayContaining(['PATH', 'SINGLETREE_RUN']));
    expect(seen('bash').filter(name => name in ofPerson)).toEqual([]);
  });

  it('sees the person’s environment in a chat', async () => {
    const toolCall = { name: 'bash', input: { command: listTo('bash') } };
    const { OPENAI_API_KEY: _, ...env } = ofPerson;
    const config = "export default { permissions: { default: 'allow', rules: [] } };";
    const chat = await startChat(scriptByStep([[{ toolCall }], 'Listed.']), { env, config });
    await chat.say('list it');
    await chat.shows('Listed.');
    expect(seen('bash')).toEqual(expect.arrayContaining(['PATH', 'JAVA_HOME', 'SINGLETREE_RUN']));
    expect(seen('bash').filter(name => withheld.includes(name))).toEqual([]);
  });
});

describe('the list of what programs see', () => {
  const list = async (...args: string[]) => {
    const env = { ...bareEnvironment(), ...ofPerson, SINGLETREE_HOME: project.home };
    const done = await promisify(execFile)(process.execPath, [command, ...args], { env, cwd: project.folder });
    return done.stdout;
  };

  it('is printed by debug and doctor, without values', async () => {
    const printed = await list('debug', 'env', 'codex');
    expect(printed).toMatch(/^passed\n[^]*  JAVA_HOME\n[^]*  OPENAI_API_KEY\n[^]*withheld\n[^]*  DEPLOY_TOKEN\n/);
    const checked = await list('doctor');
    expect(checked).toMatch(/env +programs get [^\n]*JAVA_HOME/);
    expect(checked).toMatch(/env +withheld: [^\n]*DEPLOY_TOKEN/);
    for (const value of Object.values(ofPerson)) expect(printed + checked).not.toContain(value);
  });

  it('is the short one in a folder whose configuration is not trusted', async () => {
    project.write('singletree.config.json', JSON.stringify({ env: { pass: ['DEPLOY_TOKEN'], set: { ADDED: '1' } } }));
    expect(JSON.parse(await list('debug', 'env', '--json'))).toMatchObject({
      base: 'short',
      passed: expect.not.arrayContaining(['JAVA_HOME']) as string[],
      withheld: expect.arrayContaining(['JAVA_HOME', 'DEPLOY_TOKEN']) as string[],
      set: [],
    });
    await list('config', 'trust', '.');
    expect(JSON.parse(await list('debug', 'env', '--json'))).toMatchObject({
      passed: expect.arrayContaining(['JAVA_HOME', 'DEPLOY_TOKEN']) as string[],
      set: ['ADDED'],
    });
  });
});
