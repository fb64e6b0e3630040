import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { agentTool } from '../src/agents/index.ts';
import { installedAgents } from '../src/cli/agents/installed-agents.ts';
import { runnableAgent } from '../src/cli/agents/runnable-agent.ts';
import { loadConfig } from '../src/config/index.ts';
import { Harness, Supervisor } from '../src/control/index.ts';
import { MemoryLog } from '../src/log/index.ts';
import { createRuntime } from '../src/runtime/index.ts';
import { createApp, startServer } from '../src/server/index.ts';
import { scriptedAgent } from './support/scripted-agent.ts';

const log = new MemoryLog();
const make = (id = 'main') => scriptedAgent(id, async function* () {});
const [guest, admin] = [make(), make()];
const control = new Supervisor({ log });
const twice = { code: 'invalid_argument', details: { agentId: 'main' } };
const described = [guest, admin].map(agent => ({ agent, description: 'works' }));
const subagent = { id: 'main', name: 'Main', description: 'works', instructions: 'Work.' };
const listed = { list: () => [guest, admin].map(({ id }) => ({ id, name: id })), get: () => guest };

describe('two agents of one id are refused', () => {
  it.each<[string, () => unknown]>([
    ['by a supervisor', () => new Supervisor({ log, agents: [guest, admin] })],
    ['by a runtime', () => createRuntime({ agent: guest, agents: [admin], resourceId: 'r' })],
    [
      'by a runtime, as specialists',
      () => createRuntime({ agent: make('a'), specialists: described, resourceId: 'r' }),
    ],
    [
      'by a harness, as subagents',
      () => new Harness({ id: 'h', modes: [{ id: 'm', agent: guest }], subagents: [subagent, subagent] }),
    ],
    ['by a tool that starts agents', () => agentTool({ agents: described })],
    [
      'by a tool that finds its agents later',
      () => {
        const { description } = agentTool({ agents: () => described });
        return typeof description === 'function' ? description() : description;
      },
    ],
    ['by an app', () => createApp({ log, control, agents: listed })],
    ['by a server', () => startServer({ log, control, agents: listed, port: 0 })],
  ])('%s', async (_, create) => {
    await expect((async () => create())()).rejects.toMatchObject(twice);
  });

  it('by a configuration, also beside a built-in agent', async () => {
    const home = mkdtempSync(join(tmpdir(), 'singletree-agent-ids-'));
    const agents =
      'const agent = { async *invoke() {} };\nexport default { agents: [{ id: "main", ...agent }, { id: "main", ...agent }] };';
    writeFileSync(join(home, 'singletree.config.mjs'), agents);
    await expect(loadConfig({ cwd: home, home, env: {} })).rejects.toMatchObject({
      code: 'invalid_config',
      message: expect.stringContaining('two agents with the id "main"') as string,
    });
    const settings = { config: { agents: [make('coder')] }, cwd: home, home, environment: { base: 'short' as const } };
    const isTaken = { code: 'invalid_config', details: { agentId: 'coder' } };
    await expect(installedAgents({ ...settings, yolo: false })).rejects.toMatchObject(isTaken);
    await expect(runnableAgent('coder', settings, { hasPerson: false, extraArgs: [] })).rejects.toMatchObject(isTaken);
  });
});

it('two agents of one id can be modes of a harness, where the mode chooses', () => {
  const modes = [guest, admin].map((agent, at) => ({ id: `${at}`, agent }));
  expect(new Harness({ id: 'h', modes }).listModes()).toHaveLength(2);
});
