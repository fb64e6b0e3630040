import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runToEnd } from '../../src/agents/cli/sessions/run-to-end.ts';
import { cliAdapters } from '../../src/agents/cli/adapters/cli-adapters.ts';
import { cliAgent } from '../../src/agents/cli/agent/cli-agent.ts';
import { toWrittenMessages } from '../../src/agents/cli/sessions/written-session.ts';
import type { Message } from '../../src/projections/message.ts';
import { startScriptedServer } from '../../src/testing/index.ts';
import { installPrograms, isTried, programsReady, realProgram } from './support/real-program.ts';

const names = ['claude', 'codex', 'pi'];
const before: readonly Message[] = [
  { role: 'user', content: 'What is in notes.txt?' },
  {
    role: 'assistant',
    content: [
      { type: 'text', text: 'Let me look.' },
      { type: 'reasoning', text: 'Nobody else may read this.' },
      { type: 'tool_call', id: 'call_1', name: 'open_a_file', input: { file: 'notes.txt' } },
      { type: 'tool_call', id: 'call_2', name: 'run_a_line', input: { line: 'false' } },
    ],
  },
  {
    role: 'tool',
    content: [
      { type: 'tool_result', id: 'call_1', name: 'open_a_file', output: { context: 'the pelican\nthe heron' } },
      { type: 'tool_result', id: 'call_2', name: 'run_a_line', output: { error: 'exit code 1' } },
    ],
  },
  { role: 'assistant', content: [{ type: 'text', text: 'It has two lines.' }] },
];

describe.skipIf(!programsReady('sessions written for real programs', names))('a session that is written', () => {
  beforeAll(() => installPrograms(names), 600_000);
  const folders: string[] = [];
  afterAll(() => {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });

  it.each(names)(
    'is continued by the real %s: its model is sent every text, call and result',
    { timeout: 120_000 },
    async name => {
      const model = await startScriptedServer({ script: ['Two birds.'] });
      try {
        const { env = {}, cwd, ...options } = realProgram(name, model.url);
        folders.push(dirname(cwd));
        const messages = toWrittenMessages(before);
        const written = cliAdapters[name]?.session?.write({
          messages,
          cwd,
          time: Date.now() - 60_000,
          findFolder: () => cwd,
        });
        const [file] = written?.files ?? [];
        if (written === undefined || file === undefined) throw new Error('nothing was written');
        const place =
          name === 'codex' ? join(env['CODEX_HOME'] ?? '', 'sessions', 'written') : join(cwd, '..', 'written');
        mkdirSync(place, { recursive: true });
        const path = join(place, file.name);
        writeFileSync(path, file.text);
        const session = { id: name === 'codex' ? written.sessionId : path, known: before.length };
        const agent = cliAgent(name, { ...options, env, cwd, timeoutMs: 60_000 });
        const asked: Message[] = [...before, { role: 'user', content: 'Which animals?' }];
        const said: string[] = [];
        for await (const event of agent.invoke({ run: { runId: 'run' }, conversation: { messages: asked, session } }))
          if (event.type === 'text') said.push(event.content);
        expect(said.join('')).toContain('Two birds.');
        const sent = JSON.stringify(model.requests.at(-1)?.body);
        const order = [
          'What is in notes.txt?',
          'Let me look.',
          'open_a_file',
          'run_a_line',
          'the pelican',
          'exit code 1',
          'It has two lines.',
          'Which animals?',
        ].map(text => sent.lastIndexOf(text));
        expect(order.every(place => place >= 0)).toBe(true);
        expect(order).toEqual(order.toSorted((a, b) => a - b));
        expect(sent).not.toContain('Nobody else may read this.');
      } finally {
        await model.close();
      }
    },
  );
});

const importers = ['opencode', 'kilo'].filter(isTried);

describe.skipIf(importers.length === 0 || !programsReady('sessions without a model', importers))('a session of', () => {
  beforeAll(() => installPrograms(importers), 600_000);

  it.each(importers)(
    '%s without a known model is continued by the program with the model that it is given',
    { timeout: 180_000 },
    async name => {
      const server = await startScriptedServer({ script: ['Two birds.'] });
      const { executable = '', env = {}, cwd, model = '' } = realProgram(name, server.url);
      try {
        const messages = toWrittenMessages(before);
        const written = cliAdapters[name]?.session?.write({
          messages,
          cwd,
          time: 1_767_225_600_000,
          findFolder: () => cwd,
        });
        const path = join(cwd, 'taken-away.json');
        writeFileSync(path, written?.files[0]?.text ?? '');
        expect(written?.continueFrom(path)).toContain(`${name} --session ${written?.sessionId} --model PROVIDER/MODEL`);
        const environment = { PATH: process.env['PATH'] ?? '', ...env };
        const run = (...args: string[]) =>
          runToEnd({ executable, args, cwd, environment, signal: AbortSignal.timeout(90_000) });
        expect(await run('import', path)).toMatchObject({
          output: expect.stringContaining('Imported session') as string,
        });
        const asked = await run('run', '--session', written?.sessionId ?? '', '--model', model, 'Which animals?');
        expect(asked.problem).toBeUndefined();
        const sent = JSON.stringify(server.requests.at(-1)?.body);
        for (const text of [
          'What is in notes.txt?',
          'open_a_file',
          'the pelican',
          'It has two lines.',
          'Which animals?',
        ])
          expect(sent).toContain(text);
      } finally {
        await server.close();
        rmSync(dirname(cwd), { recursive: true, force: true });
      }
    },
  );
});
