import { spawnSync } from 'node:child_process';
import { dirname } from 'node:path';
import { expect, vi } from 'vitest';
import { processesIn } from '../../support/killed-owner.ts';
import type { LiveScene } from '../../support/live-scene.ts';
import { byPrompt } from '../conversation.ts';
import type { Play } from '../play.ts';

const isCommand = (line: string) => /slow\.sh|sleep/.test(line);

/** Sends a prompt and approves its call; returns when its command runs. */
async function startCommand(live: LiveScene, prompt: string, n: number) {
  const run = await live.send(prompt);
  await live.answer(await live.relay(n), { outcome: 'approve' });
  await vi.waitFor(() => expect(commandsIn(live)).not.toEqual([]), 60_000);
  return run;
}

const commandsIn = (live: LiveScene) => processesIn(dirname(live.options.cwd), isCommand);

export const stops: readonly Play[] = [
  {
    name: 'leaves no command running after an abort and after it was killed',
    scenarios: ['stopped', 'crashed'],
    once: true,
    needsProc: true,
    script: profile =>
      byPrompt(profile, {
        'PROMPT-1': [profile.shell('bash slow.sh 600 late.txt'), 'Late.'],
        'PROMPT-2': [profile.shell('bash slow.sh 601 late.txt'), 'Late.'],
        'PROMPT-3': ['Usable.'],
      }),
    play: async live => {
      const aborted = await startCommand(live, 'PROMPT-1', 1);
      await live.supervisor.abort(aborted.runId);
      expect((await live.finished(aborted)).outcome).toBe('aborted');
      expect(commandsIn(live)).toEqual([]);

      const killed = await startCommand(live, 'PROMPT-2', 2);
      const program = processesIn(dirname(live.options.cwd), line => !isCommand(line));
      spawnSync('kill', ['-KILL', ...program]);
      expect((await live.finished(killed)).outcome).toBe('error');
      expect(commandsIn(live)).toEqual([]);

      const { outcome, events } = await live.finished(await live.send('PROMPT-3'));
      expect(outcome).toBe('complete');
      const ended = new Set(events.flatMap(event => (event.type === 'tool_result' ? [event.id] : [])));
      expect(events.filter(event => event.type === 'tool_call' && !ended.has(event.id))).toEqual([]);
      expect(live.has('late.txt')).toBe(false);
    },
  },
];
