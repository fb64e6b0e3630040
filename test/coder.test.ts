import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LoggedEvent } from '../src/events/index.ts';
import { approve, asked, CoderScene } from './support/coder-scene.ts';

let scene: CoderScene;

beforeEach(async () => {
  scene = await CoderScene.open();
});
afterEach(() => scene.close());

/** The seq of the event before the edit of the newest thread. */
async function seqBeforeEdit(): Promise<number> {
  const { stdout } = await scene.run('export', 'last');
  const events = stdout
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as LoggedEvent);
  return (events.find(event => event.type === 'tool_call' && event.name === 'edit')?.seq ?? 0) - 1;
}

describe('the coding agent at a terminal', () => {
  it('fixes a failing test with approvals; the fix is undone, redone and branched before', async () => {
    const fixing = scene.atTerminal('run', 'coder', 'Fix the failing test');
    for (const count of [1, 2, 3]) await approve(fixing, count);
    expect(await fixing.ended).toBe(0);
    expect(fixing.printed()).toContain('It adds now, and the test passes.');
    expect(scene.source()).toContain('a + b');
    const seq = await seqBeforeEdit();

    expect((await scene.run('undo', '--preview')).stdout).toBe(`change  ${join(scene.repository, 'add.js')}\n`);
    expect(scene.source()).toContain('a + b');
    expect((await scene.run('undo')).status).toBe(0);
    expect(scene.source()).toContain('a - b');
    expect((await scene.run('redo')).status).toBe(0);
    expect(scene.source()).toContain('a + b');
    expect((await scene.run('show', 'last')).stdout).toContain('It adds now');

    scene.folder = scene.home;
    const refused = await scene.run('undo');
    expect([refused.status, refused.stdout]).toEqual([2, '']);
    expect(refused.stderr).toMatch(/of .*repository, not of this folder.*singletree undo \S+ --yes/);
    const asked = scene.atTerminal('undo', 'last');
    await expect.poll(asked.printed, { timeout: 30_000 }).toContain('Continue? [y/N]');
    asked.type('n\r');
    expect(await asked.ended).toBe(2);
    expect(scene.source()).toContain('a + b');
    expect((await scene.run('undo', '--yes')).status).toBe(0);
    scene.folder = scene.repository;
    expect(scene.source()).toContain('a - b');
    expect((await scene.run('redo')).status).toBe(0);

    const branched = await scene.run('branch', 'last', '--at', String(seq), '--json');
    const { id } = JSON.parse(branched.stdout) as { id: string };
    const shown = (await scene.run('show', id)).stdout;
    expect(shown).toContain('Fix the failing test');
    expect(shown).not.toContain('It adds now');
    const other = await scene.run('send', id, 'Only tell me the reason');
    expect([other.status, other.stdout]).toEqual([0, expect.stringContaining('It subtracts where it should add.')]);
    expect((await scene.run('search', 'subtracted')).stdout).toContain('It subtracted.');
    expect((await scene.run('usage', '--by', 'agent')).stdout).toMatch(/^coder {2}6 calls/);
  }, 120_000);

  it('resumes after kill -9 while it asks: the question is asked again, and nothing is done twice', async () => {
    const killed = scene.atTerminal('run', 'coder', 'Fix the failing test');
    await approve(killed, 1);
    await asked(killed, 2);
    process.kill(killed.pid, 'SIGKILL');
    await killed.ended;
    expect(scene.source()).toContain('a - b');
    const requests = scene.model.requests.length;

    const resumed = scene.atTerminal('run', 'coder', '--resume', 'last');
    for (const count of [1, 2]) await approve(resumed, count);
    expect(await resumed.ended).toBe(0);
    expect([scene.source(), scene.model.requests.length]).toEqual([expect.stringContaining('a + b'), requests + 2]);
    const shown = await scene.run('show', 'last');
    expect(shown.stdout.match(/^› /gm)).toHaveLength(1);
    const again = await scene.run('run', 'coder', '--resume', 'last');
    expect([again.status, again.stderr]).toEqual([2, expect.stringContaining('No interrupted run of "coder"')]);
  }, 120_000);

  it('asks to pass a limit, also after kill -9, and continues once when it is approved', async () => {
    const config = { limits: { run: { tokens: 5, then: 'ask' } } };
    writeFileSync(join(scene.repository, 'singletree.config.json'), JSON.stringify(config));
    await scene.run('config', 'trust');
    const killed = scene.atTerminal('run', 'coder', 'Fix the failing test');
    await approve(killed, 1);
    await asked(killed, 2);
    const { stdout } = await scene.run('inbox');
    const question = /spending limit waits .*The limit of 5 tokens per run is reached: \d+ tokens were spent/;
    expect([stdout, killed.printed()]).toEqual([
      expect.stringMatching(question),
      expect.stringContaining('Approve to continue up to'),
    ]);
    process.kill(killed.pid, 'SIGKILL');
    await killed.ended;
    const requests = scene.model.requests.length;
    const resumed = scene.atTerminal('run', 'coder', '--resume', 'last');
    await approve(resumed, 1);
    await asked(resumed, 2);
    expect(scene.model.requests).toHaveLength(requests + 1);
    resumed.type('r\r');
    await expect.poll(resumed.printed, { timeout: 30_000 }).toContain('reason, for the agent');
    resumed.type('\r');
    expect(await resumed.ended).toBe(1);
    expect(resumed.printed()).toContain('Raise `limits.run.tokens`');
    expect(scene.model.requests).toHaveLength(requests + 1);
  }, 120_000);

  it('works by rules where nobody can be asked', async () => {
    const rules = { rules: ['bash', 'edit'].map(tool => ({ tool, policy: 'allow' })) };
    writeFileSync(join(scene.repository, '../rules.json'), JSON.stringify(rules));
    const fixed = await scene.run('run', 'coder', 'Fix it', '--permissions', '../rules.json');
    expect([fixed.status, fixed.stdout]).toEqual([0, expect.stringContaining('the test passes')]);
    expect(scene.source()).toBe('export const add = (a, b) => a + b;\n');
    const denied = await scene.run('run', 'coder', 'Fix it');
    expect([denied.status, denied.stderr]).toEqual([1, expect.stringContaining('--permissions FILE')]);
  }, 60_000);

  it('names the variables that it reads when no model can be used', async () => {
    const { status, stderr } = await scene.run('run', 'coder', 'Hello', '--model', 'mistral/mistral-large');
    expect([status, stderr]).toEqual([1, expect.stringContaining('MISTRAL_API_KEY')]);
    expect(existsSync(join(scene.home, 'runs'))).toBe(false);
  });
});

describe('a compaction of the coding agent', () => {
  it('keeps words and tasks, reads the instructions again inside the turn, and is printed', async () => {
    const tasks = [{ content: 'Read it twice', status: 'in_progress', activeForm: 'Reading it twice' }];
    const call = (name: string, input: object) => [{ toolCall: { name, input } }];
    const sent: { readonly role: string; readonly text: string }[][] = [];
    const long = await CoderScene.open(({ messages, lastUserText }) => {
      if (lastUserText.startsWith('Summarise')) {
        writeFileSync(join(long.repository, 'AGENTS.md'), 'Use spaces.');
        return 'We read a lot.';
      }
      sent.push(messages.map(({ role, text }) => ({ role, text })));
      if (messages.some(({ text }) => text.includes('We read a lot.'))) return 'I have read it.';
      return sent.length === 1 ? call('task_write', { tasks }) : call('read', { path: 'long.txt' });
    });
    try {
      writeFileSync(join(long.repository, 'AGENTS.md'), 'Use tabs.');
      writeFileSync(join(long.repository, 'long.txt'), 'lorem ipsum dolor\n'.repeat(500));
      // A model whose context window is known to be small.
      const model = ['--model', 'openai/computer-use'];
      const { status, stdout } = await long.run('run', 'coder', 'Read it; "never" say more.', ...model);
      expect([status, stdout]).toEqual([0, expect.stringContaining('I have read it.')]);
      const textOf = (role: string, request = sent.at(-1) ?? []) =>
        request.flatMap(message => (message.role === role ? [message.text] : [])).join('\n');
      expect(textOf('system', sent[0])).toContain('Use tabs.');
      expect(textOf('system')).toContain('Use spaces.');
      expect(textOf('user')).toContain('Read it; "never" say more.');
      expect(textOf('user')).toContain('- [in_progress] Read it twice');
      const [, seq] =
        /≡ Earlier messages were summarised for the agent: \d+ → \d+ tokens · singletree branch THREAD --at (\d+) goes/.exec(
          (await long.run('show')).stdout,
        ) ?? [''];
      const branched = await long.run('branch', 'last', '--at', seq ?? '', '--json');
      const { id } = JSON.parse(branched.stdout) as { id: string };
      expect((await long.run('debug', 'prompt', id)).stdout).not.toContain('We read a lot.');
      expect((await long.run('debug', 'prompt', id)).stdout).toContain('lorem ipsum dolor');
    } finally {
      await long.close();
    }
  }, 60_000);
});

describe('singletree debug prompt', () => {
  it('prints what a model would be sent: instructions, tools with schemas, messages', async () => {
    writeFileSync(join(scene.repository, 'AGENTS.md'), 'Use tabs.');
    await scene.run('run', 'coder', 'Only look');
    const { stdout } = await scene.run('debug', 'prompt', '--message', 'And now?', '--json');
    const { agent, instructions, tools, messages } = JSON.parse(stdout) as {
      readonly agent: string;
      readonly instructions: string;
      readonly tools: readonly object[];
      readonly messages: readonly object[];
    };
    expect(agent).toBe('coder');
    expect(instructions).toContain('Use tabs.');
    expect(tools).toContainEqual(
      expect.objectContaining({ name: 'edit', inputSchema: expect.objectContaining({ type: 'object' }) as object }),
    );
    expect(messages).toEqual([
      { role: 'user', content: 'Only look' },
      { role: 'assistant', content: [expect.objectContaining({ text: 'It subtracts where it should add.' })] },
      { role: 'user', content: 'And now?' },
    ]);
    const sent = JSON.stringify(scene.model.requests[0]);
    for (const name of tools.map(tool => (tool as { name: string }).name)) expect(sent).toContain(name);
    const plan = await scene.run('debug', 'prompt', '--mode', 'plan');
    expect(plan.stdout).toMatch(/^── instructions ──\n/);
    expect(plan.stdout).toContain('You are in plan mode');
    expect(plan.stdout).toContain('── tool submit_plan ──');
    expect(plan.stdout).toContain('── user ──\nOnly look\n');
  }, 60_000);

  it('prints what was sent at a step, from the log', async () => {
    await scene.run('run', 'coder', 'Only look');
    const sent = scene.model.requests.at(-1)?.seen;
    const { stdout } = await scene.run('debug', 'prompt', 'last', '--step', '0', '--json');
    const { agent, instructions, tools, messages } = JSON.parse(stdout) as {
      readonly agent: string;
      readonly instructions: string;
      readonly tools: readonly { readonly name: string }[];
      readonly messages: readonly object[];
    };
    expect(agent).toBe('coder');
    expect(sent?.messages[0]).toMatchObject({ role: 'system', text: instructions });
    expect(sent?.toolNames).toEqual(tools.map(({ name }) => name));
    expect(messages).toEqual([{ role: 'user', content: 'Only look' }]);
    const text = await scene.run('debug', 'prompt', 'last', '--step', '0');
    expect(text.stdout).toMatch(
      /── model ──\n[\s\S]*── instructions ──\n[\s\S]*── tool edit ──\n[\s\S]*── user ──\nOnly look\n/,
    );
    const failed = async (...args: string[]) => {
      const { status, stderr } = await scene.run('debug', 'prompt', 'last', ...args);
      return [status, stderr] as const;
    };
    expect(await failed('--step', '7')).toEqual([
      expect.any(Number),
      expect.stringContaining('has no step 7') as string,
    ]);
    expect(await failed('--step', '0', '--run', 'none')).toEqual([
      expect.any(Number),
      expect.stringContaining('(run_not_found)') as string,
    ]);
    expect((await failed('--step', '0', '--message', 'x'))[0]).toBe(2);
    expect((await failed('--run', 'r'))[0]).toBe(2);
  }, 60_000);

  it('needs neither a thread nor a key, and works for own and external agents', async () => {
    const agents = "import { loopAgent } from 'singletree/agents';\n".replace(
      'singletree/agents',
      new URL('../dist/agents/index.js', import.meta.url).href,
    );
    writeFileSync(
      join(scene.repository, 'singletree.config.mjs'),
      `${agents}export default { agents: [loopAgent({ id: 'own', model: 'openai/gpt-5.5', instructions: 'Be brief.' })] };`,
    );
    await scene.run('config', 'trust');
    const prompt = (...args: string[]) => scene.run('debug', 'prompt', ...args, '--message', 'Hello', '--json');
    expect(JSON.parse((await prompt('--agent', 'own')).stdout)).toEqual({
      agent: 'own',
      instructions: 'Be brief.',
      tools: [],
      messages: [{ role: 'user', content: 'Hello' }],
    });
    expect(JSON.parse((await prompt('--agent', 'claude')).stdout)).toEqual({
      agent: 'claude',
      messages: [{ role: 'user', content: 'Hello' }],
    });
    expect((await prompt('--agent', 'own', '--mode', 'plan')).status).toBe(2);
  }, 60_000);
});
