import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LoggedEvent } from '../../src/events/index.ts';
import { startScriptedServer } from '../../src/testing/index.ts';
import { bareEnvironment } from '../support/bare-environment.ts';
import { packedProject } from '../support/packed-project.ts';
import { installPrograms, programsReady, realProgram } from './support/real-program.ts';

const names = ['claude', 'codex', 'pi'];
const guide = readFileSync(fileURLToPath(new URL('../../docs/guides/hand-over-a-task.md', import.meta.url)), 'utf8');
const commands = [...guide.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].flatMap(([, block = '']) => block.trim().split('\n'));

/** What the model answers to the prompts of the guide. */
const answers: readonly (readonly [string, string])[] = [
  ['Find out why the tests fail.', 'The sum is wrong.'],
  ['Mend it.', 'It is mended.'],
  ['Is that right?', 'That is right.'],
  ['Try it another way.', 'Here is another way.'],
];

describe.skipIf(!programsReady('the guide to hand over a task', names))('the guide to hand over a task', () => {
  const cleanups: string[] = [];
  beforeAll(() => installPrograms(names), 600_000);
  afterAll(() => {
    for (const folder of cleanups) rmSync(folder, { recursive: true, force: true });
  });

  it('works as it is written, with the packed package and the real programs', { timeout: 240_000 }, async () => {
    const server = await startScriptedServer({
      script: ({ messages, toolNames }) => {
        const said = messages.flatMap(({ role, text }) => (role === 'user' ? [text] : [])).join('\n');
        const asked = answers.toSorted(([a], [b]) => said.lastIndexOf(b) - said.lastIndexOf(a))[0];
        return toolNames.length === 0 ? 'A title' : (asked?.[1] ?? '');
      },
    });
    try {
      const project = packedProject();
      const programs = names.map(name => realProgram(name, server.url));
      cleanups.push(project, ...programs.map(({ cwd }) => dirname(cwd)));
      const { HOME: _home, ...set } = Object.assign({}, ...programs.map(({ env }) => env)) as Record<string, string>;
      // A person has chosen a model in Pi.
      const chosen = { defaultProvider: 'fake', defaultModel: 'fake-model', retry: { enabled: false } };
      writeFileSync(join(set['PI_CODING_AGENT_DIR'] ?? '', 'settings.json'), JSON.stringify(chosen));
      const bin = join(project, 'bin');
      mkdirSync(bin);
      writeFileSync(join(bin, 'npx'), '#!/bin/sh\nexec "$@"\n');
      chmodSync(join(bin, 'npx'), 0o755);
      const folders = programs.map(({ executable = '' }) => dirname(executable));
      const PATH = [bin, join(project, 'node_modules/.bin'), ...folders, process.env['PATH']].join(delimiter);
      const env = { ...bareEnvironment(), ...set, PATH, HOME: project, SINGLETREE_HOME: join(project, '.singletree') };
      const cwd = join(project, 'task');
      mkdirSync(cwd);
      const run = async (command: string) =>
        (await promisify(execFile)('bash', ['-c', command], { cwd, env, timeout: 60_000 })).stdout;
      await run('git init -q && git -c user.name=A -c user.email=a@example.com commit -q --allow-empty -m Begin');

      expect(commands).toHaveLength(4);
      for (const [index, command] of commands.entries()) {
        const events = (await run('npx singletree show last --json').catch(() => ''))
          .split('\n')
          .flatMap(line => (line === '' ? [] : [JSON.parse(line) as LoggedEvent]));
        const firstAnswer = events.find(({ type }) => type === 'harness_end')?.seq;
        expect(await run(command.replace('MESSAGE', String(firstAnswer)))).toContain(answers[index]?.[1]);
        const sent = JSON.stringify(server.requests.at(-1)?.body);
        // The branch begins after the first answer.
        const before = index === 3 ? answers.slice(0, 1) : answers.slice(0, index);
        const places = [...before.flat(), answers[index]?.[0] ?? ''].map(text => sent.indexOf(text));
        expect(places.every(place => place >= 0)).toBe(true);
        expect(places).toEqual(places.toSorted((a, b) => a - b));
        if (index === 3) expect(sent).not.toContain('It is mended.');
      }
      expect(await run('npx singletree worktrees')).toMatch(/pi|worktree/);
    } finally {
      await server.close();
    }
  });
});
