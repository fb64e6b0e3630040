import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { cliAdapters } from '../../../src/agents/cli/adapters/cli-adapters.ts';
import { asked, byPrompt } from '../scenarios/conversation.ts';
import type { Profile } from '../scenarios/profile.ts';
import { acpProfiles } from '../scenarios/profiles/acp.ts';
import { tryProgram } from '../scenarios/try-program.ts';
import { callTool, LiveScene } from '../support/live-scene.ts';

const command = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url));

/** How the model of a program writes a file; these programs report no locations. */
const writes: Readonly<Record<string, (path: string) => ReturnType<typeof callTool>>> = {
  goose: path => callTool('write', { path, content: 'hi\n' }),
  cline: path => callTool('editor', { path, new_text: 'hi\n' }),
};

for (const profile of acpProfiles)
  tryProgram(profile, version => {
    if (cliAdapters[profile.agent]?.isLiveOnly === true) testWithoutTerminal(profile, version);
    if (profile.agent === 'goose') testStoppedMessage(profile, version);
    const write = writes[profile.agent];
    if (write === undefined) return;

    it('writes no file that a rule guards, by its absolute path or through a link', async () => {
      let folder = '';
      const paths = ['secret.txt', 'src/link/secret.txt', 'src/made.txt'];
      const live = await LiveScene.open(version, ({ toolNames, toolResults }) => {
        const path = paths[toolResults.length];
        return toolNames.length === 0 || path === undefined ? 'Done.' : write(join(folder, path));
      });
      folder = live.options.cwd;
      mkdirSync(join(folder, 'src'));
      symlinkSync('..', join(folder, 'src/link'));
      try {
        const rules = [{ input: { path: 'secret.txt' }, policy: 'deny' as const, reason: 'RULE-1: it is secret' }];
        const run = await live.send('go', { permissions: { default: 'allow', rules } });
        const { events } = await live.finished(run);
        const outputs = events.flatMap(event => (event.type === 'tool_result' ? [JSON.stringify(event.output)] : []));
        expect(outputs).toHaveLength(3);
        expect(outputs.slice(0, 2).every(output => output.includes('denied'))).toBe(true);
        expect([live.has('secret.txt'), live.has('src/made.txt')]).toEqual([false, true]);
      } finally {
        await live.close();
      }
    });
  });

function testWithoutTerminal({ agent, shell }: Profile, version: string): void {
  it('is denied without a terminal what rules would ask, and the exit code says so', async () => {
    const live = await LiveScene.open(version, [shell('touch made.txt'), 'All done.', 'Noted.']);
    const { executable = '', cwd, env = {}, model = '' } = live.options;
    const PATH = `${dirname(executable)}:${env['PATH'] ?? process.env['PATH']}`;
    const given = { ...process.env, ...env, PATH, SINGLETREE_HOME: join(dirname(cwd), 'singletree') };
    const run = promisify(execFile)(
      process.execPath,
      [command, 'run', agent, 'go', '--model', model, '--output', 'events'],
      {
        cwd,
        env: given,
      },
    );
    run.child.stdin?.end();
    const ended = await run.catch((error: { code: number; stdout: string; stderr: string }) => error);
    const isMade = existsSync(join(cwd, 'made.txt'));
    await live.close();
    expect(ended).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/denied: .*\(singletree run --wait\)/) as string,
    });
    expect(ended.stdout).toContain('nobody can be asked');
    expect(isMade).toBe(false);
  });
}

function testStoppedMessage(profile: Profile, version: string): void {
  it('reads a message with the next prompt that it accepted into a turn which was stopped', async () => {
    const script = { 'PROMPT-1': [profile.shell('bash slow.sh 30 late.txt')], 'PROMPT-2': ['Usable.'] };
    const live = await LiveScene.open(version, byPrompt(profile, script));
    writeFileSync(join(live.options.cwd, 'slow.sh'), 'sleep "$1"\ntouch "$2"\n');
    profile.prepare?.(live);
    try {
      const run = await live.send('PROMPT-1');
      await live.answer(await live.relay(), { outcome: 'approve' });
      await live.event(event => event.type === 'tool_start');
      await live.say('STEER-1 also this');
      await live.event(event => event.type === 'user' && event.content === 'STEER-1 also this');
      await live.supervisor.abort(run.runId);
      expect((await live.finished(run)).outcome).toBe('aborted');
      const { outcome } = await live.finished(await live.send('PROMPT-2'));
      expect([outcome, asked(live, profile).at(-1)]).toEqual([
        'complete',
        expect.stringContaining('STEER-1 also this'),
      ]);
    } finally {
      await live.close();
    }
  });
}
