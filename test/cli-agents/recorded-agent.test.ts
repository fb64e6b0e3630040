import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { cliAgent } from '../../src/agents/cli/agent/cli-agent.ts';
import { recordedAgent } from '../../src/cli/run/run-record.ts';
import { Supervisor } from '../../src/control/index.ts';
import { MemoryLog } from '../../src/log/index.ts';
import { fakeProgram } from './support/fake-program.ts';

const home = mkdtempSync(join(tmpdir(), 'singletree-recorded-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

async function run(prompt: string, stop = false) {
  const log = new MemoryLog();
  const { id: threadId } = await log.createThread();
  const program = cliAgent('codex', { executable: fakeProgram(), settleMs: 50, stopStepMs: 50, channel: 'print' });
  const agent = recordedAgent(program, runId => join(home, runId));
  const supervisor = new Supervisor({ log });
  const { runId, done } = await supervisor.start(threadId, { agent, content: prompt });
  if (stop) {
    for await (const event of log.tail(threadId)) if (event.type === 'text') break;
    await supervisor.abort(runId);
  }
  await done;
  await supervisor.close();
  const lines = (name: string) =>
    readFileSync(join(home, runId, name), 'utf8')
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line) as Record<string, unknown>);
  const description = JSON.parse(readFileSync(join(home, runId, 'run.json'), 'utf8')) as object;
  return {
    description,
    log: lines('log.jsonl'),
    activity: lines('events.jsonl'),
    raw: lines('raw.jsonl'),
    kept: await log.readRaw(threadId, runId),
  };
}

describe('a recorded agent', () => {
  it('keeps its raw lines in the log and in its folder, with its events, its activity and how it ended', async () => {
    const { description, log, activity, raw, kept } = await run('hello');
    expect(raw.map(({ line }) => line)).toEqual(kept.map(({ line }) => Buffer.from(line).toString()));
    expect(log.at(-1)).toMatchObject({ type: 'harness_end', reason: 'complete' });
    expect(activity).toMatchObject([{ type: 'agent', message: 'hello', sessionId: 's-1' }]);
    expect(description).toMatchObject({ agent: 'codex', outcome: 'complete', usage: { inputTokens: 5 } });
  });

  it('keeps the record of a run that fails or is stopped', async () => {
    expect((await run('crash')).description).toMatchObject({ outcome: 'error', error: expect.any(String) as string });
    expect((await run('hang', true)).description).toMatchObject({ outcome: 'aborted' });
  });
});
