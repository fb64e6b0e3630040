import { expect } from 'vitest';
import type { LoggedEvent } from '../../../../src/events/index.ts';
import { textOf } from '../../support/live-scene.ts';
import { shownWork } from '../../support/shown-work.ts';
import { asked, conversation } from '../conversation.ts';
import type { Play } from '../play.ts';

const sessionsIn = (events: readonly LoggedEvent[]) =>
  new Set(events.flatMap(event => (event.type === 'session' ? [event.sessionId] : [])));

export const decisions: readonly Play[] = [
  {
    name: 'runs approved calls and remembers what is always allowed, over two turns of one session',
    scenarios: ['approve', 'always', 'turns'],
    script: profile => {
      const { shell, write } = profile;
      const writes = write === undefined ? [] : [write('new.txt')];
      return conversation(profile, [shell('touch made.txt'), ...writes, 'Done.', shell('touch made.txt'), 'Again.']);
    },
    play: async (live, { tool, write, showsDiff, live: { abilities } }) => {
      const run = await live.send('go');
      const first = await live.relay();
      expect(first).toMatchObject({
        relayKind: 'permission',
        tool,
        command: 'touch made.txt',
        category: 'execute',
        answers: abilities.revise === 'all' ? ['approve', 'reject', 'revise'] : ['approve', 'reject'],
      });
      expect(live.has('made.txt')).toBe(false);
      await live.answer(first, { outcome: 'approve', remember: 'thread' });
      if (write !== undefined) {
        const second = await live.relay(2);
        expect(second).toMatchObject({ category: 'edit' });
        if (showsDiff === true) expect(second).toMatchObject({ diff: expect.stringContaining('+hi') as string });
        expect(live.has('new.txt')).toBe(false);
        await live.answer(second, { outcome: 'approve' });
      }
      const { outcome, events } = await live.finished(run);
      expect(outcome).toBe('complete');
      expect(textOf(events, run.runId)).toContain('Done.');
      expect([live.has('made.txt'), live.has('new.txt')]).toEqual([true, write !== undefined]);
      const again = await live.send('again');
      const next = await live.finished(again);
      expect(next.outcome).toBe('complete');
      expect(textOf(next.events, again.runId)).toContain('Again.');
      expect(next.events.filter(event => event.type === 'relay')).toHaveLength(write === undefined ? 1 : 2);
      expect(next.events.filter(event => event.type === 'unknown')).toEqual([]);
      expect(next.events.some(event => event.type === 'usage')).toBe(abilities.usage);
      expect(sessionsIn(next.events).size).toBe(1);
      for (const { runId } of [run, again])
        expect(shownWork(await live.translated({ runId })), 'its raw lines are translated to the same work').toEqual(
          shownWork(next.events.filter(event => event.runId === runId && event.type !== 'harness_start')),
        );
    },
  },
  {
    name: 'gives the model the reason of a rejection',
    scenarios: ['reject'],
    script: profile => conversation(profile, [profile.shell('touch other.txt'), 'Understood.', 'Understood again.']),
    play: async (live, profile) => {
      const { reason, rejectEndsTurn } = profile.live.abilities;
      const run = await live.send('go');
      const relay = await live.relay();
      const before = asked(live, profile).length;
      await live.answer(relay, { outcome: 'reject', feedback: 'REASON-1 not this file' });
      const { outcome, events } = await live.finished(run);
      expect(outcome).toBe('complete');
      expect(live.has('other.txt')).toBe(false);
      // Some programs first ask the model what to do without the call, and take the reason after that.
      const following = asked(live, profile).slice(before);
      const next = reason === 'next_prompt' && !rejectEndsTurn ? following.at(-1) : following[0];
      expect(next).toContain('REASON-1 not this file');
      const texts = shownWork(events).flatMap(item => ('text' in item ? [String(item.text)] : []));
      expect(
        texts.filter(text => text.includes('Understood')),
        'each answer of the model is a message',
      ).toEqual(['Understood.', 'Understood again.'].slice(0, following.length));
      expect(events.find(event => event.type === 'tool_result')).toMatchObject({ output: { status: 'denied' } });
    },
  },
  {
    name: 'runs a revised input and informs the model',
    scenarios: ['revise'],
    script: profile => conversation(profile, [profile.shell('touch made.txt'), 'Done.', 'Noted.']),
    play: async (live, profile) => {
      const run = await live.send('go');
      const relay = await live.relay();
      const given = relay.relayKind === 'permission' ? (relay.params as object) : {};
      const input = { ...given, command: 'touch revised.txt' };
      await live.answer(relay, { outcome: 'revise', input });
      expect((await live.finished(run)).outcome).toBe('complete');
      expect([live.has('revised.txt'), live.has('made.txt')]).toEqual([true, false]);
      expect(asked(live, profile).at(-1)).toContain(`The user changed your call of ${profile.tool}`);
    },
  },
  {
    name: 'asks about two calls at once, or one after the other',
    scenarios: ['two'],
    script: profile => {
      const { shell, twoRequests } = profile;
      const both = [...shell('touch one.txt'), ...shell('touch two.txt')];
      return twoRequests ?? conversation(profile, [both, 'Done.', 'Done.']);
    },
    play: async (live, profile) => {
      const { parallelRequests, rejectEndsTurn } = profile.live.abilities;
      const run = await live.send('go');
      const answer = (relay: Awaited<ReturnType<typeof live.relay>>) =>
        live.answer(
          relay,
          rejectEndsTurn || JSON.stringify(relay).includes('one.txt')
            ? { outcome: 'approve' }
            : { outcome: 'reject', feedback: 'REASON-2' },
        );
      if (parallelRequests)
        for (const relay of [await live.relay(1), await live.relay(2)].toReversed()) await answer(relay);
      else for (const n of [1, 2]) await answer(await live.relay(n));
      expect((await live.finished(run)).outcome).toBe('complete');
      expect([live.has('one.txt'), live.has('two.txt')]).toEqual([true, rejectEndsTurn]);
      if (!rejectEndsTurn) expect(asked(live, profile).join()).toContain('REASON-2');
    },
  },
];
