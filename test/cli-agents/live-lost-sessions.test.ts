import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { cliAdapters } from '../../src/agents/cli/adapters/cli-adapters.ts';
import { removeWrittenSessions } from '../../src/agents/cli/sessions/remove-sessions.ts';
import { HandOverScene, turns } from './support/hand-over-scene.ts';
import { installPrograms, isTried, programsReady } from './support/real-program.ts';

const names = ['claude', 'codex', 'pi', 'opencode', 'kilo', 'goose', 'cline', 'gemini'].filter(isTried);
const channels = names.flatMap(name => [
  { name, channel: 'live' as const },
  ...(name === 'cline' || name === 'gemini' ? [] : [{ name, channel: 'print' as const }]),
]);

describe.skipIf(!programsReady('removal of written sessions', names))('a session that was written', () => {
  beforeAll(() => installPrograms(names), 600_000);
  let scene: HandOverScene | undefined;
  afterEach(async () => {
    await scene?.close();
    scene = undefined;
  });

  it.each(channels)(
    'for $name ($channel) is removed with the runs of its thread, and written again for a run that needs it',
    { timeout: 180_000 },
    async ({ name, channel }) => {
      scene = await HandOverScene.open();
      const { id: other } = await scene.log.createThread({});
      await scene.turn(name, 3, { channel, threadId: other });
      const before = await scene.ownSessions(name);
      await scene.turn('own', 1);
      const { outcome, events } = await scene.turn(name, 2, { channel });
      expect(outcome).toBe('complete');
      expect(scene.written(name)).toHaveLength(1);
      const sessionId = events.find(event => event.type === 'session')?.sessionId ?? '';
      const isInStore = (await scene.ownSessions(name)).includes(sessionId);
      expect(isInStore).toBe(cliAdapters[name]?.session?.handOver?.(channel, scene.place(name))?.by !== 'path');
      await scene.cool();
      const runIds = events.map(({ runId }) => runId);
      expect(await removeWrittenSessions(scene.sessionFolder, ['another'])).toEqual([]);
      expect(scene.written(name)).toHaveLength(1);
      expect(await removeWrittenSessions(scene.sessionFolder, runIds)).toEqual([]);
      expect(scene.written(name)).toEqual([]);
      expect(await scene.ownSessions(name)).toEqual(before);
      const next = await scene.turn(name, 4, { channel });
      // Gemini reports no output of commands over its channel.
      const asked = next.asked.map(line => line.replace('{"output":"(no output)"}', 'output-2'));
      expect(asked).toEqual([...turns([1, 2]), 'user: LOOK-4']);
      const isUnknown = cliAdapters[name]?.session?.isUnknown;
      const problems = next.events.flatMap(event => {
        if (event.type !== 'warning' && event.type !== 'error') return [];
        return event.code !== 'stderr' || isUnknown?.test(event.message) ? [event.message] : [];
      });
      expect(problems).toEqual([]);
      expect(next.outcome).toBe('complete');
    },
  );
});
