import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import type { ModelScript } from '../../../src/agents/model/scripted/script.ts';
import { bash, kilo, opencode } from '../scenarios/profiles/serve.ts';
import { tryProgram } from '../scenarios/try-program.ts';
import { comparedEvents } from '../support/compared-events.ts';
import { callTool, LiveScene } from '../support/live-scene.ts';

/** Where a program keeps the person's own settings. */
function settingsFile(live: LiveScene, name: string): string {
  return join(dirname(live.options.cwd), '.config', name, `${name}.json`);
}

/** The person's own settings; the program itself adds the address of their schema. */
function settingsOf(live: LiveScene, name: string): Record<string, object> {
  const text = readFileSync(settingsFile(live, name), 'utf8');
  const { $schema: _, ...settings } = JSON.parse(text) as Record<string, object>;
  return settings;
}

async function scene(name: string, script: ModelScript, play: (scene: LiveScene) => Promise<void>): Promise<void> {
  const live = await LiveScene.open(name, script);
  opencode.prepare?.(live);
  try {
    await play(live);
  } finally {
    await live.close();
  }
}

for (const profile of [opencode, kilo])
  tryProgram(profile, name => {
    it('asks whatever its settings allow, and leaves them as they are', () =>
      scene(name, [bash('touch made.txt'), 'Done.'], async live => {
        const before = { ...settingsOf(live, name), permission: { bash: 'allow' } };
        writeFileSync(settingsFile(live, name), JSON.stringify(before));
        const run = await live.send('go');
        const relay = await live.relay();
        expect(relay).toMatchObject({ reason: 'runs touch made.txt' });
        await live.answer(relay, { outcome: 'approve', remember: 'thread' });
        expect((await live.finished(run)).outcome).toBe('complete');
        expect(settingsOf(live, name)).toEqual(before);
      }));

    it('gives the events of print mode', async () => {
      const script = () => [bash('echo one'), callTool('read', { filePath: 'notes.txt' }), bash('exit 3'), 'Done.'];
      const { print, live } = await comparedEvents(name, script);
      expect(live).toEqual(print);
    });

    it('reports its slash commands, and asks while one is executed', () =>
      scene(name, [bash('touch made.txt'), 'Hello.'], async live => {
        const command = { greet: { template: 'Greet $ARGUMENTS loudly.', description: 'greets somebody' } };
        writeFileSync(settingsFile(live, name), JSON.stringify({ ...settingsOf(live, name), command }));
        const run = await live.send('/greet the world');
        await live.answer(await live.relay(), { outcome: 'approve' });
        const { outcome, events } = await live.finished(run);
        expect(outcome).toBe('complete');
        const commands = events.flatMap(event => (event.type === 'session' ? (event.commands ?? []) : []));
        expect(commands).toContainEqual({ name: 'greet', description: 'greets somebody' });
        expect(JSON.stringify(live.requests()[0])).toContain('Greet the world loudly.');
      }));

    it('reports an error of the API, and refuses to run when its settings would not ask', () =>
      scene(
        name,
        () => ({ httpStatus: 400, message: 'scripted refusal' }),
        async live => {
          const { outcome, events } = await live.finished(await live.send('go'));
          expect(outcome).toBe('error');
          expect(events.filter(event => event.type === 'error').at(-1)).toMatchObject({
            message: expect.stringContaining('scripted refusal') as string,
            fatal: true,
          });
          await live.sessions.close();
          const settings = settingsOf(live, name);
          const agent = { ...settings['agent'], mine: { mode: 'primary', prompt: 'x', permission: { bash: 'allow' } } };
          writeFileSync(settingsFile(live, name), JSON.stringify({ ...settings, agent }));
          const refused = await live.finished(await live.send('again'));
          expect(refused.outcome).toBe('error');
          expect(refused.events.filter(event => event.type === 'error').at(-1)).toMatchObject({
            code: 'ask_policy',
            message: expect.stringContaining('bash (agent mine)') as string,
          });
        },
      ));
  });
