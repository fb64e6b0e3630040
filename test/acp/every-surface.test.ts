import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { startScriptedServer } from '../../src/testing/index.ts';
import { installPrograms, programsReady, realProgram } from '../cli-agents/support/real-program.ts';
import { launchBrowser } from '../support/browser.ts';
import { agUiClientsReady, loadAgUiPeers } from '../support/ag-ui-clients.ts';
import { type Product, startProduct } from '../support/product.ts';
import { Editor, select } from './editor-scene.ts';

/** Where a person sees what an agent asks, and can answer it. */
interface Surface {
  /** Resolves when it shows that Claude Code wants to run the command. */
  readonly asks: () => Promise<unknown>;
  readonly approve: () => unknown;
  /** Resolves when it does not show the question any more. */
  readonly closes: () => Promise<unknown>;
}

const isReady =
  programsReady('one question on every surface', ['claude']) && agUiClientsReady('one question on every surface');
const browser = isReady ? await launchBrowser('one question on every surface') : undefined;
afterAll(() => browser?.close());

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const commandLine = 'touch made.txt';
const patience = { timeout: 30_000 };

/** An editor in which Claude Code was asked something, and the surfaces that see the same thread. */
async function open() {
  const toolCall = { id: 'toolu_every', name: 'Bash', input: { command: commandLine, description: 'makes it' } };
  const model = await startScriptedServer({ script: [[{ toolCall }], 'All done.'] });
  const { executable = '', cwd, env = {} } = realProgram('claude', model.url);
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'singletree-surfaces-')));
  const variables = { ...env, PATH: `${dirname(executable)}:${process.env['PATH'] ?? ''}` };
  const product = await startProduct(home, 0, { env: variables, cwd });
  let approve = () => {};
  const answered = new Promise<void>(resolve => (approve = resolve));
  const editor = await Editor.open({
    home,
    cwd,
    args: ['claude'],
    env: variables,
    permission: async () => {
      await answered;
      return select('allow');
    },
  });
  cleanups.push(
    () => model.close(),
    () => rmSync(dirname(cwd), { recursive: true, force: true }),
    () => rmSync(home, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }),
    () => product.end('SIGTERM'),
    () => editor.close(),
  );
  const sessionId = await editor.newSession();
  const prompt = editor.prompt(sessionId, 'go');
  const surfaces: Record<string, Surface> = {
    editor: {
      asks: () => expect.poll(() => JSON.stringify(editor.permissions), patience).toContain(commandLine),
      approve,
      closes: () => prompt,
    },
    client: clientSurface(product),
    page: await pageSurface(product),
    'AG-UI': await agUiSurface(product, sessionId),
  };
  return { editor, prompt, surfaces, made: () => existsSync(join(cwd, 'made.txt')) };
}

function clientSurface({ url: baseUrl, token }: Product): Surface {
  const client = createClient({ baseUrl, token });
  return {
    asks: () => expect.poll(async () => JSON.stringify(await client.listRelays()), patience).toContain(commandLine),
    approve: async () => {
      for (const { threadId, id } of await client.listRelays())
        await client.answerRelay(threadId, id, { outcome: 'approve' });
    },
    closes: () => expect.poll(() => client.listRelays(), patience).toEqual([]),
  };
}

async function agUiSurface({ url, token }: Product, threadId: string): Promise<Surface> {
  const { clients } = await loadAgUiPeers();
  const open = (verb: 'run' | 'connect') =>
    clients[0]?.open({ url, token, agentId: 'claude', threadId, verb }) ?? expect.fail('no client');
  const connect = async () => {
    const agent = open('connect');
    await agent.runAgent();
    return agent;
  };
  return {
    asks: () =>
      expect.poll(async () => JSON.stringify((await connect()).pendingInterrupts), patience).toContain(commandLine),
    approve: async () => {
      const { messages, pendingInterrupts } = await connect();
      const agent = open('run');
      agent.setMessages(messages);
      agent.pendingInterrupts = pendingInterrupts;
      const answer = { status: 'resolved', payload: { approved: true } } as const;
      await agent.runAgent({ resume: pendingInterrupts.map(({ id: interruptId }) => ({ interruptId, ...answer })) });
    },
    closes: () => expect.poll(async () => (await connect()).pendingInterrupts, patience).toEqual([]),
  };
}

async function pageSurface({ url, link }: Product): Promise<Surface> {
  const page = await browser?.newPage();
  if (page === undefined) throw new Error('The browser is missing.');
  cleanups.push(() => page.close());
  await page.goto(link);
  await page.goto(`${url}/inbox`);
  const rows = page.locator('.inbox-row');
  return {
    asks: () => rows.getByText(commandLine).first().waitFor(patience),
    approve: async () => {
      await rows.first().click();
      await page.getByRole('button', { name: 'Approve', exact: true }).first().click();
    },
    closes: () => expect.poll(() => rows.count(), patience).toBe(0),
  };
}

describe.skipIf(browser === undefined)('a question of the real Claude Code', () => {
  beforeAll(() => installPrograms(['claude']), 600_000);

  it.each(['editor', 'client', 'page', 'AG-UI'])(
    'appears in the editor, in our client, on the page and in an AG-UI client; the answer of one closes it in all: %s',
    async name => {
      const { editor, prompt, surfaces, made } = await open();
      for (const { asks } of Object.values(surfaces)) await asks();
      expect(made()).toBe(false);
      await surfaces[name]?.approve();
      for (const { closes } of Object.values(surfaces)) await closes();
      expect(await prompt).toEqual({ stopReason: 'end_turn' });
      expect([made(), editor.text('agent_message_chunk')]).toEqual([true, 'All done.']);
      expect(editor.withdrawn).toHaveLength(name === 'editor' ? 0 : 1);
      expect(editor.lines.problems).toEqual([]);
    },
    120_000,
  );
});
