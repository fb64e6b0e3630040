import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
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

  it('fails once, with the rest of its turn in the log, when a hook of the person makes it stop asking', async () => {
    const live = await LiveScene.open(version, [bash('touch made.txt'), 'Done.']);
    const home = dirname(live.options.cwd);
    const decision = {
      behavior: 'allow',
      updatedPermissions: [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }],
    };
    const output = { hookSpecificOutput: { hookEventName: 'PermissionRequest', decision } };
    writeFileSync(join(home, 'output.json'), JSON.stringify(output));
    const hook = { matcher: '*', hooks: [{ type: 'command', command: `cat '${join(home, 'output.json')}'` }] };
    writeFileSync(join(home, 'settings.json'), JSON.stringify({ hooks: { PermissionRequest: [hook] } }));
    try {
      const { outcome, events } = await live.finished(await live.send('go'));
      expect(outcome).toBe('error');
      expect(events.filter(event => event.type === 'error')).toMatchObject([
        { code: 'unsafe_mode', message: expect.stringContaining('"acceptEdits", in which it does not ask') as string },
      ]);
      const types = events.map(({ type }) => type);
      expect(types.slice(types.indexOf('tool_result'))).toEqual(['tool_result', 'usage', 'error', 'harness_end']);
    } finally {
      await live.close();
    }
  });
});
