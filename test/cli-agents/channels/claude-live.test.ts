import { beforeAll, describe, expect, it } from 'vitest';
import { claudeVersions, installPrograms, programsReady } from '../support/real-program.ts';
import { callTool, LiveScene, textOf } from '../support/live-scene.ts';
import type { ModelScript } from '../../../src/agents/model/scripted/script.ts';
import type { ScriptedRequest } from '../../../src/agents/model/scripted/scripted-request.ts';

const bash = (command: string) => callTool('Bash', { command, description: `runs ${command}` });
const agent = (prompt: string, run_in_background = false) =>
  callTool('Agent', { description: prompt, prompt, subagent_type: 'general-purpose', run_in_background });

async function scene(version: string, script: ModelScript, play: (scene: LiveScene) => Promise<void>): Promise<void> {
  const opened = await LiveScene.open(version, script);
  try {
    await play(opened);
  } finally {
    await opened.close();
  }
}

/** The file for the plan, which its instructions name. */
const planFile = (request: ScriptedRequest) =>
  /\/[^\s"'`\\]*\/plans\/[\w-]+\.md/.exec(JSON.stringify(request.messages))?.[0];

/** Whether a request comes from a subagent with this task. */
const isFrom = (request: ScriptedRequest, task: string) => JSON.stringify(request.messages.slice(0, 2)).includes(task);

describe.skipIf(!programsReady('Claude Code over its interactive channel', claudeVersions)).each(claudeVersions)(
  '%s over its interactive channel',
  version => {
    beforeAll(() => installPrograms(claudeVersions), 600_000);

    it('runs approved calls, reports rejections to the model, and remembers what is always allowed', () => {
      const script = [
        bash('touch made.txt'),
        bash('touch other.txt'),
        bash('touch made.txt'),
        'Done.',
        bash('touch made.txt'),
        'Done again.',
      ];
      return scene(version, script, async live => {
        const run = await live.send('go');
        const first = await live.relay();
        expect(first).toMatchObject({
          relayKind: 'permission',
          tool: 'Bash',
          category: 'execute',
          command: 'touch made.txt',
          reason: 'runs touch made.txt',
          answers: ['approve', 'reject', 'revise'],
        });
        expect(live.has('made.txt')).toBe(false);
        await live.answer(first, { outcome: 'approve', remember: 'thread' });
        const second = await live.relay(2);
        expect(live.has('made.txt')).toBe(true);
        await live.answer(second, { outcome: 'reject', feedback: 'REASON-1: not this file' });
        const { outcome, events } = await live.finished(run);
        expect(outcome).toBe('complete');
        expect(textOf(events, run.runId)).toBe('Done.');
        expect(live.has('other.txt')).toBe(false);
        expect(live.request(2)).toContain('REASON-1: not this file');
        const before = Date.now();
        const next = await live.finished(await live.send('again'));
        expect(next.outcome).toBe('complete');
        expect(Date.now() - before, 'the second turn needs no new process').toBeLessThan(60_000);
        expect(next.events.filter(event => event.type === 'relay')).toHaveLength(2);
        const sessions = next.events.flatMap(event => (event.type === 'session' ? [event.sessionId] : []));
        expect(new Set(sessions).size).toBe(1);
        expect(live.request(-1)).toContain('REASON-1');
      });
    });

    it('denies by our rules what it would run without asking', () =>
      scene(version, [callTool('Read', { file_path: 'notes.txt' }), bash('ls'), 'Done.'], async live => {
        const rules = [
          { tool: 'Read', input: { path: 'notes.txt' }, policy: 'deny' as const, reason: 'RULE-1: notes are private' },
          { command: 'ls *', policy: 'ask' as const },
        ];
        const run = await live.send('go', { permissions: { default: 'ask', rules } });
        const relay = await live.relay();
        expect(relay).toMatchObject({ relayKind: 'permission', command: 'ls' });
        expect(live.request(1)).toContain('RULE-1: notes are private');
        await live.answer(relay, { outcome: 'approve' });
        const { outcome, events } = await live.finished(run);
        expect(outcome).toBe('complete');
        expect(events.find(event => event.type === 'tool_result')).toMatchObject({ output: { status: 'denied' } });
      }));

    it('runs a revised input and informs the model', () =>
      scene(version, [bash('touch made.txt'), 'Done.', 'Noted.'], async live => {
        const run = await live.send('go');
        const input = { command: 'touch revised.txt', description: 'run' };
        await live.answer(await live.relay(), { outcome: 'revise', input });
        const { outcome } = await live.finished(run);
        expect(outcome).toBe('complete');
        expect(live.has('revised.txt')).toBe(true);
        expect(live.has('made.txt')).toBe(false);
        expect(live.request(-1)).toContain('The user changed your call of Bash');
      }));

    it('asks questions and has plans approved', () => {
      const question = {
        question: 'Which colour?',
        header: 'Colour',
        multiSelect: false,
        options: [
          { label: 'Red', description: 'r' },
          { label: 'Blue', description: 'b' },
        ],
      };
      const plan = '# Paint\n1. paint it';
      const turns = [
        () => callTool('AskUserQuestion', { questions: [question] }),
        (request: ScriptedRequest) => callTool('Write', { file_path: planFile(request), content: plan }),
        () => callTool('ExitPlanMode', { plan }),
        () => callTool('ExitPlanMode', { plan }),
        () => bash('touch painted.txt'),
        () => 'Done.',
      ];
      const script: ModelScript = request => turns[request.index]?.(request) ?? 'Too many requests.';
      return scene(version, script, async live => {
        const run = await live.send('go', { mode: 'plan' });
        const asked = await live.relay();
        expect(asked).toMatchObject({
          relayKind: 'question',
          question: 'Which colour?',
          options: question.options,
          selectionMode: 'single_select',
          answers: ['answer', 'reject'],
        });
        await live.answer(asked, { outcome: 'answer', answer: 'Blue' });
        const first = await live.relay(2);
        expect(first).toMatchObject({ relayKind: 'plan', title: 'Paint', answers: ['approve', 'reject'] });
        expect(live.request(1)).toContain('Blue');
        await live.answer(first, { outcome: 'reject', feedback: 'REASON-2: better' });
        const better = await live.relay(3);
        expect(live.request(3)).toContain('REASON-2: better');
        await live.answer(better, { outcome: 'approve' });
        const command = await live.relay(4);
        expect(command).toMatchObject({ relayKind: 'permission', command: 'touch painted.txt' });
        await live.answer(command, { outcome: 'approve' });
        expect((await live.finished(run)).outcome).toBe('complete');
        expect(live.has('painted.txt')).toBe(true);
      });
    });

    it('asks for two subagents at once', () => {
      const script: ModelScript = request => {
        const task = ['ALPHA', 'BETA'].find(name => isFrom(request, `SUBAGENT-${name}`));
        const results = request.toolResults.length;
        if (task !== undefined) return results === 0 ? bash(`touch ${task}.txt`) : `${task} is done.`;
        const both = [...agent('SUBAGENT-ALPHA do'), ...agent('SUBAGENT-BETA do')];
        return results === 0 ? both : 'All done.';
      };
      return scene(version, script, async live => {
        const run = await live.send('go');
        const relays = [await live.relay(1), await live.relay(2)];
        expect(relays.every(({ runId }) => runId !== run.runId)).toBe(true);
        expect(new Set(relays.map(({ runId }) => runId)).size).toBe(2);
        for (const relay of relays.toReversed())
          await live.answer(
            relay,
            JSON.stringify(relay).includes('ALPHA')
              ? { outcome: 'approve' }
              : { outcome: 'reject', feedback: 'REASON-3' },
          );
        const { outcome, events } = await live.finished(run);
        expect(outcome).toBe('complete');
        expect(live.has('ALPHA.txt')).toBe(true);
        expect(live.has('BETA.txt')).toBe(false);
        expect(textOf(events, run.runId)).toContain('All done.');
      });
    });

    it('receives a message during a tool, and stays usable after an interrupt', () => {
      const slow = 'for i in 1 2 3 4 5 6 7 8; do sleep 0.25; echo $i >> ticks.txt; done';
      const script = [bash(slow), 'After the message.', bash('touch wait.txt'), 'Second turn.'];
      return scene(version, script, async live => {
        const run = await live.send('go');
        await live.answer(await live.relay(), { outcome: 'approve' });
        await live.event(event => event.type === 'tool_start');
        live.supervisor.steer(run.runId, 'STEER-1 look at the docs');
        const { outcome, events } = await live.finished(run);
        expect(outcome).toBe('complete');
        expect(events.filter(event => event.type === 'user' && event.runId === run.runId)).toMatchObject([
          { content: 'STEER-1 look at the docs' },
        ]);
        expect(live.request(1)).toContain('STEER-1 look at the docs');
        const waiting = await live.send('wait');
        const relay = await live.relay(2);
        await live.supervisor.abort(waiting.runId);
        const aborted = await live.finished(waiting);
        expect(aborted.outcome).toBe('aborted');
        expect(live.has('wait.txt')).toBe(false);
        expect(
          aborted.events.find(event => event.type === 'relay_resolved' && event.relayId === relay.id),
        ).toMatchObject({ outcome: 'cancelled' });
        const again = await live.send('and now?');
        const third = await live.finished(again);
        expect(third.outcome).toBe('complete');
        expect(textOf(third.events, again.runId)).toBe('Second turn.');
      });
    });

    it('resumes its session in a new process, also with a request that nobody answered', () => {
      const script = [bash('touch made.txt'), bash('touch made.txt'), 'Resumed.', 'Third.'];
      return scene(version, script, async live => {
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
          feedback: expect.stringContaining('did not run') as string,
        });
        expect(live.has('made.txt')).toBe(false);
        expect(live.request(1)).toContain('These calls did not run');
        await live.answer(second, { outcome: 'approve' });
        expect(resumed?.runId).toBe(run.runId);
        const done = await live.finished(resumed ?? run);
        expect(done.outcome).toBe('complete');
        expect(done.events.filter(event => event.type === 'error')).toEqual([]);
        expect(live.has('made.txt')).toBe(true);
        await live.sessions.close();
        expect((await live.finished(await live.send('and now?'))).outcome).toBe('complete');
        expect(live.request(-1)).toContain('periwinkle');
      });
    });
  },
);
