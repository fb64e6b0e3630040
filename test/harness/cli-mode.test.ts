import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { cliAgent } from '../../src/agents/cli/agent/cli-agent.ts';
import { loopAgent } from '../../src/agents/loop/loop-agent.ts';
import { scriptedModel } from '../../src/agents/model/scripted/scripted-model.ts';
import { Harness } from '../../src/control/index.ts';
import { fakeProgram } from '../cli-agents/support/fake-program.ts';
import { watch } from './scene.ts';

const cleanups: (() => void)[] = [];
afterAll(() => cleanups.forEach(cleanup => cleanup()));

const executable = fakeProgram();
function harnessWithCli() {
  return watch(
    new Harness({
      id: 'h',
      modes: [
        { id: 'codex', agent: cliAgent('codex', { executable, stopStepMs: 50, channel: 'print' }) },
        { id: 'own', agent: loopAgent({ model: scriptedModel(['Own words.']) }) },
      ],
    }),
  );
}
const texts = async (harness: Harness) =>
  (await harness.listMessages()).map(({ content }) =>
    content.map(part => ('text' in part ? part.text : part.type)).join(),
  );

describe('an external agent in print mode as a mode', () => {
  it('emits the same events as any other', async () => {
    const { harness, lines, of } = harnessWithCli();
    await harness.sendMessage({ content: 'hello' });
    expect(lines()).toEqual([
      'thread_created',
      'agent_start',
      'message_start user',
      'message_end user',
      'message_start assistant',
      'message_update assistant',
      'usage_update',
      'message_end assistant complete',
      'agent_end complete',
    ]);
    expect(of('usage_update')).toMatchObject([{ usage: { promptTokens: 5, completionTokens: 7 } }]);
    expect(await texts(harness)).toEqual(['hello', 'hello']);
  });

  it('emits its tool calls', async () => {
    const command = { id: 'c', type: 'command_execution', command: 'ls', aggregated_output: 'a.txt', exit_code: 0 };
    const folder = mkdtempSync(join(tmpdir(), 'singletree-codex-'));
    cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
    const lines = [
      { type: 'thread.started', thread_id: 's' },
      { type: 'item.started', item: { ...command, status: 'in_progress' } },
      { type: 'item.completed', item: { ...command, status: 'completed' } },
      { type: 'turn.completed', usage: { input_tokens: 1, output_tokens: 1 } },
    ];
    const program = join(folder, 'codex');
    const print = lines.map(line => `echo '${JSON.stringify(line)}'`).join('\n');
    writeFileSync(program, `#!/bin/sh\n${print}\n`, { mode: 0o755 });
    const agent = cliAgent('codex', { executable: program, channel: 'print' });
    const { harness, of } = watch(new Harness({ id: 'h', modes: [{ id: 'codex', agent }] }));
    await harness.sendMessage({ content: 'List.' });
    expect(of('tool_start')).toMatchObject([{ toolName: 'command_execution', args: { command: 'ls' } }]);
    expect(of('tool_end')).toMatchObject([{ isError: false }]);
    expect(JSON.stringify(of('tool_end')[0])).toContain('a.txt');
  });

  it('resumes its session, and receives missed messages in a new one', async () => {
    const { harness } = harnessWithCli();
    await harness.sendMessage({ content: 'hello' });
    await harness.sendMessage({ content: 'args' });
    expect((await texts(harness)).at(-1)).toContain('"resume"');
    await harness.switchMode({ modeId: 'own' });
    await harness.sendMessage({ content: 'Yours.' });
    expect((await texts(harness)).at(-1)).toBe('Own words.');
  });

  it('that fails reports why', async () => {
    const { harness, of, lines } = harnessWithCli();
    await harness.sendMessage({ content: 'crash' });
    expect(of('error')[0]?.error.message).toContain('is on fire');
    expect(lines().at(-1)).toBe('agent_end error');
    expect((await harness.listMessages()).at(-1)).toMatchObject({ stopReason: 'error' });
  });

  it('is aborted with all its processes', async () => {
    const { harness, on, lines } = harnessWithCli();
    const sending = harness.sendMessage({ content: 'hang' });
    await on('message_update');
    harness.abort();
    await sending;
    expect(lines().at(-1)).toBe('agent_end aborted');
    expect(await texts(harness)).toEqual(['hang', 'still here']);
  });

  it('that accepts no input during a run receives it afterwards', async () => {
    const { harness, on, of } = harnessWithCli();
    const sending = harness.sendMessage({ content: 'again' });
    await on('agent_start');
    await harness.steer({ content: 'hello' });
    await sending;
    await on('agent_end', 2);
    expect(of('agent_end').map(({ reason }) => reason)).toEqual(['complete', 'complete']);
    expect((await texts(harness)).slice(-2)).toEqual(['hello', 'hello']);
  });
});
