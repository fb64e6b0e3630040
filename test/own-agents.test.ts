import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createClient } from '../src/client/index.ts';
import { CoderScene } from './support/coder-scene.ts';
import { startProduct } from './support/product.ts';

const builtModule = (path: string) => new URL(`../dist/${path}/index.js`, import.meta.url).href;
const configuration = `
import { loopAgent } from '${builtModule('agents')}';
import { scriptedModel } from '${builtModule('testing')}';
const model = scriptedModel(({ lastUserText }) => 'You said: ' + lastUserText);
export default { agents: [loopAgent({ id: 'echo', model })], defaultAgent: 'echo' };
`;

let scene: CoderScene;
beforeEach(async () => {
  scene = await CoderScene.open();
  writeFileSync(join(scene.repository, 'singletree.config.mjs'), configuration);
});
afterEach(() => scene.close());

describe('an own agent in the configuration of a project', () => {
  it('is used once the folder is trusted, which is asked once and remembered', async () => {
    const refused = scene.atTerminal('run', 'echo', 'Hello');
    await expect.poll(refused.printed, { timeout: 20_000 }).toContain('Trust this folder? [y/N]');
    expect(refused.printed()).toContain('runs the code of');
    refused.type('n\r');
    expect(await refused.ended).toBe(2);
    expect(refused.printed()).toContain('There is no agent "echo"');

    const trusted = scene.atTerminal('run', 'echo', 'Hello');
    await expect.poll(trusted.printed, { timeout: 20_000 }).toContain('Trust this folder? [y/N]');
    trusted.type('y\r');
    expect([await trusted.ended, trusted.printed()]).toEqual([0, expect.stringContaining('You said: Hello')]);
    const again = await scene.run('run', 'echo', 'Again');
    expect([again.status, again.stdout, again.stderr]).toEqual([
      0,
      expect.stringContaining('You said: Again'),
      expect.not.stringContaining('trust'),
    ]);
  }, 60_000);

  it('is offered by chat and by the server, first when it is the default', async () => {
    await scene.run('config', 'trust');
    const chat = scene.atTerminal('chat', 'echo');
    await expect.poll(chat.printed, { timeout: 20_000 }).toContain('Enter sends');
    chat.type('Hello\r');
    await expect.poll(chat.printed, { timeout: 20_000 }).toContain('You said: Hello');
    chat.type('\u0003');
    chat.type('\u0003');
    expect(await chat.ended).toBe(0);

    const product = await startProduct(scene.home, 0, { cwd: scene.repository });
    try {
      const client = createClient({ baseUrl: product.url, token: product.token });
      expect((await client.listAgents())[0]).toMatchObject({ id: 'echo' });
      const { id } = await client.createThread();
      await client.sendMessage(id, { content: 'From the page' });
      let answer = '';
      for await (const event of client.watch(id)) {
        if (event.type === 'text') answer += event.content;
        if (event.type === 'harness_end') break;
      }
      expect(answer).toBe('You said: From the page');
    } finally {
      await product.end('SIGTERM');
    }
  }, 60_000);

  it('stays out of other folders', async () => {
    await scene.run('config', 'trust');
    const other = join(scene.repository, '../other');
    mkdirSync(other);
    const { status, stderr } = await scene.run('run', 'echo', 'Hello', '--cwd', other);
    expect([status, stderr]).toEqual([2, expect.stringContaining('There is no agent "echo"')]);
  }, 30_000);
});

describe('the limits of the configuration', () => {
  const spendsForever = `
import { defineTool, loopAgent } from '${builtModule('agents')}';
import { scriptedModel } from '${builtModule('testing')}';
import * as z from '${import.meta.resolve('zod')}';
const echo = defineTool({ name: 'echo', description: 'says it', input: z.object({}), execute: () => 'hi' });
const usage = { inputTokens: 60, outputTokens: 40 };
const call = { toolCall: { name: 'echo', input: {} }, usage };
const model = scriptedModel(({ step }) => (step < 20 ? call : 'Done.'));
const permissions = { default: 'allow', rules: [] };
export default {
  agents: [loopAgent({ id: 'endless', model, tools: [echo], permissions })],
  limits: { run: { tokens: 250 } },
};
`;

  it('end a run of the command', async () => {
    writeFileSync(join(scene.repository, 'singletree.config.mjs'), spendsForever);
    await scene.run('config', 'trust');
    const { status, stderr } = await scene.run('run', 'endless', 'Go');
    expect([status, stderr]).toEqual([1, expect.stringContaining('The limit of 250 tokens per run is reached')]);
  }, 30_000);

  it('end a turn of a chat', async () => {
    writeFileSync(join(scene.repository, 'singletree.config.mjs'), spendsForever);
    await scene.run('config', 'trust');
    const chat = scene.atTerminal('chat', 'endless');
    await expect.poll(chat.printed, { timeout: 20_000 }).toContain('Enter sends');
    chat.type('Go\r');
    await expect.poll(chat.printed, { timeout: 20_000 }).toContain('The limit of 250 tokens per run is reached');
    chat.type('\u0003\u0003');
    await chat.ended;
  }, 60_000);
});
