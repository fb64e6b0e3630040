import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cliAgent } from '../../src/agents/cli/agent/cli-agent.ts';
import { SqliteLog } from '../../src/log/index.ts';
import { startScriptedServer } from '../../src/testing/index.ts';
import { builtCommand } from '../support/command.ts';
import { installPrograms, programsReady, realProgram } from './support/real-program.ts';

const names = ['claude', 'codex', 'pi'];

describe.skipIf(!programsReady('the import of sessions of real programs', names))('a session of a real program', () => {
  beforeAll(() => installPrograms(names), 600_000);
  const folders: string[] = [];
  afterAll(() => {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });

  it.each(names)(
    'of %s is found, searched, followed while it continues, and a branch once both continue',
    { timeout: 120_000 },
    async name => {
      const model = await startScriptedServer({
        script: ['The badger sleeps.', 'The heron fishes.', 'The fox hides.'],
      });
      const { env = {}, cwd, ...options } = realProgram(name, model.url);
      folders.push(dirname(cwd));
      let sessionId: string | undefined;
      const say = async (content: string) => {
        const agent = cliAgent(name, { ...options, env, cwd, timeoutMs: 60_000 });
        const session = sessionId === undefined ? {} : { session: { id: sessionId, known: 0 } };
        const conversation = { messages: [{ role: 'user' as const, content }], ...session };
        for await (const event of agent.invoke({ run: { runId: content }, conversation }))
          if (event.type === 'session') ({ sessionId } = event);
      };
      const { singletree, start, home } = builtCommand(undefined, env);
      const db = ['--db', join(home, 'history.db')];
      /** What was said in each thread. */
      const texts = async () => {
        const log = await SqliteLog.open(join(home, 'history.db'));
        const threads = await Promise.all((await log.listThreads()).map(({ id }) => log.read(id, { limit: 1_000 })));
        await log.close();
        return threads.map(events =>
          events.flatMap(event => (event.type === 'user' || event.type === 'text' ? [event.content] : [])),
        );
      };
      try {
        await say('What does the badger do?');
        expect(singletree('import', ...db).stdout).toContain('What does the badger do?');
        expect(singletree('import', name, '--all', ...db).stdout).toContain('1 imported.');
        expect(singletree('search', 'badger sleeps', ...db).stdout).toContain('The badger sleeps.');
        const first = await texts();
        expect(first).toEqual([['What does the badger do?', 'The badger sleeps.']]);

        const [, threadId = ''] = /"id":"([^"]+)"/.exec(singletree('threads', '--json', ...db).stdout) ?? [];
        const watching = start('import', name, '--all', '--watch', ...db);
        const added = new Promise<void>(resolve =>
          watching.stdout.on('data', (chunk: Buffer) => chunk.includes('events added') && resolve()),
        );
        const stopped = new Promise(resolve => watching.once('exit', resolve));
        await say('And the heron?');
        await added;
        watching.kill('SIGINT');
        expect(await stopped).toBe(0);
        const second = [...first.flat(), 'And the heron?', 'The heron fishes.'];
        expect(await texts()).toEqual([second]);
        expect(singletree('search', 'heron fishes', ...db).stdout).toContain('The heron fishes.');

        singletree('run', 'demo', 'Continue here.', '--resume', threadId, ...db);
        await say('And the fox?');
        expect(singletree('import', name, '--all', ...db).stdout).toContain('1 branched.');
        const [branch, thread] = await texts();
        expect(branch).toEqual([...second, 'And the fox?', 'The fox hides.']);
        expect(thread?.slice(0, second.length + 1)).toEqual([...second, 'Continue here.']);
      } finally {
        await model.close();
      }
    },
  );
});
