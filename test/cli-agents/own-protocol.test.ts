import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { externalAgent } from '../../src/agents/cli/agent/cli-agent.ts';
import type { CliAdapter } from '../../src/agents/cli/contract/cli-adapter.ts';
import { lineTranslator } from '../../src/agents/cli/shared/line-translator.ts';
import { Supervisor } from '../../src/control/supervision/supervisor.ts';
import type { AgentEvent } from '../../src/events/index.ts';
import { MemoryLog } from '../../src/log/index.ts';
import { SmallChannel } from './support/small-agent.ts';

const program = fileURLToPath(new URL('./support/small-program.mjs', import.meta.url));

const small: CliAdapter = {
  id: 'small',
  name: 'Small',
  executable: process.execPath,
  install: 'it is here',
  login: 'not needed',
  credentials: { variables: [], files: [] },
  environment: [],
  versions: [],
  isLiveOnly: true,
  live: {
    protocol: 'JSON lines',
    transport: 'stdio',
    abilities: {
      reason: 'answer',
      rejectEndsTurn: false,
      revise: 'none',
      questions: false,
      plans: false,
      steer: 'queued',
      resume: false,
      fork: false,
      subagents: 'none',
      parallelRequests: false,
      images: false,
      usage: false,
      cost: false,
      switchModel: false,
      switchMode: false,
    },
    command: () => ({ args: [program] }),
    channel: (host, start) => new SmallChannel(host, start),
  },
  command: () => ({ args: [program] }),
  translator: options => lineTranslator(options, context => ({ take: record => context.unknown(record), flush() {} })),
};

/** The events of a run of the small program, which may run `ls` and nothing else. */
async function eventsOf(command: string): Promise<AgentEvent[]> {
  const permissions = { default: 'deny' as const, rules: [{ command: 'ls *', policy: 'allow' as const }] };
  const log = new MemoryLog();
  const { id } = await log.createThread();
  const supervisor = new Supervisor({ log });
  const agent = externalAgent(small, { permissions, channel: 'live' });
  await (await supervisor.start(id, { agent, content: command })).done;
  await supervisor.close();
  return (await log.read(id)).filter(({ type }) => type !== 'user' && type !== 'run_requested');
}

describe('an agent with a protocol of its own, made as the guide says', () => {
  it('runs a call that a rule allows', async () => {
    const events = await eventsOf('ls -l');
    expect(events).toMatchObject([
      { type: 'harness_start', agentId: 'small' },
      { type: 'session', sessionId: 'small-1' },
      { type: 'tool_call', name: 'bash', input: { command: 'ls -l' } },
      { type: 'tool_start' },
      { type: 'tool_result', output: { context: 'done' } },
      { type: 'harness_end', reason: 'complete' },
    ]);
  });

  it('tells the program why a call may not run', async () => {
    const events = await eventsOf('rm -r /');
    expect(events.map(({ type }) => type)).toEqual([
      'harness_start',
      'session',
      'tool_call',
      'tool_result',
      'harness_end',
    ]);
    expect(events[3]).toMatchObject({
      output: { status: 'denied', reason: expect.stringContaining('default') as string },
    });
  });

  it('is the code of the guide', () => {
    const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');
    const code = read('./support/small-agent.ts');
    const shown = code.slice(code.indexOf('/** The channel of the small program'));
    expect(read('../../docs/guides/add-an-agent.md')).toContain(`\`\`\`ts\n${shown}\`\`\``);
  });
});
