import { expect } from 'vitest';
import { textOf } from '../../support/live-scene.ts';
import { attendedRun } from '../attended-run.ts';
import { asked, conversation, subagentTask } from '../conversation.ts';
import type { Play } from '../play.ts';

export const requests: readonly Play[] = [
  {
    name: 'passes questions and plans on',
    scenarios: ['question', 'plan'],
    script: profile => conversation(profile, profile.planning?.turns ?? []),
    play: async (live, profile) => {
      const { questions, plans } = profile.live.abilities;
      const { mode, rejects } = profile.planning ?? {};
      const run = await live.send('go', mode === undefined ? {} : { mode });
      let isRejected = rejects !== true;
      const { outcome, relays } = await attendedRun(live, run, relay => {
        if (relay.relayKind === 'question') return { outcome: 'answer', answer: 'Blue' };
        if (relay.relayKind !== 'plan' || isRejected) return { outcome: 'approve' };
        isRejected = true;
        return { outcome: 'reject', feedback: 'REASON-3 better' };
      });
      expect(outcome).toBe('complete');
      const said = asked(live, profile).join('\n');
      if (profile.without.question === undefined) {
        const options = [{ label: 'Red' }, { label: 'Blue' }];
        expect(questions).toBe(true);
        expect(relays.find(relay => relay.relayKind === 'question')).toMatchObject({
          question: 'Which colour?',
          options,
        });
        expect(said).toContain('Blue');
      }
      if (profile.without.plan !== undefined) return;
      expect(plans).toBe(true);
      const planned = relays.filter(relay => relay.relayKind === 'plan');
      expect(planned).toHaveLength(rejects === true ? 2 : 1);
      expect(planned[0]).toMatchObject({ plan: expect.stringContaining('1. paint it') as string });
      if (rejects === true) expect(said).toContain('REASON-3 better');
      expect(relays.find(relay => JSON.stringify(relay).includes('touch painted.txt'))).toBeDefined();
      expect(live.has('painted.txt')).toBe(true);
    },
  },
  {
    name: 'nests, asks or refuses what subagents do',
    scenarios: ['subagent'],
    script: profile => {
      const { subagent, shell } = profile;
      if (typeof subagent === 'object') return subagent.script;
      const turns = [subagent?.(subagentTask) ?? 'No subagent.', 'Parent done.', 'Parent done.', 'Parent done.'];
      return conversation(profile, turns, [shell('touch sub.txt'), 'Sub done.']);
    },
    play: async (live, { subagent, live: { abilities } }) => {
      const run = await live.send('go', typeof subagent === 'object' ? { model: subagent.model } : {});
      const { outcome, events, relays } = await attendedRun(live, run, () => ({ outcome: 'approve' }));
      expect(outcome).toBe('complete');
      const isAsked = abilities.subagents === 'asked';
      expect(live.has('sub.txt')).toBe(isAsked);
      const nested = relays.find(({ runId }) => runId !== run.runId);
      expect(nested !== undefined).toBe(isAsked);
      if (isAsked) expect(JSON.stringify(events)).toContain('Sub done.');
      expect(textOf(events, run.runId)).toContain('Parent done.');
      const isOff = events.some(event => event.type === 'warning' && event.code === 'subagents_off');
      expect(isOff).toBe(abilities.subagents === 'off');
    },
  },
];
