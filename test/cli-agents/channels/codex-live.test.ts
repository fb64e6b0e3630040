import { beforeAll, describe, expect, it } from 'vitest';
import type { ModelScript, ScriptedPart } from '../../../src/agents/model/scripted/script.ts';
import { comparedEvents } from '../support/compared-events.ts';
import { resumedAfterDeath } from '../support/direct-session.ts';
import { callTool, LiveScene, textOf } from '../support/live-scene.ts';
import { installPrograms, programsReady } from '../support/real-program.ts';

const codex = ['codex'];
const shell = (cmd: string, more: object = {}) => callTool('exec_command', { cmd, ...more });
const spawn = (namespace: string, input: object): ScriptedPart[] =>
  callTool('spawn_agent', input).map(part =>
    'toolCall' in part ? { toolCall: { ...part.toolCall, namespace } } : part,
  );

async function scene(script: ModelScript, play: (scene: LiveScene) => Promise<void>): Promise<void> {
  const opened = await LiveScene.open('codex', script);
  try {
    await play(opened);
  } finally {
    await opened.close();
  }
}

describe.skipIf(!programsReady('Codex over its interactive channel', codex))(
  'Codex over its interactive channel',
  { timeout: 120_000 },
  () => {
    beforeAll(() => installPrograms(codex), 600_000);

    it('runs approved calls, reports rejections to the model, and remembers what is always allowed', () => {
      const patch = '*** Begin Patch\n*** Add File: patched.txt\n+one\n*** End Patch\n';
      const script = [
        shell('touch made.txt', { justification: 'JUST-1 needed', sandbox_permissions: 'require_escalated' }),
        shell('touch other.txt'),
        shell('touch made.txt'),
        callTool('apply_patch', patch),
        'Done.',
        shell('touch made.txt'),
        'Done again.',
      ];
      return scene(script, async live => {
        const run = await live.send('go');
        const first = await live.relay();
        expect(first).toMatchObject({
          relayKind: 'permission',
          tool: 'command_execution',
          category: 'execute',
          command: 'touch made.txt',
          answers: ['approve', 'reject'],
        });
        expect(live.has('made.txt')).toBe(false);
        await live.answer(first, { outcome: 'approve', remember: 'thread' });
        const second = await live.relay(2);
        expect(live.has('made.txt')).toBe(true);
        await live.answer(second, { outcome: 'reject', feedback: 'REASON-1: not this file' });
        const change = await live.relay(3);
        expect(live.request(2)).toContain('REASON-1: not this file');
        expect(change).toMatchObject({
          tool: 'file_change',
          category: 'edit',
          diff: expect.stringContaining('+one') as string,
        });
        expect(live.has('patched.txt')).toBe(false);
        await live.answer(change, { outcome: 'approve' });
        const { outcome, events } = await live.finished(run);
        expect(outcome).toBe('complete');
        expect(textOf(events, run.runId)).toBe('Done.');
        expect(live.has('patched.txt')).toBe(true);
        expect(live.has('other.txt')).toBe(false);
        const next = await live.finished(await live.send('again'));
        expect(next.outcome).toBe('complete');
        expect(next.events.filter(event => event.type === 'relay')).toHaveLength(3);
        const sessions = next.events.flatMap(event => (event.type === 'session' ? [event.sessionId] : []));
        expect(new Set(sessions).size).toBe(1);
        expect(next.events.filter(event => event.type === 'unknown')).toEqual([]);
      });
    });

    it('has two requests open at once', () => {
      const both = [...shell('touch one.txt'), ...shell('touch two.txt')];
      return scene([both, 'Done.'], async live => {
        const run = await live.send('go');
        const relays = [await live.relay(1), await live.relay(2)];
        for (const relay of relays.toReversed())
          await live.answer(
            relay,
            JSON.stringify(relay).includes('one.txt')
              ? { outcome: 'approve' }
              : { outcome: 'reject', feedback: 'REASON-2' },
          );
        expect((await live.finished(run)).outcome).toBe('complete');
        expect([live.has('one.txt'), live.has('two.txt')]).toEqual([true, false]);
        expect(live.request(-1)).toContain('REASON-2');
      });
    });

    it('asks questions and has plans approved', () => {
      const question = {
        id: 'colour',
        header: 'Colour',
        question: 'Which colour?',
        options: [
          { label: 'Red', description: 'r' },
          { label: 'Blue', description: 'b' },
        ],
      };
      const script = [
        callTool('request_user_input', { questions: [question] }),
        '<proposed_plan>\n# Paint\n1. paint it\n</proposed_plan>',
        '<proposed_plan>\n# Paint better\n1. paint it twice\n</proposed_plan>',
        shell('touch painted.txt'),
        'Done.',
        callTool('request_user_input', { questions: [question] }),
        'Asked.',
      ];
      return scene(script, async live => {
        const run = await live.send('go', { mode: 'plan' });
        const asked = await live.relay();
        expect(asked).toMatchObject({ relayKind: 'question', question: 'Which colour?', options: question.options });
        await live.answer(asked, { outcome: 'answer', answer: 'Blue' });
        const first = await live.relay(2);
        expect(first).toMatchObject({ relayKind: 'plan', title: 'Paint' });
        expect(live.request(1)).toContain('Blue');
        await live.answer(first, { outcome: 'reject', feedback: 'REASON-3: better' });
        const better = await live.relay(3);
        expect(better).toMatchObject({ relayKind: 'plan', title: 'Paint better' });
        expect(live.request(2)).toContain('REASON-3: better');
        await live.answer(better, { outcome: 'approve' });
        const command = await live.relay(4);
        expect(command).toMatchObject({ relayKind: 'permission', command: 'touch painted.txt', runId: run.runId });
        await live.answer(command, { outcome: 'approve' });
        expect((await live.finished(run)).outcome).toBe('complete');
        expect(live.has('painted.txt')).toBe(true);
        const next = await live.send('ask me');
        await live.answer(await live.relay(5), { outcome: 'answer', answer: 'Green' });
        expect((await live.finished(next)).outcome).toBe('complete');
        expect(live.request(-1)).toContain('Green');
      });
    });

    it('asks for its subagents in their runs', () => {
      const script: ModelScript = request => {
        const isChild =
          request.lastUserText.includes('SUBAGENT-ALPHA') ||
          (JSON.stringify(request.messages).includes('SUBAGENT-ALPHA do') &&
            !request.toolCalls.some(({ name }) => name === 'spawn_agent'));
        if (isChild) return request.toolResults.length === 0 ? shell('touch sub.txt') : 'Sub is done.';
        if (request.toolResults.length === 0) return spawn('multi_agent_v1', { message: 'SUBAGENT-ALPHA do it' });
        if (request.toolResults.length === 1) {
          const target = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(request.toolResults[0]?.text ?? '')?.[0];
          return callTool('wait_agent', { targets: [target], timeout_ms: 20_000 }).map(part =>
            'toolCall' in part ? { toolCall: { ...part.toolCall, namespace: 'multi_agent_v1' } } : part,
          );
        }
        return 'All done.';
      };
      return scene(script, async live => {
        const run = await live.send('go', { model: 'gpt-5.1-codex' });
        const relay = await live.relay();
        expect(relay.runId).not.toBe(run.runId);
        expect(relay).toMatchObject({ command: 'touch sub.txt' });
        await live.answer(relay, { outcome: 'approve' });
        const { outcome, events } = await live.finished(run);
        expect(outcome).toBe('complete');
        expect(live.has('sub.txt')).toBe(true);
        expect(textOf(events, relay.runId)).toBe('Sub is done.');
        expect(textOf(events, run.runId)).toBe('All done.');
        expect(events.filter(event => event.type === 'harness_end')).toMatchObject([
          { runId: relay.runId, reason: 'complete' },
          { runId: run.runId, reason: 'complete' },
        ]);
      });
    });

    it('ends without the call when its owner dies, and resumes', () =>
      scene([shell('touch made.txt'), 'Resumed.'], async live => {
        const host = await resumedAfterDeath('codex', live.options);
        expect(host.ends).toEqual([{ reason: 'complete' }]);
        expect(host.requests).toEqual([]);
        expect(live.has('made.txt')).toBe(false);
        expect(live.request(-1)).toContain('periwinkle');
      }));

    it('reports the same events as print mode', async () => {
      const patch = "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: new.txt\n+hi\n*** End Patch\nEOF";
      const { print, live } = await comparedEvents('codex', () => [
        [{ reasoning: 'Thinking.' }, { text: 'I begin.' }, ...shell('cat notes.txt')],
        shell(patch),
        shell('exit 3'),
        'Done.',
      ]);
      expect(print.map(({ type }) => type)).toContain('tool_result');
      expect(live).toEqual(print);
    });

    it('receives a message during a tool, and stays usable after an interrupt', () => {
      const slow = 'for i in 1 2 3 4 5 6 7 8; do sleep 0.25; echo $i >> ticks.txt; done';
      const script = [shell(slow), 'After the message.', shell('touch wait.txt'), 'Second turn.'];
      return scene(script, async live => {
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
        ).toMatchObject({
          outcome: 'cancelled',
        });
        const again = await live.send('and now?');
        const third = await live.finished(again);
        expect(third.outcome).toBe('complete');
        expect(textOf(third.events, again.runId)).toBe('Second turn.');
      });
    });

    it('resumes its session in a new process, also with a request that nobody answered', () => {
      const script = [shell('touch made.txt'), shell('touch made.txt'), 'Resumed.', 'Third.'];
      return scene(script, async live => {
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
        expect(live.has('made.txt')).toBe(true);
        await live.sessions.close();
        const last = await live.finished(await live.send('and now?'));
        expect(last.outcome).toBe('complete');
        expect(live.request(-1)).toContain('periwinkle');
        const usages = last.events.flatMap(event => (event.type === 'usage' ? [event.inputTokens] : []));
        expect(usages.at(-1)).toBe(10);
      });
    });
  },
);
