import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LoggedEvent } from '../../src/events/index.ts';
import { HandOverScene, newSessions, turns } from './support/hand-over-scene.ts';
import { installPrograms, isTried, programsReady } from './support/real-program.ts';

const written = ['claude', 'codex', 'pi', 'opencode', 'kilo', 'goose', 'cline', 'gemini'];
const names = written.filter(isTried);
const isOnDemand = names.some(name => !['claude', 'codex', 'pi'].includes(name));

describe.skipIf(!isOnDemand || !programsReady('hand over between all programs', names))('every program', () => {
  let scene: HandOverScene;
  beforeAll(async () => {
    await installPrograms(names);
    scene = await HandOverScene.open();
  }, 600_000);
  afterAll(() => scene.close());

  describe.each([...names, 'own'])('hands its conversation over: %s', from => {
    let last = 0;
    const threadId = `from-${from}`;
    beforeAll(async () => {
      scene.threadId = threadId;
      await scene.log.createThread({ id: threadId });
      const { outcome } = await scene.turn(from, 1);
      expect(outcome).toBe('complete');
      last = (await scene.log.read(threadId)).length;
    }, 180_000);

    it.each([...names, 'own'])('to %s', { timeout: 180_000 }, async to => {
      scene.threadId = (await scene.log.branch(threadId, last)).id;
      const { asked, events, outcome } = await scene.turn(to, 2);
      expect(asked, problems(events)).toEqual([...turns([1]), 'user: LOOK-2']);
      expect(newSessions(events)).toEqual([]);
      expect(outcome).toBe('complete');
    });
  });
});

function problems(events: readonly LoggedEvent[]): string {
  return events.flatMap(event => (event.type === 'warning' || event.type === 'error' ? [event.message] : [])).join('; ');
}
