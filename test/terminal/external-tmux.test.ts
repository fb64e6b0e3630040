import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { byPrompt } from '../cli-agents/scenarios/conversation.ts';
import { bash, claude } from '../cli-agents/scenarios/profiles/claude.ts';
import { codex, shell } from '../cli-agents/scenarios/profiles/codex.ts';
import { installPrograms, programsReady } from '../cli-agents/support/real-program.ts';
import { isInstalled } from '../support/services.ts';
import { ExternalScene } from './external-scene.ts';
import { useTmux } from './in-tmux.ts';

const names = ['claude', 'codex'];
const isReady = isInstalled('tmux') && programsReady('external agents in tmux', names);
const tmux = useTmux();
let scene: ExternalScene | undefined;
afterEach(async () => {
  await scene?.close();
  scene = undefined;
});

/** The screen without what differs from run to run, and what Codex prints on a machine without bubblewrap. */
const screen = (of: ExternalScene) =>
  of.chat
    .screen()
    .map(row => row.trimEnd())
    .filter(row => row !== '' && !/Enter sends|the keys|project|^─+$/.test(row))
    .join('\n')
    .replaceAll(/[\d.]+ (?:ms|s)\b/g, 'T')
    .replaceAll(/(?:< )?\$0\.\d+/g, '$0')
    .replace(/^[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] /m, '⠋ ')
    .replace('answer · T', 'answer')
    .replace(/^! [^]*bubblewrap in the meantime\.\n/m, '')
    .split('\n');

const cases = [
  {
    name: 'claude',
    script: byPrompt(claude, { 'PROMPT-1': [bash('touch made.txt'), 'It is **made**.'] }),
    question: [
      '▌ Run this command? (Bash)',
      '▌ $ touch made.txt',
      '▌ because: runs touch made.txt',
      '▌ y once · t this thread · c always · e edit · n reject · Esc later',
    ],
    waiting: 'claude · Ask · 1 waiting · claude-sonnet-4-5 · Enter steers · Tab queues',
    ran: ['• Ran $ touch made.txt · T', '(Bash completed with no output)'],
    end: ['T · 20 in, 7 out · $0', '›', 'claude · Ask · claude-sonnet-4-5 · $0'],
  },
  {
    name: 'codex',
    script: byPrompt(codex, { 'PROMPT-1': [shell('touch made.txt'), 'It is **made**.'] }),
    question: [
      '▌ Run this command? (command_execution)',
      '▌ $ touch made.txt',
      '▌ y once · t this thread · c always · n reject · Esc later',
    ],
    waiting: 'codex · Ask · 1 waiting · Enter steers · Tab queues',
    ran: ['• Ran $ touch made.txt · T'],
    end: ['T · 20 in, 5 out', '›', 'codex · Ask'],
  },
];

describe.skipIf(!isReady)('singletree chat with a real program in tmux', { timeout: 90_000 }, () => {
  beforeAll(() => installPrograms(names), 600_000);

  it.each(cases)(
    'asks, runs what a key approves, and answers: $name',
    async ({ name, script, question, waiting, ran, end }) => {
      scene = await ExternalScene.start(name, script, tmux);
      await scene.chat.say('PROMPT-1');
      await scene.enter('$ touch made.txt');
      const made = join(scene.chat.cwd, 'made.txt');
      expect(existsSync(made)).toBe(false);
      expect(screen(scene)).toEqual(['› PROMPT-1', '⠋ Waiting for your answer', ...question, '›', waiting]);
      await scene.act('y', 'It is made.');
      expect(existsSync(made)).toBe(true);
      await scene.rest();
      expect(screen(scene)).toEqual(['› PROMPT-1', ...ran, 'It is made.', ...end]);
    },
  );
});
