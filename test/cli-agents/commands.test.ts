import { describe, expect, it } from 'vitest';
import { cliAdapters } from '../../src/agents/cli/adapters/cli-adapters.ts';
import type { CliAdapter } from '../../src/agents/cli/contract/cli-adapter.ts';
import { findProgram } from '../../src/agents/cli/agent/find-program.ts';
import { agentTable } from '../../src/cli/agents.ts';
import { duration } from '../../src/cli/command-options.ts';
import { durationText } from '../../src/projections/presentation/wording.ts';
import { fakeProgram } from './support/fake-program.ts';

const command = (agent: string, request: object) =>
  (cliAdapters[agent] as CliAdapter).command({ prompt: 'do it', ...request });

describe('the command lines of the agents', () => {
  it('are these', () => {
    expect(command('codex', {}).args.join(' ')).toBe('exec --json --skip-git-repo-check -- do it');
    expect(command('claude', { sessionId: 's', yolo: true, model: 'm', extraArgs: ['--x'] }).args.join(' ')).toBe(
      '--print --output-format stream-json --verbose --model m --resume s --dangerously-skip-permissions --x -- do it',
    );
    expect(command('pi', { model: 'm', sessionId: 's' }).args.join(' ')).toBe(
      '--mode json --print --model m --session s do it',
    );
  });

  it('pass by the input what cannot be an argument', () => {
    const long = 'x'.repeat(200_000);
    for (const agent of ['codex', 'claude', 'pi']) {
      expect(command(agent, { prompt: long })).toMatchObject({ input: long });
      expect(command(agent, { prompt: long }).args).not.toContain(long);
    }
    expect(command('pi', { prompt: '--help' })).toMatchObject({ input: '--help' });
    expect(command('pi', { prompt: '@file' })).toMatchObject({ input: '@file' });
  });
});

describe('the list of agents', () => {
  const codex = cliAdapters['codex'] as CliAdapter;
  const surroundings = { home: '/nowhere', timeoutMs: 10_000 };

  it('has these', () => {
    expect(Object.keys(cliAdapters)).toEqual([
      'codex',
      'claude',
      'pi',
      'opencode',
      'kilo',
      'cline',
      'goose',
      'antigravity',
      'gemini',
      'copilot',
      'qwen',
    ]);
  });

  it('finds what is installed and whether somebody is logged in', async () => {
    const path = fakeProgram();
    const env = { PATH: `${path.replace(/\/codex$/, '')}:${process.env['PATH']}`, OPENAI_API_KEY: 'k' };
    expect(await findProgram(codex, { env, ...surroundings })).toMatchObject({ path, hasCredentials: true });
    expect(await findProgram(codex, { env: { PATH: '/nowhere' }, ...surroundings })).toEqual({ hasCredentials: false });
  });

  it('says how to install what is missing', () => {
    const lines = agentTable([{ known: codex, found: { hasCredentials: false } }]);
    expect(lines).toEqual([
      'codex  not installed  no credentials found  app-server  asks, questions, plans, steer, resume, fork',
      '',
      'To install:',
      '  Codex: npm install -g @openai/codex',
    ]);
  });
});

describe('times', () => {
  it.each([
    ['90s', 90_000],
    ['10m', 600_000],
    ['1.5h', 5_400_000],
    ['250ms', 250],
  ])('%s is %d ms', (text, expected) => expect(duration(text)).toBe(expected));

  it.each(['', '30', 'soon', '-1s', '0', '100000h', '5 minutes'])('%j is refused', text =>
    expect(() => duration(text)).toThrow('such as 90s'),
  );

  it('are reported as people say them', () => {
    expect([250, 12_340, 245_000].map(durationText)).toEqual(['250 ms', '12.3 s', '4 min 5 s']);
  });
});
