import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ModelScript } from '../../src/testing/index.ts';
import { byPrompt } from '../cli-agents/scenarios/conversation.ts';
import { bash, claude } from '../cli-agents/scenarios/profiles/claude.ts';
import { codex, shell } from '../cli-agents/scenarios/profiles/codex.ts';
import { callTool } from '../cli-agents/support/live-scene.ts';
import { installPrograms, programsReady } from '../cli-agents/support/real-program.ts';
import { ExternalScene } from './external-scene.ts';

const names = ['claude', 'codex'];
const scenes: ExternalScene[] = [];
afterEach(async () => {
  for (const scene of scenes.splice(0)) await scene.close();
});

async function start(program: string, script: ModelScript): Promise<ExternalScene> {
  const scene = await ExternalScene.start(program, script);
  scenes.push(scene);
  return scene;
}
const has = ({ chat }: ExternalScene, file: string) => existsSync(join(chat.cwd, file));

describe.skipIf(!programsReady('external agents in the chat', names))(
  'singletree chat with a real program',
  { timeout: 60_000 },
  () => {
    beforeAll(() => installPrograms(names), 600_000);

    it('runs what a key approves in Claude Code, and gives its model the reason of a rejection', async () => {
      const scene = await start(
        'claude',
        byPrompt(claude, {
          'PROMPT-1': [
            [{ text: 'I **begin**.' }, ...bash('touch made.txt')],
            callTool('Write', { file_path: 'new.txt', content: 'hi\nthere\n' }),
            bash('rm -r src'),
            'Understood.',
          ],
        }),
      );
      scene.chat.type('PROMPT-1\r');
      await scene.enter('$ touch made.txt');
      expect(has(scene, 'made.txt')).toBe(false);
      expect(scene.screen()).toEqual([
        '· claude in $CWD · Enter sends, ? shows the keys',
        '',
        '› PROMPT-1',
        '',
        'I begin.',
        '',
        '⠋ Waiting for your answer',
        '▌ Run this command? (Bash)',
        '▌ $ touch made.txt',
        '▌ because: runs touch made.txt',
        '▌ y once · t this thread · c always · e edit · n reject · Esc later',
        '───',
        '›',
        'claude · Ask · 1 waiting · claude-sonnet-4-5 · Enter steers · Tab queues',
      ]);
      await scene.act('y', /▌ Write new\.txt\? \(Write\)\n▌ \+ hi\n▌ \+ there/);
      expect([has(scene, 'made.txt'), has(scene, 'new.txt')]).toEqual([true, false]);
      await scene.answer('Write new.txt?', 'y', '! deletes src');
      await scene.answer('$ rm -r src', 'n', 'reason for the agent');
      await scene.act('REASON-1 keep it\r', 'Understood.');
      expect(scene.hasAsked('REASON-1 keep it')).toBe(true);
      await scene.rest();
      expect(scene.screen()).toEqual([
        '· claude in $CWD · Enter sends, ? shows the keys',
        '',
        '› PROMPT-1',
        '',
        'I begin.',
        '',
        '• Ran $ touch made.txt · T',
        '(Bash completed with no output)',
        '• Wrote new.txt · +2 −0 · T',
        '+ hi',
        '+ there',
        '✗ Run $ rm -r src · denied · T',
        '  → Rejected: REASON-1 keep it',
        '',
        'Understood.',
        '',
        'T · 40 in, 14 out · $0',
        '───',
        '›',
        'claude · Ask · claude-sonnet-4-5 · $0',
      ]);
    });

    it('asks nothing that Claude Code does itself without asking, as a run does', async () => {
      const scene = await start(
        'claude',
        byPrompt(claude, { 'PROMPT-1': [callTool('Read', { file_path: 'notes.txt' }), 'Read it.'] }),
      );
      writeFileSync(join(scene.chat.cwd, 'notes.txt'), 'hello\n');
      scene.chat.type('PROMPT-1\r');
      await scene.chat.shows(/Read it\.|Waiting for your answer/);
      await scene.rest();
      expect(scene.screen().join('\n')).toMatch(/• Read notes\.txt .*\n\nRead it\./);
    });

    it('runs what a key approves in Codex, and offers no answers that it cannot take', async () => {
      const scene = await start(
        'codex',
        byPrompt(codex, {
          'PROMPT-1': [shell('touch made.txt'), codex.write?.('new.txt') ?? [], shell('rm x'), 'Done.'],
        }),
      );
      scene.chat.type('PROMPT-1\r');
      await scene.enter('$ touch made.txt');
      expect(scene.screen().slice(-7)).toEqual([
        '⠋ Waiting for your answer',
        '▌ Run this command? (command_execution)',
        '▌ $ touch made.txt',
        '▌ y once · t this thread · c always · n reject · Esc later',
        '───',
        '›',
        'codex · Ask · 1 waiting · Enter steers · Tab queues',
      ]);
      await scene.act('y', /▌ Write new\.txt\? \(file_change\)[^]*\+ hi/);
      expect([has(scene, 'made.txt'), has(scene, 'new.txt')]).toEqual([true, false]);
      await scene.answer('Write new.txt?', 'e', 'takes no changed input');
      await scene.act('y', '$ rm x');
      await scene.answer('$ rm x', 'n', 'reason for the agent');
      await scene.act('REASON-2 keep it\r', 'Done.');
      expect(has(scene, 'new.txt')).toBe(true);
      expect(scene.hasAsked('REASON-2 keep it')).toBe(true);
      await scene.rest();
      expect(scene.screen().join('\n')).toContain('✗ Run $ rm x · denied · T\n  → Rejected: REASON-2 keep it\n\nDone.');
    });

    it('plans, builds, steers, queues, stops, changes the agent, and resumes after kill -9', async () => {
      const [question = '', writePlan = '', plan = ''] = claude.planning?.turns ?? [];
      const scene = await start(
        'claude',
        byPrompt(claude, {
          'DAY-PLAN': [question, writePlan, plan, bash('touch painted.txt'), 'It is painted.'],
          'DAY-SLOW': [bash('touch slow && sleep 2'), 'I changed course.'],
          'DAY-QUEUED': ['The queued one is done.'],
          'DAY-LONG': [bash('touch slow && sleep 60')],
          'DAY-BACK': [bash('touch slow && sleep 3'), 'Done in the background.'],
          'DAY-OURS': [callTool('bash', { command: 'touch ours.txt' }), 'Ours is done.'],
          // The program may ask once more while it ends.
          'DAY-CRASH': [bash('touch late.txt'), 'After the crash.', 'After the crash.'],
        }),
      );
      const { chat } = scene;

      // The plan is carried out in the same turn; the mode changes with it.
      await scene.act('/model\r', 'as claude knows it');
      await scene.act('/mode plan\r', 'claude · Plan');
      await scene.act('DAY-PLAN\r', 'Which colour?');
      await scene.answer('2. Blue', '2', 'Approve this plan?');
      await scene.answer('1. paint it', 'y', '$ touch painted.txt');
      await chat.shows('claude · Ask');
      await scene.answer('$ touch painted.txt', 'y', 'It is painted.');
      expect(has(scene, 'painted.txt')).toBe(true);
      await scene.rest();
      expect(scene.screen().filter(line => line.startsWith('› '))).toEqual(['› DAY-PLAN']);

      // Claude Code itself asks nothing about a mere sleep. A message reaches the turn that runs; a queued one follows it; Escape stops a turn.
      await scene.act('DAY-SLOW\r', '$ touch slow && sleep 2');
      await scene.answer('$ touch slow && sleep 2', 'y', 'Running $ touch slow && sleep 2');
      await scene.act('STEER-1 look here\r', /[↪›] STEER-1 look here/);
      await scene.act('DAY-QUEUED\t', '1. DAY-QUEUED');
      await chat.shows('I changed course.');
      await chat.shows('The queued one is done.');
      expect(JSON.stringify(chat.server.requests.map(({ body }) => body))).toContain('STEER-1 look here');
      await scene.rest();
      await scene.act('DAY-LONG\r', '$ touch slow && sleep 60');
      await scene.answer('$ touch slow && sleep 60', 'y', 'Running $ touch slow && sleep 60');
      await scene.act('\u001b', '■ stopped');

      // Another agent in a new thread, while the turn of the first goes on.
      await scene.rest();
      await scene.act('DAY-BACK\r', '$ touch slow && sleep 3');
      await scene.answer('$ touch slow && sleep 3', 'y', 'Running $ touch slow && sleep 3');
      await scene.act('/agent\r', 'Enter starts a new thread');
      expect(scene.screen().join('\n')).toMatch(/claude \(this thread\) +Claude Code/);
      await scene.act('coder', /› coder +our coding agent/);
      await scene.act('\r', 'New thread with coder.');
      await chat.shows('Build · 1 in background');
      await scene.act('DAY-OURS\r', '$ touch ours.txt');
      await scene.answer('$ touch ours.txt', 'y', 'Ours is done.');
      expect(has(scene, 'ours.txt')).toBe(true);
      await scene.rest();
      await scene.act('/threads\r', 'Enter opens');
      await scene.act('PLAN', '› DAY-PLAN');
      await scene.act('\r', 'Done in the background.');
      await chat.shows('claude · Ask');

      // Killed with a request open: the call did not run, and Claude Code goes on in its session.
      await scene.rest();
      await scene.act('DAY-CRASH\r', /Run this command[^]*\$ touch late\.txt/);
      process.kill(chat.pid, 'SIGKILL');
      await chat.ended();
      chat.launch(['--resume', 'last']);
      await chat.shows('After the crash.');
      await scene.rest();
      expect(scene.hasAsked('These calls did not run')).toBe(true);
      expect(scene.hasAsked('DAY-PLAN')).toBe(true);
      expect(has(scene, 'late.txt')).toBe(false);
      expect(scene.screen().join('\n')).toMatch(
        /✗ Run \$ touch late\.txt · not run · T\n {2}→ Withdrawn: The call did not run: /,
      );
      await chat.shows('claude · Ask');
      await scene.act('\u0003', 'Ctrl+C again quits');
      chat.type('\u0003');
      await chat.ended();
      expect(chat.scrollback().join('\n')).toContain('Resume with: singletree chat claude --resume ');
    }, 120_000);
  },
);
