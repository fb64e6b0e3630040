import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { cliAgent } from '../../src/agents/cli/agent/cli-agent.ts';
import type { ModelScript, ScriptedTurn } from '../../src/agents/model/scripted/script.ts';
import { type AgentEvent, checkOrder } from '../../src/events/index.ts';
import { createActivityState, projectActivity } from '../../src/projections/index.ts';
import { startScriptedServer } from '../../src/testing/index.ts';
import { installPrograms, programNames, programsReady, realProgram } from './support/real-program.ts';

const call = (name: string, input: unknown): ScriptedTurn => [{ toolCall: { name, input } }];

/** How a program calls its tools, and what it cannot do. */
interface Traits {
  readonly shell: (command: string) => ScriptedTurn;
  readonly read: (path: string) => ScriptedTurn;
  readonly write: (path: string) => ScriptedTurn;
  /** It prints no session and cannot be resumed. */
  readonly hasNoSession?: true;
  /** It tries again without end when its connection is cut. */
  readonly retriesForEver?: true;
}

const bash = (command: string) => call('bash', { command, description: 'run' });
const madeFromOpenCode: Traits = {
  shell: bash,
  read: path => bash(`cat ${path}`),
  write: filePath => call('write', { filePath, content: 'hi\n' }),
};

const traits: Readonly<Record<string, Traits>> = {
  codex: {
    shell: cmd => call('exec_command', { cmd }),
    read: path => call('exec_command', { cmd: `cat ${path}` }),
    write: path =>
      call('exec_command', {
        cmd: `apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: ${path}\n+hi\n*** End Patch\nEOF`,
      }),
  },
  claude: {
    shell: command => call('Bash', { command, description: 'run' }),
    read: path => call('Bash', { command: `cat ${path}`, description: 'run' }),
    write: file_path => call('Write', { file_path, content: 'hi\n' }),
  },
  pi: {
    shell: command => call('bash', { command }),
    read: path => call('bash', { command: `cat ${path}` }),
    write: path => call('write', { path, content: 'hi\n' }),
  },
  opencode: { ...madeFromOpenCode, retriesForEver: true },
  kilo: madeFromOpenCode,
  cline: {
    shell: command => call('run_commands', { commands: [command] }),
    read: path => call('read_files', { files: [{ path }] }),
    write: path => call('editor', { path, new_text: 'hi\n' }),
    hasNoSession: true,
  },
  goose: {
    shell: command => call('shell', { command }),
    read: path => call('shell', { command: `cat ${path}` }),
    write: path => call('write', { path, content: 'hi\n' }),
  },
};

/** Runs prompts one after the other, each in the session of the one before. */
async function run(name: string, script: ModelScript, ...prompts: string[]) {
  const server = await startScriptedServer({ script });
  const options = realProgram(name, server.url);
  const events: AgentEvent[] = [];
  try {
    for (const [index, content] of (prompts.length === 0 ? ['go'] : prompts).entries()) {
      const id = events.findLast(event => event.type === 'session')?.sessionId;
      const agent = cliAgent(name, { ...options, timeoutMs: 150_000 });
      const messages = [{ role: 'user' as const, content }];
      const session = id === undefined ? {} : { session: { id, known: 0, used: usedBy(events) } };
      const params = { run: { runId: `r${index}` }, conversation: { messages, ...session } };
      for await (const event of agent.invoke(params)) events.push(event);
    }
    expect(checkOrder(events)).toEqual([]);
    const state = createActivityState();
    const activity = events.flatMap(event => projectActivity(state, event));
    const asked = JSON.stringify(server.requests.map(({ body }) => body));
    return { events, activity: activity.filter(({ type }) => type !== 'warning'), asked };
  } finally {
    await server.close();
    rmSync(dirname(options.cwd), { recursive: true, force: true });
  }
}

/** The tokens that these events report. */
function usedBy(events: readonly AgentEvent[]) {
  const used = { inputTokens: 0, outputTokens: 0 };
  for (const event of events)
    if (event.type === 'usage') {
      used.inputTokens += event.inputTokens;
      used.outputTokens += event.outputTokens;
    }
  return used;
}

const endOf = (events: AgentEvent[]) => events.findLast(event => event.type === 'harness_end')?.reason;

describe.skipIf(!programsReady('the real programs'))('the real programs', () => {
  beforeAll(() => installPrograms(), 600_000);

  describe.each(programNames)('%s', name => {
    const { shell, read, write, hasNoSession, retriesForEver } = traits[name] as Traits;

    it('says what the model says', async () => {
      const { events, activity } = await run(name, ['Hello there.']);
      expect(activity).toMatchObject([{ type: 'agent', message: 'Hello there.' }]);
      expect(activity[0]?.sessionId === undefined).toBe(hasNoSession === true);
      expect(endOf(events)).toBe('complete');
      expect(events.some(event => event.type === 'usage')).toBe(true);
    });

    it.each(['--version', `${'long '.repeat(40_000)}end`])('takes the prompt whatever it is', async prompt => {
      expect((await run(name, ['ok'], prompt)).asked).toContain(prompt);
    });

    it('reads, writes and runs commands that fail', async () => {
      const script = [read('notes.txt'), write('new.txt'), shell('exit 3'), 'Done.'];
      const { activity } = await run(name, script);
      expect(activity).toMatchObject([
        { type: 'read', path: expect.stringMatching(/notes\.txt$/) as string, isSuccess: true },
        { type: 'write', path: expect.stringMatching(/new\.txt$/) as string, isSuccess: true },
        { type: 'command', exitCode: 3, isSuccess: false },
        { type: 'agent', message: 'Done.' },
      ]);
    });

    it('runs calls of one message side by side', async () => {
      const both = [...(shell('echo one') as []), ...(shell('echo two') as [])];
      const { events, activity } = await run(name, [both, 'Done.']);
      expect(activity.filter(({ type }) => type === 'command')).toMatchObject([
        { isSuccess: true },
        { isSuccess: true },
      ]);
      expect(events.filter(event => event.type === 'tool_result')).toHaveLength(2);
    });

    it.skipIf(retriesForEver)('fails when the connection is cut', async () => {
      const { events, activity } = await run(name, () => [{ text: 'This will be cut off.' }, { cut: true }]);
      expect(activity.some(({ type }) => type === 'error')).toBe(true);
      expect(endOf(events)).toBe('error');
    });

    it.skipIf(hasNoSession)('goes on in its own session', async () => {
      const { events, asked } = await run(name, ['First.', 'Second.'], 'remember the word periwinkle', 'and now?');
      const last = asked.slice(asked.indexOf('and now?') - 20_000);
      expect(last).toContain('periwinkle');
      expect(
        events
          .filter(event => event.type === 'text')
          .map(event => event.content)
          .join(''),
      ).toBe('First.Second.');
      const [first, second] = ['r0', 'r1'].map(runId => usedBy(events.filter(event => event.runId === runId)));
      expect(second?.outputTokens, 'what the first run used is not counted again').toBe(first?.outputTokens);
    });

    it('reports an error of the API once, and again with the exit code', async () => {
      const { events, activity } = await run(name, () => ({ httpStatus: 400, message: 'scripted refusal' }));
      const [first, ...more] = activity.flatMap(entry => (entry.type === 'error' ? [entry.message] : []));
      expect(first).toContain('scripted refusal');
      expect(more).toEqual(more.length === 0 ? [] : [`${first} (${name} exited with code 1)`]);
      expect(endOf(events)).toBe('error');
    });
  });

  it('reports the subagents of Claude Code', async () => {
    const input = {
      description: 'Look',
      prompt: 'look around',
      subagent_type: 'general-purpose',
      run_in_background: false,
    };
    const { activity } = await run('claude', [call('Agent', input), 'Sub answer.', 'Done.']);
    expect(activity.filter(({ type }) => type !== 'unknown')).toMatchObject([
      { type: 'orchestration', action: 'subagent_started', subagentName: 'general-purpose' },
      { type: 'orchestration', action: 'subagent_completed', isSuccess: true },
      { type: 'agent', message: 'Done.' },
    ]);
  });
});
