import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LoggedEvent } from '../../src/events/index.ts';
import { HandOverScene, newSessions, turns } from './support/hand-over-scene.ts';
import { installPrograms, isTried, programPackage, programsReady } from './support/real-program.ts';

const takers = ['claude', 'codex', 'pi', 'opencode', 'kilo', 'goose', 'cline', 'gemini'];
const names = takers.filter(isTried);
const all = [...names, 'own'];
/** The pairs of three programs are tried with every change; all of them on demand. */
const isOnDemand = names.some(name => !['claude', 'codex', 'pi'].includes(name));
const page = fileURLToPath(new URL('../../docs/agents/hand-over.md', import.meta.url));

describe.skipIf(!isOnDemand || !programsReady('hand over between all programs', names))('every program', () => {
  let scene: HandOverScene;
  /** What each pair keeps, by `from to`. */
  const kept = new Map<string, string>();
  beforeAll(async () => {
    await installPrograms(names);
    scene = await HandOverScene.open();
  }, 600_000);
  afterAll(async () => {
    if (process.env['SINGLETREE_MATRIX'] === 'write') writeFileSync(page, formatMatrix(kept));
    await scene.close();
  });

  describe.each(all)('hands its conversation over: %s', from => {
    let last = 0;
    const threadId = `from-${from}`;
    beforeAll(async () => {
      scene.threadId = threadId;
      await scene.log.createThread({ id: threadId });
      const { outcome } = await scene.turn(from, 1);
      expect(outcome).toBe('complete');
      last = (await scene.log.read(threadId)).length;
    }, 180_000);

    it.each(all)('to %s', { timeout: 180_000 }, async to => {
      scene.threadId = (await scene.log.branch(threadId, last)).id;
      const { asked, events, outcome } = await scene.turn(to, 2);
      // Gemini reports no output of commands over its channel.
      const hasOutput = from !== 'gemini';
      const heard = hasOutput ? asked : asked.map(line => (noOutput.test(line) ? 'result 1: output-1' : line));
      expect(heard, problems(events)).toEqual([...turns([1]), 'user: LOOK-2']);
      expect(newSessions(events)).toEqual([]);
      expect(outcome).toBe('complete');
      kept.set(`${from} ${to}`, hasOutput ? 'all' : 'all but outputs');
    });
  });
});

const noOutput = /^result 1: (|\(no output\)|\{"output":"\(no output\)"\})$/;

function problems(events: readonly LoggedEvent[]): string {
  return events
    .flatMap(event => (event.type === 'warning' || event.type === 'error' ? [event.message] : []))
    .join('; ');
}

function formatMatrix(kept: ReadonlyMap<string, string>): string {
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [
    '# Which agent can hand over to which',
    '',
    'Written by `npm run live:handoff`: each program works for one turn against a scripted model, with a text, a call, its result',
    'and another text. Another one continues. "all": its next model request had all of it, in order, as messages of its own session.',
    '`own` is an agent of this package. How to do it: [hand over a task](../guides/hand-over-a-task.md).',
    '',
    row(['from \\ to', ...all]),
    row(['---', ...all.map(() => '---')]),
    ...all.map(from => row([from, ...all.map(to => kept.get(`${from} ${to}`) ?? 'failed')])),
    '',
    '"all but outputs": Gemini CLI reports no output of commands over its channel, and the next agent reads "(no output)" for them.',
    '',
    `Versions: ${names.map(name => `\`${programPackage(name)}\``).join(', ')}.`,
    '',
  ].join('\n');
}
