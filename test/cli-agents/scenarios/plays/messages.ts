import { expect } from 'vitest';
import type { ContentPart } from '../../../../src/events/index.ts';
import { textOf } from '../../support/live-scene.ts';
import { asked, byPrompt, conversation } from '../conversation.ts';
import type { Play } from '../play.ts';

/** A picture of one pixel. */
const picture = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

export const messages: readonly Play[] = [
  {
    name: 'takes a message during a turn, and is usable after interrupts',
    scenarios: ['steer', 'interrupt'],
    script: profile => {
      const { shell } = profile;
      return byPrompt(profile, {
        'PROMPT-1': [shell('bash slow.sh 2 slow.txt'), 'After.', 'After that.'],
        'PROMPT-2': [shell('touch made.txt')],
        'PROMPT-3': [shell('bash slow.sh 30 late.txt')],
        'PROMPT-4': ['Usable.'],
      });
    },
    play: async (live, profile) => {
      const { steer } = profile.live.abilities;
      const first = await live.send('PROMPT-1');
      await live.answer(await live.relay(), { outcome: 'approve' });
      await live.event(event => event.type === 'tool_start');
      await live.say('STEER-1 also this');
      const steered = await live.finished(first);
      expect(steered.outcome).toBe('complete');
      expect(asked(live, profile)[steer === 'joins' ? 1 : 2]).toContain('STEER-1 also this');
      const queued = steered.events.filter(event => event.type === 'warning' && event.code === 'steer_queued');
      expect(queued.length > 0).toBe(steer !== 'joins');
      expect(steered.events.filter(event => event.type === 'user' && event.runId === first.runId)).toMatchObject([
        { content: 'STEER-1 also this' },
      ]);

      const second = await live.send('PROMPT-2');
      const open = await live.relay(2);
      await live.supervisor.abort(second.runId);
      const aborted = await live.finished(second);
      expect(aborted.outcome).toBe('aborted');
      const resolved = aborted.events.find(event => event.type === 'relay_resolved' && event.relayId === open.id);
      expect(resolved).toMatchObject({ outcome: 'cancelled' });

      const third = await live.send('PROMPT-3');
      await live.answer(await live.relay(3), { outcome: 'approve' });
      await live.event(event => event.type === 'tool_start' && event.runId === third.runId);
      await live.supervisor.abort(third.runId);
      expect((await live.finished(third)).outcome).toBe('aborted');

      const fourth = await live.send('PROMPT-4');
      const { outcome, events } = await live.finished(fourth);
      expect(outcome).toBe('complete');
      expect(textOf(events, fourth.runId)).toContain('Usable.');
      expect([live.has('made.txt'), live.has('late.txt')]).toEqual([false, false]);
    },
  },
  {
    name: 'shows images to the model',
    scenarios: ['image'],
    once: true,
    script: profile => conversation(profile, ['Seen.']),
    play: async (live, profile) => {
      const image: ContentPart = { type: 'image', data: picture, mediaType: 'image/png' };
      const { visionModel: model } = profile;
      const run = await live.send([{ type: 'text', text: 'look' }, image], model === undefined ? {} : { model });
      const { outcome, events } = await live.finished(run);
      expect(outcome).toBe('complete');
      expect(events.filter(event => event.type === 'warning' && event.code === 'attachment_dropped')).toEqual([]);
      expect(asked(live, profile)[0]).toContain('iVBORw0KGgo');
    },
  },
];
