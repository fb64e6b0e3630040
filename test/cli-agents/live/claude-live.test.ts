import { beforeAll, describe, expect, it } from 'vitest';
import { claudeVersions, installPrograms, programsReady } from '../support/real-program.ts';
import { callTool, LiveScene, textOf } from '../support/live-scene.ts';
import type { ModelScript } from '../../../src/agents/model/scripted/script.ts';

const bash = (command: string) => callTool('Bash', { command, description: `runs ${command}` });

async function scene(version: string, script: ModelScript, play: (scene: LiveScene) => Promise<void>): Promise<void> {
  const opened = await LiveScene.open(version, script);
  try {
    await play(opened);
  } finally {
    await opened.close();
  }
}

describe.skipIf(!programsReady('Claude Code over its interactive channel', claudeVersions)).each(claudeVersions)(
  '%s over its interactive channel',
  version => {
    beforeAll(() => installPrograms(claudeVersions), 600_000);

    it('runs a call that a person approves', () =>
      scene(version, [bash('touch made.txt'), 'Done.'], async live => {
        const run = await live.send('go');
        const relay = await live.relay();
        expect(relay).toMatchObject({
          relayKind: 'permission',
          tool: 'Bash',
          category: 'execute',
          command: 'touch made.txt',
          reason: 'runs touch made.txt',
          answers: ['approve', 'reject', 'revise'],
        });
        expect(live.has('made.txt')).toBe(false);
        await live.answer(relay, { outcome: 'approve' });
        const { outcome, events } = await live.finished(run);
        expect(outcome).toBe('complete');
        expect(live.has('made.txt')).toBe(true);
        expect(textOf(events, run.runId)).toBe('Done.');
      }));
  },
);
