import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newId } from '../src/events/index.ts';
import { SqliteLog } from '../src/log/index.ts';
import { fakeProgram } from './cli-agents/support/fake-program.ts';
import { builtCommand } from './support/command.ts';

const { home, singletree } = builtCommand(dirname(fakeProgram()));

/** Runs an agent once, and lets a message for an agent wait in its thread. */
async function threadWithMessage(agent: string): Promise<string> {
  const [, threadId = ''] = /^thread (\S+)$/m.exec(singletree('run', 'codex', 'hello').stderr) ?? [];
  const log = await SqliteLog.open(join(home, 'singletree.db'));
  const waits = { delivery: 'follow_up', agent, order: 0 } as const;
  await log.append(threadId, [{ type: 'message_queued', runId: newId(), id: 'm', content: 'and then?', ...waits }]);
  await log.close();
  return threadId;
}

describe('a message that waits in a thread in which nothing runs', () => {
  it('is shown by `threads` with the command that delivers it, and that command delivers it', async () => {
    const threadId = await threadWithMessage('codex');
    const command = `singletree run codex --resume ${threadId}`;
    expect(singletree('threads').stdout).toMatch(
      new RegExp(`queued[^]*No process delivers this message now.*${command}`),
    );
    expect(JSON.parse(singletree('threads', '--json').stdout.split('\n')[0] ?? '')).toMatchObject({
      status: 'queued',
      problem: expect.stringContaining(command),
    });
    expect(singletree('run', 'codex', '--resume', threadId).status).toBe(0);
    expect(singletree('show', threadId).stdout.match(/^› .*/gm)).toEqual(['› hello', '› and then?']);
    expect(singletree('threads').stdout).toContain('idle');
  }, 60_000);

  it('for an agent that cannot run here stays there, and `run` says why after its own run', async () => {
    const threadId = await threadWithMessage('stranger');
    const { status, stderr } = singletree('run', 'codex', 'go on', '--resume', threadId);
    expect(status).toBe(0);
    expect(stderr).toContain('a message waits for the agent "stranger", which cannot run here');
    expect(stderr).toContain(`singletree run stranger --resume ${threadId}`);
    expect(singletree('show', threadId).stdout.match(/^› .*/gm)).toEqual(['› hello', '› go on']);
    expect(singletree('threads', '--limit', '1').stdout).toContain('queued');
  }, 60_000);
});
