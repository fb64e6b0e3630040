import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { codex, question, shell } from '../scenarios/profiles/codex.ts';
import { tryProgram } from '../scenarios/try-program.ts';
import { comparedEvents } from '../support/compared-events.ts';
import { callTool, LiveScene } from '../support/live-scene.ts';

/** Whether this process may give a program an `/etc` of its own, where the rules of a company for Codex are. */
const canMount = spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0;

tryProgram(codex, version => {
  it('shows why a command needs more rights, and asks questions without a plan', async () => {
    const justified = { justification: 'JUST-1 needed', sandbox_permissions: 'require_escalated' };
    const asks = callTool('request_user_input', { questions: [question] });
    const live = await LiveScene.open(version, [shell('touch made.txt', justified), asks, 'Asked.']);
    try {
      const run = await live.send('go');
      const relay = await live.relay();
      expect(relay).toMatchObject({ reason: expect.stringContaining('JUST-1 needed') as string });
      await live.answer(relay, { outcome: 'approve' });
      await live.answer(await live.relay(2), { outcome: 'answer', answer: 'Green' });
      expect((await live.finished(run)).outcome).toBe('complete');
      expect(live.request(-1)).toContain('Green');
    } finally {
      await live.close();
    }
  });

  it('is translated again from its raw lines', async () => {
    const live = await LiveScene.open(version, [shell('touch made.txt'), 'Done.']);
    try {
      const run = await live.send('go');
      await live.answer(await live.relay(), { outcome: 'approve' });
      expect((await live.finished(run)).outcome).toBe('complete');
      const types = (await live.translated(run)).map(({ type }) => type);
      expect(types.filter(type => type !== 'warning' && type !== 'text')).toEqual([
        'harness_start',
        'session',
        'step_start',
        'tool_call',
        'tool_start',
        'tool_result',
        'usage',
        'harness_end',
      ]);
    } finally {
      await live.close();
    }
  });

  it('reports the same events as print mode', async () => {
    const patch = "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: new.txt\n+hi\n*** End Patch\nEOF";
    const { print, live } = await comparedEvents(version, () => [
      [{ reasoning: 'Thinking.' }, { text: 'I begin.' }, ...shell('cat notes.txt')],
      shell(patch),
      shell('exit 3'),
      'Done.',
    ]);
    expect(print.map(({ type }) => type)).toContain('tool_result');
    expect(live).toEqual(print);
  });

  it.skipIf(!canMount)('fails with the policy that it takes instead of ours, before it is prompted', async () => {
    const live = await LiveScene.open(version, ['Never.']);
    const home = dirname(live.options.cwd);
    const [managed, rules] = [join(home, 'managed-codex'), join(home, 'requirements.toml')];
    const mounts = [
      'mount -t tmpfs tmpfs /mnt',
      'cp -r /etc/. /mnt 2>/dev/null',
      'mkdir -p /mnt/codex',
      'cp "$RULES" /mnt/codex',
      'mount --bind /mnt /etc',
      'exec "$0" "$@"',
    ];
    const line = `RULES='${rules}' exec unshare -rm sh -c '${mounts.join('; ')}' '${live.options.executable}' "$@"`;
    writeFileSync(managed, `#!/bin/sh\n${line}\n`, { mode: 0o755 });
    writeFileSync(rules, 'allowed_approval_policies = ["on-request"]\n');
    try {
      const { outcome, events } = await live.finished(await live.send('go', { executable: managed }));
      expect(outcome).toBe('error');
      expect(events.filter(event => event.type === 'error')).toMatchObject([
        { code: 'policy_not_accepted', message: expect.stringContaining('"approvalPolicy":"on-request"') as string },
      ]);
      expect(live.requests()).toEqual([]);
    } finally {
      await live.close();
    }
  });
});
