import { beforeAll, describe, expect, it } from 'vitest';
import type { ModelScript } from '../../../src/agents/model/scripted/script.ts';
import { comparedEvents } from '../support/compared-events.ts';
import { resumedAfterDeath } from '../support/direct-session.ts';
import { callTool, LiveScene, textOf } from '../support/live-scene.ts';
import { installPrograms, piVersions, programsReady } from '../support/real-program.ts';

const bash = (command: string) => callTool('bash', { command });

async function scene(version: string, script: ModelScript, play: (scene: LiveScene) => Promise<void>): Promise<void> {
  const opened = await LiveScene.open(version, script);
  try {
    await play(opened);
  } finally {
    await opened.close();
  }
}

describe.skipIf(!programsReady('Pi over its interactive channel', piVersions)).each(piVersions)(
  '%s over its interactive channel',
  { timeout: 120_000 },
  version => {
    beforeAll(() => installPrograms(piVersions), 600_000);

    it('runs approved calls, reports rejections to the model, and remembers what is always allowed', () => {
      const script = [
        bash('touch made.txt'),
        bash('touch other.txt'),
        bash('touch made.txt'),
        callTool('write', { path: 'new.txt', content: 'one\n' }),
        'Done.',
        bash('touch made.txt'),
        'Done again.',
      ];
      return scene(version, script, async live => {
        const run = await live.send('go');
        const first = await live.relay();
        expect(first).toMatchObject({
          relayKind: 'permission',
          tool: 'bash',
          category: 'execute',
          command: 'touch made.txt',
          answers: ['approve', 'reject', 'revise'],
        });
        expect(live.has('made.txt')).toBe(false);
        await live.answer(first, { outcome: 'approve', remember: 'thread' });
        const second = await live.relay(2);
        expect(live.has('made.txt')).toBe(true);
        await live.answer(second, { outcome: 'reject', feedback: 'REASON-1: not this file' });
        const write = await live.relay(3);
        expect(live.request(2)).toContain('REASON-1: not this file');
        expect(write).toMatchObject({ tool: 'write', category: 'edit' });
        await live.answer(write, { outcome: 'approve' });
        const { outcome, events } = await live.finished(run);
        expect(outcome).toBe('complete');
        expect(textOf(events, run.runId)).toBe('Done.');
        expect([live.has('new.txt'), live.has('other.txt')]).toEqual([true, false]);
        const next = await live.finished(await live.send('again'));
        expect(next.outcome).toBe('complete');
        expect(next.events.filter(event => event.type === 'relay')).toHaveLength(3);
        const sessions = next.events.flatMap(event => (event.type === 'session' ? [event.sessionId] : []));
        expect(new Set(sessions).size).toBe(1);
        expect(next.events.filter(event => event.type === 'unknown')).toEqual([]);
        expect(next.events.filter(event => event.type === 'usage').every(({ cost }) => cost !== undefined)).toBe(true);
      });
    });

    it('runs a revised input, informs the model, and asks about calls of one message in turn', () => {
      const both = [...bash('touch one.txt'), ...bash('touch two.txt')];
      return scene(version, [both, 'Done.', 'Noted.'], async live => {
        const run = await live.send('go');
        await live.answer(await live.relay(), { outcome: 'revise', input: { command: 'touch revised.txt' } });
        await live.answer(await live.relay(2), { outcome: 'reject', feedback: 'REASON-2' });
        expect((await live.finished(run)).outcome).toBe('complete');
        expect(['one.txt', 'two.txt', 'revised.txt'].map(file => live.has(file))).toEqual([false, false, true]);
        expect(live.request(-1)).toContain('The user changed your call of bash');
        expect(live.request(-1)).toContain('REASON-2');
      });
    });

    it('asks questions', () => {
      const ask = callTool('ask_user', { question: 'Which colour?', options: ['Red', 'Blue'] });
      return scene(version, [ask, callTool('ask_user', { question: 'Your name?' }), 'Thanks.'], async live => {
        const run = await live.send('go');
        const first = await live.relay();
        expect(first).toMatchObject({
          relayKind: 'question',
          question: 'Which colour?',
          options: [{ label: 'Red' }, { label: 'Blue' }],
        });
        await live.answer(first, { outcome: 'answer', answer: 'Blue' });
        const second = await live.relay(2);
        expect(live.request(1)).toContain('Blue');
        await live.answer(second, { outcome: 'reject', feedback: 'REASON-3: no names' });
        expect((await live.finished(run)).outcome).toBe('complete');
        expect(live.request(-1)).toContain('REASON-3: no names');
      });
    });

    it('ends without the call when its owner dies, and resumes', () =>
      scene(version, [bash('touch made.txt'), 'Resumed.'], async live => {
        const host = await resumedAfterDeath(version, live.options);
        expect(host.ends).toEqual([{ reason: 'complete' }]);
        expect(host.requests).toEqual([]);
        expect(live.has('made.txt')).toBe(false);
        expect(live.request(-1)).toContain('periwinkle');
      }));

    it('reports the same events as print mode', async () => {
      const { print, live } = await comparedEvents(version, () => [
        [{ text: 'I begin.' }, ...bash('cat notes.txt')],
        callTool('write', { path: 'new.txt', content: 'hi\n' }),
        bash('exit 3'),
        'Done.',
      ]);
      expect(print.map(({ type }) => type)).toContain('tool_result');
      expect(live).toEqual(print);
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
        const done = await live.finished(resumed ?? run);
        expect(done.outcome).toBe('complete');
        expect(live.has('made.txt')).toBe(true);
        await live.sessions.close();
        const last = await live.finished(await live.send('and now?'));
        expect(last.outcome).toBe('complete');
        expect(live.request(-1)).toContain('periwinkle');
        const sessions = last.events.flatMap(event => (event.type === 'session' ? [event.sessionId] : []));
        expect(new Set(sessions).size).toBe(1);
      });
    });
  },
);
