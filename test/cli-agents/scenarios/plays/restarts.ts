import { expect } from 'vitest';
import { textOf } from '../../support/live-scene.ts';
import { asked, conversation } from '../conversation.ts';
import type { Play } from '../play.ts';

export const restarts: readonly Play[] = [
  {
    name: 'resumes its session in a new process, also with a request that nobody answered',
    scenarios: ['resume', 'closed'],
    script: profile => {
      const { shell } = profile;
      return conversation(profile, [shell('touch made.txt'), shell('touch made.txt'), 'Resumed.', 'Third.']);
    },
    play: async (live, profile) => {
      const run = await live.send('remember periwinkle');
      const relay = await live.relay();
      await live.supervisor.close();
      live.supervisor = live.newSupervisor();
      const [resumed] = await live.supervisor.recover();
      expect(resumed?.runId).toBe(run.runId);
      const second = await live.relay(2);
      expect((await live.events()).find(event => event.type === 'relay_resolved')).toMatchObject({
        relayId: relay.id,
        outcome: 'cancelled',
        feedback: expect.stringContaining('did not run') as string,
      });
      expect(live.has('made.txt')).toBe(false);
      expect(asked(live, profile)[1]).toContain('These calls did not run');
      await live.answer(second, { outcome: 'approve' });
      const done = await live.finished(resumed ?? run);
      expect(done.outcome).toBe('complete');
      expect(done.events.filter(event => event.type === 'error')).toEqual([]);
      expect(live.has('made.txt')).toBe(true);
      await live.sessions.close();
      const last = await live.finished(await live.send('and now?'));
      expect(last.outcome).toBe('complete');
      expect(asked(live, profile).at(-1)).toContain('periwinkle');
      expect(last.events.some(event => event.type === 'warning' && event.code === 'new_session')).toBe(false);
      const sessions = last.events.flatMap(event => (event.type === 'session' ? [event.sessionId] : []));
      expect(new Set(sessions).size).toBe(1);
    },
  },
  {
    name: 'resumes after its owner was killed: an open request did not run, and its answer is refused',
    scenarios: ['killed'],
    once: true,
    owner: 'asked',
    script: profile => conversation(profile, [profile.shell('touch made.txt'), 'Resumed.']),
    play: async (live, profile) => {
      const relay = await live.relay();
      await live.supervisor.recover();
      await expect(live.answer(relay, { outcome: 'approve' })).rejects.toThrow(/did not run/);
      await live.event(event => event.type === 'harness_end');
      const events = await live.events();
      expect(events.find(event => event.type === 'relay_resolved')).toMatchObject({
        relayId: relay.id,
        outcome: 'cancelled',
        feedback: expect.stringContaining('did not run') as string,
      });
      expect(live.has('made.txt')).toBe(false);
      const last = asked(live, profile).at(-1);
      expect(last).toContain('These calls did not run');
      expect(last).toContain('periwinkle');
      expect(events.at(-1)).toMatchObject({ type: 'harness_end', reason: 'complete' });
      const sessions = events.flatMap(event => (event.type === 'session' ? [event.sessionId] : []));
      expect(new Set(sessions).size).toBe(1);
    },
  },
  {
    name: 'reports a call that ran when its owner was killed as one of unknown outcome, and does not run it again',
    scenarios: ['running'],
    once: true,
    owner: 'running',
    script: profile => conversation(profile, [profile.shell('bash slow.sh 60 late.txt'), 'Resumed.']),
    play: async (live, profile) => {
      await live.supervisor.recover();
      await live.event(event => event.type === 'harness_end');
      const events = await live.events();
      expect(events.find(event => event.type === 'tool_result')).toMatchObject({
        output: { error: expect.stringContaining('outcome of this call is unknown') as string },
      });
      expect(asked(live, profile)).toHaveLength(2);
      expect(asked(live, profile)[1]).toContain('The outcome of these calls is unknown');
      expect(events.at(-1)).toMatchObject({ type: 'harness_end', reason: 'complete' });
    },
  },
  {
    name: 'continues a branch in a fork of its session',
    scenarios: ['fork'],
    once: true,
    script: profile => conversation(profile, ['First.', 'In the branch.', 'In the thread.']),
    play: async (live, profile) => {
      await live.finished(await live.send('remember periwinkle'));
      const branch = await live.log.branch(live.threadId, (await live.events()).length);
      const run = await live.supervisor.start(branch.id, { agent: live.agent(), content: 'BRANCH-1 what was it?' });
      expect(await run.done).toBe('complete');
      const next = await live.finished(await live.send('what was it?'));
      expect(next.outcome).toBe('complete');
      const [, inBranch, inThread] = asked(live, profile);
      expect(inBranch).toContain('periwinkle');
      expect(inThread).toContain('periwinkle');
      expect(inThread).not.toContain('BRANCH-1');
      const branched = await live.log.read(branch.id);
      expect(textOf(branched, run.runId)).toContain('In the branch.');
      const own = branched.find(event => event.type === 'session' && event.runId === run.runId);
      const before = next.events.find(event => event.type === 'session');
      expect(own?.sessionId).not.toBe(before?.sessionId);
      expect(branched.some(event => event.type === 'warning' && event.code === 'new_session')).toBe(false);
    },
  },
];
