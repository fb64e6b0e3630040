import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ModelScript } from '../../../src/agents/model/scripted/script.ts';
import type { ScriptedRequest } from '../../../src/agents/model/scripted/scripted-request.ts';
import { comparedEvents } from '../support/compared-events.ts';
import { callTool, LiveScene, textOf } from '../support/live-scene.ts';
import { installPrograms, programNames, programsReady } from '../support/real-program.ts';

const names = ['opencode', 'kilo'];
const isTried = programNames.includes('opencode') && programsReady('OpenCode and Kilo Code over their servers', names);

const bash = (command: string) => callTool('bash', { command, description: `runs ${command}` });
const task = (prompt: string) => callTool('task', { description: 'look', prompt, subagent_type: 'general' });

async function scene(name: string, script: ModelScript, play: (scene: LiveScene) => Promise<void>): Promise<void> {
  const opened = await LiveScene.open(name, script);
  execFileSync('git', ['init', '--quiet'], { cwd: opened.options.cwd });
  try {
    await play(opened);
  } finally {
    await opened.close();
  }
}

/** Where a program keeps the person's own settings. */
function settingsFile(live: LiveScene, name: string): string {
  return join(dirname(live.options.cwd), '.config', name, `${name}.json`);
}

/** The person's own settings; the program itself adds the address of their schema. */
function settingsOf(live: LiveScene, name: string): Record<string, object> {
  const { $schema: _, ...settings } = JSON.parse(readFileSync(settingsFile(live, name), 'utf8')) as Record<
    string,
    object
  >;
  return settings;
}

/** The file for the plan, which the instructions of the program name. */
function planFile(name: string, request: ScriptedRequest): string {
  const [named] = /[\w./-]*\/plans\/[\w-]+\.md/.exec(JSON.stringify(request.messages)) ?? [];
  return name === 'kilo' ? '.kilo/plans/paint.md' : (named ?? '.opencode/plans/paint.md');
}

describe.skipIf(!isTried).each(names)('%s over its server', name => {
  beforeAll(() => installPrograms(names), 600_000);

  it('runs approved calls, reports rejections to the model, and remembers what is always allowed', () => {
    const script = [
      bash('touch made.txt'),
      bash('touch other.txt'),
      bash('touch made.txt'),
      callTool('write', { filePath: 'new.txt', content: 'hi\n' }),
      'Done.',
      bash('touch made.txt'),
      'Done again.',
    ];
    return scene(name, script, async live => {
      const before = { ...settingsOf(live, name), permission: { bash: 'allow' } };
      writeFileSync(settingsFile(live, name), JSON.stringify(before));
      const run = await live.send('go');
      const first = await live.relay();
      expect(first).toMatchObject({
        relayKind: 'permission',
        tool: 'bash',
        category: 'execute',
        command: 'touch made.txt',
        reason: 'runs touch made.txt',
        answers: ['approve', 'reject'],
      });
      expect(live.has('made.txt')).toBe(false);
      await live.answer(first, { outcome: 'approve', remember: 'thread' });
      const second = await live.relay(2);
      expect(live.has('made.txt')).toBe(true);
      await live.answer(second, { outcome: 'reject', feedback: 'REASON-1: not this file' });
      const write = await live.relay(3);
      expect(live.request(2)).toContain('REASON-1: not this file');
      expect(write).toMatchObject({ tool: 'write', category: 'edit', diff: expect.stringContaining('+hi') as string });
      await live.answer(write, { outcome: 'approve' });
      const { outcome, events } = await live.finished(run);
      expect(outcome).toBe('complete');
      expect(textOf(events, run.runId)).toBe('Done.');
      expect(live.has('new.txt')).toBe(true);
      expect(live.has('other.txt')).toBe(false);
      const next = await live.finished(await live.send('again'));
      expect(next.outcome).toBe('complete');
      expect(next.events.filter(event => event.type === 'relay')).toHaveLength(3);
      expect(new Set(next.events.flatMap(event => (event.type === 'session' ? [event.sessionId] : []))).size).toBe(1);
      expect(next.events.filter(event => event.type === 'unknown')).toEqual([]);
      expect(settingsOf(live, name), 'its own settings stay as they are').toEqual(before);
    });
  });

  it('has two requests open at once', () => {
    const both = [...bash('touch one.txt'), ...bash('touch two.txt')];
    const others = [...bash('touch three.txt'), ...bash('touch four.txt')];
    return scene(name, [both, others, 'Done.'], async live => {
      const run = await live.send('go');
      const [one, two] = [await live.relay(1), await live.relay(2)];
      await live.answer(one, { outcome: 'reject', feedback: 'REASON-1' });
      await live.answer(two, { outcome: 'approve' });
      const [three, four] = [await live.relay(3), await live.relay(4)];
      expect(live.request(1)).toContain('REASON-1');
      await live.answer(four, { outcome: 'reject', feedback: 'REASON-4' });
      await live.answer(three, { outcome: 'reject', feedback: 'REASON-3' });
      expect((await live.finished(run)).outcome).toBe('complete');
      expect(live.request(2)).toContain('REASON-3');
      expect(live.request(2)).toContain('REASON-4');
      const made = ['one', 'two', 'three', 'four'].map(file => live.has(`${file}.txt`));
      expect(made.filter(isMade => isMade)).toHaveLength(1);
    });
  });

  it('asks questions and has plans approved', () => {
    const options = [
      { label: 'Red', description: 'r' },
      { label: 'Blue', description: 'b' },
    ];
    const question = { question: 'Which colour?', header: 'Colour', options };
    const exit = () => callTool('plan_exit', name === 'kilo' ? { path: '.kilo/plans/paint.md' } : {});
    const turns: readonly ((request: ScriptedRequest) => ReturnType<typeof bash> | string)[] = [
      () => callTool('question', { questions: [question] }),
      request => callTool('write', { filePath: planFile(name, request), content: '# Paint\n1. paint it\n' }),
      exit,
      // Kilo Code ends its turn with the plan.
      ...(name === 'kilo' ? [] : [exit]),
      () => bash('touch painted.txt'),
      () => 'Done.',
    ];
    const script: ModelScript = request => turns[request.index]?.(request) ?? 'Too many requests.';
    return scene(name, script, async live => {
      const run = await live.send('go', { mode: 'plan' });
      const asked = await live.relay();
      expect(asked).toMatchObject({ relayKind: 'question', question: 'Which colour?', options });
      await live.answer(asked, { outcome: 'answer', answer: 'Blue' });
      const isPlan = (event: { type: string; relayKind?: unknown }) => event.relayKind === 'plan';
      const isWrite = (event: { type: string; tool?: unknown }) => event.type === 'relay' && event.tool === 'write';
      void live.event(isWrite).then(relay => live.answer(relay as never, { outcome: 'approve' }));
      const first = (await live.event(isPlan)) as Awaited<ReturnType<LiveScene['relay']>>;
      expect(live.request(1)).toContain('Blue');
      expect(first).toMatchObject({ plan: expect.stringContaining('1. paint it') as string });
      if (name === 'opencode') {
        await live.answer(first, { outcome: 'reject', feedback: 'REASON-2: better' });
        const better = await live.event(isPlan, 2);
        expect(live.request(3)).toContain('REASON-2: better');
        await live.answer(better as never, { outcome: 'approve' });
      } else await live.answer(first, { outcome: 'approve' });
      const command = await live.event(
        event => event.type === 'relay' && JSON.stringify(event).includes('touch painted.txt'),
      );
      await live.answer(command as never, { outcome: 'approve' });
      expect((await live.finished(run)).outcome).toBe('complete');
      expect(live.has('painted.txt')).toBe(true);
    });
  });

  it('asks for subagents, in their runs', () => {
    const script: ModelScript = request => {
      const said = JSON.stringify(request.messages);
      const results = request.messages.filter(({ role }) => role === 'tool').length;
      if (said.includes('SUBAGENT-ALPHA do') && !said.includes('MAIN go'))
        return results === 0 ? bash('touch alpha.txt') : 'Alpha is done.';
      return results === 0 ? task('SUBAGENT-ALPHA do') : 'All done.';
    };
    return scene(name, script, async live => {
      const run = await live.send('MAIN go');
      const relay = await live.relay();
      expect(relay.runId).not.toBe(run.runId);
      await live.answer(relay, { outcome: 'approve' });
      const { outcome, events } = await live.finished(run);
      expect(outcome).toBe('complete');
      expect(live.has('alpha.txt')).toBe(true);
      expect(textOf(events, relay.runId)).toBe('Alpha is done.');
      expect(textOf(events, run.runId)).toBe('All done.');
    });
  });

  it('receives a message during a tool, and stays usable after an interrupt', () => {
    const slow = 'for i in 1 2 3 4 5 6 7 8; do sleep 0.25; echo $i >> ticks.txt; done';
    const script = [bash(slow), 'After the message.', bash('touch wait.txt'), 'Second turn.'];
    return scene(name, script, async live => {
      const run = await live.send('go');
      await live.answer(await live.relay(), { outcome: 'approve' });
      await live.event(event => event.type === 'tool_start');
      live.supervisor.steer(run.runId, 'STEER-1 look at the docs');
      const { outcome } = await live.finished(run);
      expect(outcome).toBe('complete');
      expect(live.request(1)).toContain('STEER-1 look at the docs');
      const waiting = await live.send('wait');
      const relay = await live.relay(2);
      await live.supervisor.abort(waiting.runId);
      const aborted = await live.finished(waiting);
      expect(aborted.outcome).toBe('aborted');
      expect(live.has('wait.txt')).toBe(false);
      expect(aborted.events.find(event => event.type === 'relay_resolved' && event.relayId === relay.id)).toMatchObject(
        {
          outcome: 'cancelled',
        },
      );
      const again = await live.send('and now?');
      const third = await live.finished(again);
      expect(third.outcome).toBe('complete');
      expect(textOf(third.events, again.runId)).toBe('Second turn.');
    });
  });

  it('resumes its session in a new process, also with a request that nobody answered', () => {
    const script = [bash('touch made.txt'), bash('touch made.txt'), 'Resumed.', 'Third.'];
    return scene(name, script, async live => {
      const run = await live.send('remember periwinkle');
      const relay = await live.relay();
      await live.supervisor.close();
      live.supervisor = live.newSupervisor();
      const [resumed] = await live.supervisor.recover();
      const second = await live.relay(2);
      const events = await live.events();
      expect(events.find(event => event.type === 'relay_resolved')).toMatchObject({
        relayId: relay.id,
        outcome: 'cancelled',
      });
      expect(live.has('made.txt')).toBe(false);
      expect(live.request(1)).toContain('These calls did not run');
      await live.answer(second, { outcome: 'approve' });
      expect(resumed?.runId).toBe(run.runId);
      expect((await live.finished(resumed ?? run)).outcome).toBe('complete');
      expect(live.has('made.txt')).toBe(true);
      await live.sessions.close();
      expect((await live.finished(await live.send('and now?'))).outcome).toBe('complete');
      expect(live.request(-1)).toContain('periwinkle');
    });
  });

  it('gives the events of print mode', async () => {
    const script = () => [bash('echo one'), callTool('read', { filePath: 'notes.txt' }), bash('exit 3'), 'Done.'];
    const { print, live } = await comparedEvents(name, script);
    expect(live).toEqual(print);
  });

  it('reports an error of the API, and refuses to run when its settings would not ask', () =>
    scene(
      name,
      () => ({ httpStatus: 400, message: 'scripted refusal' }),
      async live => {
        const { outcome, events } = await live.finished(await live.send('go'));
        expect(outcome).toBe('error');
        expect(events.filter(event => event.type === 'error').at(-1)).toMatchObject({
          message: expect.stringContaining('scripted refusal') as string,
          fatal: true,
        });
        await live.sessions.close();
        const settings = settingsOf(live, name);
        const agent = { ...settings['agent'], mine: { mode: 'primary', prompt: 'x', permission: { bash: 'allow' } } };
        writeFileSync(settingsFile(live, name), JSON.stringify({ ...settings, agent }));
        const refused = await live.finished(await live.send('again'));
        expect(refused.outcome).toBe('error');
        expect(refused.events.filter(event => event.type === 'error').at(-1)).toMatchObject({
          code: 'ask_policy',
          message: expect.stringContaining('bash (agent mine)') as string,
        });
      },
    ));
});
