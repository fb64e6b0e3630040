import { join } from 'node:path';
import { expect, it } from 'vitest';
import { SqliteLog } from '../src/log/index.ts';
import { builtCommand } from './support/command.ts';

const { home, singletree } = builtCommand();

it('debug prompt prints what an external program reported of a step, and says that it is not the request', async () => {
  const log = new SqliteLog(join(home, 'singletree.db'));
  const { id } = await log.createThread({ title: 'Reported' });
  const runId = 'r';
  await log.append(id, [
    { type: 'user', runId: 'asked', content: 'Go' },
    { type: 'harness_start', runId, parentId: 'asked:user', agentId: 'claude' },
    {
      type: 'model_context',
      runId,
      id: 'ctx',
      provider: 'claude',
      reported: true,
      settings: { permissionMode: 'default' },
      tools: [{ id: 'tool', tool: { name: 'Bash' } }],
    },
    { type: 'step_start', runId, step: 0, model: 'claude-sonnet-5', contextId: 'ctx' },
    { type: 'text', runId, id: 't', content: 'Done.' },
    { type: 'harness_end', runId, agentId: 'claude', reason: 'complete' },
  ]);
  await log.close();
  const { status, stdout, stderr } = singletree('debug', 'prompt', id, '--step', '0');
  expect([status, stderr]).toEqual([0, '']);
  expect(stdout).toContain('The agent "claude" reported this of its model call. It is not the request');
  for (const words of ['claude-sonnet-5', 'permissionMode', 'Bash']) expect(stdout).toContain(words);
  expect(JSON.parse(singletree('debug', 'prompt', id, '--step', '0', '--json').stdout)).toMatchObject({
    reported: true,
  });
});
