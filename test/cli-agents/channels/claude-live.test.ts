import { expect, it } from 'vitest';
import { bash, claude } from '../scenarios/profiles/claude.ts';
import { tryProgram } from '../scenarios/try-program.ts';
import { callTool, LiveScene } from '../support/live-scene.ts';

tryProgram(claude, version => {
  it('denies by our rules what it would run without asking', async () => {
    const live = await LiveScene.open(version, [callTool('Read', { file_path: 'notes.txt' }), bash('ls'), 'Done.']);
    try {
      const rules = [
        { tool: 'Read', input: { path: 'notes.txt' }, policy: 'deny' as const, reason: 'RULE-1: notes are private' },
        { command: 'ls *', policy: 'ask' as const },
      ];
      const run = await live.send('go', { permissions: { default: 'ask', rules } });
      const relay = await live.relay();
      expect(relay).toMatchObject({ relayKind: 'permission', command: 'ls', reason: 'runs ls' });
      expect(live.request(1)).toContain('RULE-1: notes are private');
      await live.answer(relay, { outcome: 'approve' });
      const { outcome, events } = await live.finished(run);
      expect(outcome).toBe('complete');
      expect(events.find(event => event.type === 'tool_result')).toMatchObject({ output: { status: 'denied' } });
    } finally {
      await live.close();
    }
  });
});
