import { existsSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Agent } from '../../src/agents/contract/agent.ts';
import { cliAgent } from '../../src/agents/cli/agent/cli-agent.ts';
import { SessionPool } from '../../src/agents/cli/live/session-pool.ts';
import { coderAgent } from '../../src/agents/index.ts';
import { scriptedModel } from '../../src/agents/model/scripted/scripted-model.ts';
import { Worktrees } from '../../src/control/index.ts';
import { startScriptedServer } from '../../src/testing/index.ts';
import { installPrograms, programsReady, realProgram } from '../cli-agents/support/real-program.ts';
import { type GitProject, gitProject } from '../support/git-project.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';
import { openBrowser, webRoot } from './page-scene.ts';
import { cellsOf, expectReadable, takePictures } from './view-checks.ts';

const browser = await openBrowser();
const patient = { timeout: 10_000 };

let server: TestServer;
let page: Page;

const hasPrograms = programsReady('two agents in two worktrees', ['claude']);

describe.skipIf(browser === undefined)('a comparison in worktrees', () => {
  let project: GitProject;
  const cleanups: (() => unknown)[] = [];
  const scene: { complaints: string[] } = { complaints: [] };
  afterAll(() => browser?.close());
  beforeEach(() => {
    project = gitProject({ 'greet.js': 'export const greet = () => "hi";\n', 'notes.md': '# Notes\n' });
  });
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
    project.remove();
  });
  const source = (folder = project.folder) => readFileSync(join(folder, 'greet.js'), 'utf8');

  /** The coding agent with a model that makes these calls. */
  const coder = (id: string, ...calls: { name: string; input: object }[]) =>
    coderAgent({
      id,
      model: scriptedModel([...calls.map(toolCall => [{ toolCall }]), `${id} is done.`]),
      cwd: project.folder,
      home: project.home,
      permissions: { default: 'allow', rules: [] },
    });

  /** The real Claude Code with a model that runs a command. */
  async function claude(command: string): Promise<Agent> {
    const toolCall = { id: 'toolu_compare', name: 'Bash', input: { command, description: 'writes it' } };
    const model = await startScriptedServer({ script: [[{ toolCall }], 'Claude is done.'] });
    const options = realProgram('claude', model.url);
    const sessions = new SessionPool();
    cleanups.push(
      () => model.close(),
      () => rmSync(dirname(options.cwd), { recursive: true, force: true }),
      () => sessions.close(),
    );
    return cliAgent('claude', { ...options, cwd: project.folder, sessions });
  }

  /** Opens the page of a server with these agents, and starts them from the box. */
  async function compare(agents: readonly Agent[], setup?: string): Promise<void> {
    const worktrees = new Worktrees({ home: project.home, folder: project.folder, ...(setup && { setup }) });
    server = await startTestServer(agents, { webRoot, worktrees });
    page = await (browser as Browser).newPage();
    page.setDefaultTimeout(10_000);
    scene.complaints = [];
    page.on('console', message => void (message.type() === 'error' && scene.complaints.push(message.text())));
    page.on('pageerror', error => scene.complaints.push(String(error)));
    cleanups.push(
      () => expect(scene.complaints).toEqual([]),
      () => server.close(),
      () => page.close(),
    );
    await page.goto(`${server.url}/compare`);
    await page.getByLabel('Request').fill('Greet louder.');
    for (const { id } of agents) await page.getByLabel(id, { exact: true }).check();
    await page.getByRole('button', { name: `Start ${agents.length} agents` }).click();
    await expect.poll(() => cellsOf(page, 'State'), { timeout: 60_000 }).toEqual(agents.map(() => 'complete'));
  }

  describe.skipIf(!hasPrograms)('of two real agents', () => {
    beforeAll(() => installPrograms(['claude']), 600_000);

    it('shows their diffs, keeps one and removes the other', { timeout: 120_000 }, async () => {
      const edit = { path: 'greet.js', old_string: '"hi"', new_string: '"HI!"' };
      await compare([coder('coder', { name: 'edit', input: edit }), await claude('echo "// by claude" >> greet.js')]);
      const { worktrees } = (await (await fetch(`${server.url}/api/worktrees`)).json()) as {
        worktrees: { folder: string; branch: string }[];
      };
      const [first, second] = worktrees as [{ folder: string; branch: string }, { folder: string; branch: string }];
      expect(source()).toBe('export const greet = () => "hi";\n');
      expect([source(first.folder), source(second.folder)]).toEqual([
        'export const greet = () => "HI!";\n',
        'export const greet = () => "hi";\n// by claude\n',
      ]);
      await expect.poll(() => cellsOf(page, 'Files changed'), patient).toEqual(['greet.js', 'greet.js']);
      const folders = await cellsOf(page, 'Folder');
      expect(folders[0]).toContain(first.branch);
      expect(folders[1]).toContain(second.folder);

      const files = page.getByRole('list', { name: 'Files changed by claude' });
      await files.locator('summary').click();
      await files.getByText('// by claude').waitFor();
      await page.getByRole('list', { name: 'Files changed by coder' }).locator('summary').click();
      await expect.poll(() => page.getByLabel('Changes of greet.js').count(), patient).toBe(2);
      await page.locator('.compare-heading').scrollIntoViewIfNeeded();
      await takePictures(page, 'compare-worktrees');
      await expectReadable(page);

      await page.getByRole('button', { name: 'Keep this one: coder' }).click();
      await takePictures(page, 'compare-keep');
      await page.getByRole('button', { name: 'Apply changes' }).click();
      await page.getByText('1 file was changed in').waitFor();
      expect(source()).toBe('export const greet = () => "HI!";\n');
      expect(project.git(['log', '--oneline']).trim().split('\n')).toHaveLength(1);
      await page.getByText('discards the changes of claude').waitFor();
      await page.getByRole('button', { name: 'Remove 2 worktrees' }).click();
      await expect.poll(() => worktrees.map(({ folder }) => existsSync(folder)), patient).toEqual([false, false]);
      await expect.poll(() => page.getByText('was removed').count(), patient).toBe(2);
    });
  });

  it('shows a conflict and changes nothing', async () => {
    const write = (text: string) => ({ name: 'bash', input: { command: `echo '${text}' > greet.js` } });
    await compare([coder('first', write('1')), coder('second', { name: 'read', input: { path: 'notes.md' } })]);
    project.write('greet.js', 'changed by hand\n');
    await expect.poll(() => cellsOf(page, 'Files changed'), patient).toEqual(['greet.js', 'none']);
    expect(await page.getByRole('button', { name: 'Keep this one: second' }).isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Keep this one: first' }).click();
    await page.getByRole('button', { name: 'Apply changes' }).click();
    await page.getByRole('alert').getByText('greet.js').waitFor();
    expect(source()).toBe('changed by hand\n');
    await expectReadable(page, 'dialog');
    scene.complaints = scene.complaints.filter(complaint => !complaint.includes('409'));
  });
});
