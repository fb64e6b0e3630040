import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ModelScript, ScriptedPart, ScriptedTurn } from '../../../src/agents/model/scripted/script.ts';
import { callTool, LiveScene, textOf } from '../support/live-scene.ts';
import { installPrograms, programsReady } from '../support/real-program.ts';

/** How a program calls its tools, and what it does differently. */
interface Traits {
  readonly shell: (command: string) => ScriptedPart[];
  readonly tool: string;
  /** Starts a subagent that is told this. */
  readonly subagent: (task: string) => ScriptedPart[];
  readonly steers: boolean;
  /** What becomes of a subagent and its calls. */
  readonly subagents: 'off' | 'asked' | 'denied';
  readonly hasUsage: boolean;
}

const programs: Readonly<Record<string, Traits>> = {
  goose: {
    shell: command => callTool('shell', { command }),
    tool: 'shell',
    subagent: instructions => callTool('delegate', { instructions }),
    steers: true,
    subagents: 'off',
    hasUsage: true,
  },
  cline: {
    shell: command => callTool('run_commands', { commands: [command] }),
    tool: 'run_commands',
    subagent: task => callTool('spawn_agent', { systemPrompt: 'You are alpha.', task }),
    steers: false,
    subagents: 'off',
    hasUsage: false,
  },
  qwen: {
    shell: command => callTool('run_shell_command', { command, description: 'run', is_background: false }),
    tool: 'run_shell_command',
    subagent: prompt => callTool('agent', { description: 'Alpha', prompt, subagent_type: 'general-purpose' }),
    steers: true,
    subagents: 'denied',
    hasUsage: true,
  },
  copilot: {
    shell: command => callTool('bash', { command, description: 'run' }),
    tool: 'bash',
    subagent: prompt =>
      callTool('task', { name: 'alpha', agent_type: 'general-purpose', description: 'Alpha', prompt, mode: 'sync' }),
    steers: false,
    subagents: 'asked',
    hasUsage: true,
  },
};

const names = Object.keys(programs).filter(name => (process.env['SINGLETREE_ACP'] ?? name).split(',').includes(name));

/** What Qwen Code asks the model for beside the conversation, with tools. */
const aside = /Existing memory files|Reply with ONLY the suggestion/;

/** The turns of the agent and of its subagent; requests for titles and the like have their own answer. */
function script(turns: readonly ScriptedTurn[], subagent: readonly ScriptedTurn[] = []): ModelScript {
  const left = [...turns];
  const leftOfSubagent = [...subagent];
  return request => {
    const isSubagent = request.messages.some(({ role, text }) => role === 'user' && text.includes('SUBAGENT-TASK'));
    if (request.toolNames.length === 0 || aside.test(request.lastUserText)) return 'A title';
    return (isSubagent ? leftOfSubagent : left).shift() ?? 'Nothing left.';
  };
}

async function scene(name: string, turns: ModelScript, play: (scene: LiveScene) => Promise<void>): Promise<void> {
  const opened = await LiveScene.open(name, turns);
  // Some programs refuse a command that sleeps.
  writeFileSync(join(opened.options.cwd, 'slow.sh'), 'sleep "$1"\ntouch "$2"\n');
  try {
    await play(opened);
  } finally {
    await opened.close();
  }
}

const isAsked = process.env['SINGLETREE_PROGRAMS'] === 'all' || process.env['SINGLETREE_ACP'] !== undefined;

describe.skipIf(!isAsked || !programsReady('agents over the Agent Client Protocol', names))(
  'agents over the Agent Client Protocol',
  { timeout: 120_000 },
  () => {
    beforeAll(() => installPrograms(names), 600_000);

    describe.each(names)('%s', name => {
      const { shell, tool, subagent, steers, subagents, hasUsage } = programs[name] as Traits;

      it('runs approved calls and remembers what is always allowed, over two turns of one session', () => {
        const turns = [shell('touch made.txt'), 'Done.', shell('touch made.txt'), 'Again.'];
        return scene(name, script(turns), async live => {
          const run = await live.send('go');
          const first = await live.relay();
          expect(first).toMatchObject({
            relayKind: 'permission',
            tool,
            command: 'touch made.txt',
            category: 'execute',
          });
          expect(live.has('made.txt')).toBe(false);
          await live.answer(first, { outcome: 'approve', remember: 'thread' });
          const { outcome, events } = await live.finished(run);
          expect(outcome).toBe('complete');
          expect(textOf(events, run.runId)).toContain('Done.');
          expect(live.has('made.txt')).toBe(true);
          const next = await live.finished(await live.send('again'));
          expect(next.outcome).toBe('complete');
          expect(next.events.filter(event => event.type === 'relay')).toHaveLength(1);
          expect(next.events.filter(event => event.type === 'unknown')).toEqual([]);
          expect(next.events.some(event => event.type === 'usage')).toBe(hasUsage);
          const sessions = next.events.flatMap(event => (event.type === 'session' ? [event.sessionId] : []));
          expect(new Set(sessions).size).toBe(1);
        });
      });

      it('tells the model why a call was rejected', () => {
        const turns = [shell('touch other.txt'), 'Understood.', 'Understood again.'];
        return scene(name, script(turns), async live => {
          const run = await live.send('go');
          await live.answer(await live.relay(), { outcome: 'reject', feedback: 'REASON-1 not this file' });
          const { outcome, events } = await live.finished(run);
          expect(outcome).toBe('complete');
          expect(live.has('other.txt')).toBe(false);
          expect(live.request(-1)).toContain('REASON-1 not this file');
          expect(events.find(event => event.type === 'tool_result')).toMatchObject({ output: { status: 'denied' } });
        });
      });

      it('asks about two calls of one message', () => {
        const both = [...shell('touch one.txt'), ...shell('touch two.txt')];
        return scene(name, script([both, 'Done.', 'Done.']), async live => {
          const run = await live.send('go');
          await live.answer(await live.relay(1), { outcome: 'approve' });
          await live.answer(await live.relay(2), { outcome: 'approve' });
          expect((await live.finished(run)).outcome).toBe('complete');
          expect([live.has('one.txt'), live.has('two.txt')]).toEqual([true, true]);
        });
      });

      it('nests, asks or refuses what subagents do', () => {
        const turns = [subagent('SUBAGENT-TASK do it'), 'Parent done.', 'Parent done.', 'Parent done.'];
        return scene(name, script(turns, [shell('touch sub.txt'), 'Sub done.']), async live => {
          const run = await live.send('go');
          if (subagents !== 'off') {
            const relay = await live.relay();
            await live.answer(relay, { outcome: 'approve' });
            if (subagents === 'asked') expect(relay.runId).not.toBe(run.runId);
          }
          const { outcome, events } = await live.finished(run);
          expect(outcome).toBe('complete');
          expect(live.has('sub.txt')).toBe(subagents === 'asked');
          expect(events.some(event => event.type === 'warning' && event.code === 'subagents_off')).toBe(
            subagents === 'off',
          );
        });
      });

      it('takes messages during a turn, or after it', () => {
        const turns = [shell('bash slow.sh 2 slow.txt'), 'After.', 'After that.'];
        return scene(name, script(turns), async live => {
          const run = await live.send('go');
          await live.answer(await live.relay(), { outcome: 'approve' });
          await live.event(event => event.type === 'tool_start');
          live.supervisor.steer(run.runId, 'STEER-1 also this');
          const { outcome, events } = await live.finished(run);
          expect(outcome).toBe('complete');
          expect(live.request(-1)).toContain('STEER-1 also this');
          const queued = events.filter(event => event.type === 'warning' && event.code === 'steer_queued');
          expect(queued.length > 0).toBe(!steers);
        });
      });

      it('is interrupted with a request open or a command running, and used again', () => {
        const turns = [shell('touch made.txt'), shell('bash slow.sh 30 late.txt'), 'Usable.', 'Usable.'];
        return scene(name, script(turns), async live => {
          const first = await live.send('go');
          await live.relay();
          await live.supervisor.abort(first.runId);
          expect((await live.finished(first)).outcome).toBe('aborted');
          const second = await live.send('go on');
          await live.answer(await live.relay(2), { outcome: 'approve' });
          await live.event(event => event.type === 'tool_start');
          await live.supervisor.abort(second.runId);
          expect((await live.finished(second)).outcome).toBe('aborted');
          const third = await live.send('and now');
          const { outcome, events } = await live.finished(third);
          expect(outcome).toBe('complete');
          expect(textOf(events, third.runId)).toContain('Usable.');
          expect([live.has('made.txt'), live.has('late.txt')]).toEqual([false, false]);
        });
      });

      it('resumes its session in another process', () => {
        return scene(name, script(['First.', 'Second.']), async live => {
          await live.finished(await live.send('remember APPLE-1'));
          await live.sessions.close();
          const run = await live.send('what was it');
          const { outcome, events } = await live.finished(run);
          expect(outcome).toBe('complete');
          expect(live.request(-1)).toContain('APPLE-1');
          expect(live.request(-1)).toContain('First.');
          expect(events.some(event => event.type === 'warning' && event.code === 'new_session')).toBe(false);
        });
      });

      it('continues after its owner ended with a request open', () => {
        const turns = [shell('touch made.txt'), 'Continued.', 'Continued.'];
        return scene(name, script(turns), async live => {
          const run = await live.send('go');
          await live.relay();
          await live.supervisor.close();
          live.supervisor = live.newSupervisor();
          const [resumed] = await live.supervisor.recover();
          expect(resumed?.runId).toBe(run.runId);
          const { outcome, events } = await live.finished(resumed ?? run);
          expect(outcome).toBe('complete');
          expect(live.has('made.txt')).toBe(false);
          expect(live.request(-1)).toContain('did not run');
          expect(events.filter(event => event.type === 'relay_resolved')).toMatchObject([{ outcome: 'cancelled' }]);
        });
      });
    });

    it.runIf(names.includes('qwen'))('passes questions and plans of Qwen on', () => {
      const options = [
        { label: 'Red', description: 'r' },
        { label: 'Blue', description: 'b' },
      ];
      const questions = [{ question: 'Which colour?', header: 'Colour', multiSelect: false, options }];
      const turns = [
        callTool('ask_user_question', { questions }),
        callTool('exit_plan_mode', { plan: '# Plan\n1. paint it' }),
        (programs['qwen'] as Traits).shell('touch painted.txt'),
        'Done.',
      ];
      return scene('qwen', script(turns), async live => {
        const run = await live.send('go', { mode: 'plan' });
        const asked = await live.relay();
        expect(asked).toMatchObject({ relayKind: 'question', question: 'Which colour?', options });
        await live.answer(asked, { outcome: 'answer', answer: 'Blue' });
        const plan = await live.relay(2);
        expect(live.request(1)).toContain('Blue');
        expect(plan).toMatchObject({ relayKind: 'plan', plan: '# Plan\n1. paint it' });
        await live.answer(plan, { outcome: 'approve' });
        await live.answer(await live.relay(3), { outcome: 'approve' });
        expect((await live.finished(run)).outcome).toBe('complete');
        expect(live.has('painted.txt')).toBe(true);
      });
    });
  },
);
