import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { fakeProgram } from './cli-agents/support/fake-program.ts';
import { builtCommand } from './support/command.ts';

const programs = dirname(fakeProgram());
const { home, singletree, withInput } = builtCommand(programs);
const untouched = builtCommand(programs);
const jsonLines = (text: string) =>
  text.split('\n').flatMap(line => (line === '' ? [] : [JSON.parse(line) as Record<string, unknown>]));
const said = (text: string) => text.trimEnd();

describe('singletree run', () => {
  it('gives the program its prompt, and what stands after --', () => {
    const { status, stdout } = singletree('run', 'codex', 'args', '--model', 'm', '--', '--flag', 'x');
    expect(status).toBe(0);
    expect(said(stdout)).toContain('"--flag","x","--","args"');
  });

  it('takes a prompt that begins with a dash after --', () => {
    expect(said(singletree('run', 'codex', '--', '-args').stdout)).toBe('5:-args');
  });

  it('reads the prompt from standard input when it is -', () => {
    expect(said(withInput('hello\n', 'run', 'codex', '-').stdout)).toBe('hello');
  });

  it('adds the variables it is given to the environment of the program', () => {
    const { stdout } = singletree('run', 'codex', 'env', '--env', 'ONE=1', '--env', 'TWO=2');
    expect(JSON.parse(said(stdout))).toMatchObject({ ONE: '1', TWO: '2' });
  });

  it('passes a variable of its own when only the name is given, and refuses one that is not set', () => {
    const { stdout } = singletree('run', 'codex', 'env', '--env', 'SINGLETREE_HOME');
    expect(JSON.parse(said(stdout))).toMatchObject({ SINGLETREE_HOME: home });
    const { status, stderr } = singletree('run', 'codex', 'env', '--env', 'NOT_SET_HERE');
    expect([status, stderr]).toEqual([2, expect.stringContaining('NOT_SET_HERE is not set here')]);
  });

  it('prints the thread and the record on stderr, so that it can be resumed', () => {
    const first = singletree('run', 'codex', 'hello');
    const [, thread = '', folder = ''] = /^thread (\S+)\nrecord (\S+)\n$/.exec(first.stderr) ?? [];
    expect(existsSync(join(folder, 'run.json'))).toBe(true);
    const second = singletree('run', 'codex', 'args', '--resume', thread);
    expect([second.status, said(second.stdout)]).toEqual([0, expect.stringContaining('"resume","s-1"')]);
    const third = singletree('run', 'codex', 'args', '--resume', 'last');
    expect(third.stderr).toContain(`thread ${thread}\n`);
  });

  it.each(['text', 'events'])('says with --output %s what was denied and what to do', output => {
    const answered = singletree('run', 'codex', 'denied', '--output', output, '--', '--answer');
    expect(answered.status, 'nobody was asked').toBe(1);
    expect(answered.stdout + answered.stderr).toMatch(
      /denied: command_execution(\. |\n)Run it on a terminal to be asked, allow it with rules/,
    );
    const ended = singletree('run', 'codex', 'denied', '--output', output);
    expect(ended.status).toBe(1);
    expect(ended.stdout + ended.stderr).toMatch(
      /Codex ended because command_execution was denied: not allowed\. Run it on a terminal to be asked/,
    );
  });

  it('prints only the answer on stdout', () => {
    expect(singletree('run', 'codex', 'hello').stdout).toBe('hello\n');
  });

  it.each([
    [['codex', 'fix', 'the', 'test'], /one argument.* singletree run codex "fix the test".* after --/s],
    [['codex', 'fix', 'the', 'test', '--', '--flag'], /"fix the test"/],
    [['codex', ''], /prompt is empty/],
    [['codex', ' \n'], /prompt is empty/],
    [['codex', '-'], /prompt is empty.*standard input/s],
    [['codex', 'hello', '--cwd', '/nope'], /--cwd.*'\/nope'.*a folder that exists/],
    [['codex', 'hello', '--cwd', fileURLToPath(import.meta.url)], /--cwd.*a folder that exists/],
    [['codex', 'hello', '--out', fileURLToPath(import.meta.url)], /--out.*is a file. Expected a folder/],
    [['codex', 'hello', '--out', join(fileURLToPath(import.meta.url), 'record')], /--out.*is a file/],
    [['codex', 'hello', '--model', ''], /--model.*expected a name/],
    [['codex', 'hello', '--bogus'], /--bogus/],
    [['codex', 'hello', '--timeout', '90'], /--timeout.*with its unit, such as 90s/],
    [['codex', 'hello', '--idle-timeout', '0s'], /--idle-timeout.*with its unit/],
  ])('refuses %j with exit code 2 and records nothing', (args, message) => {
    const { status, stdout, stderr } = untouched.singletree('run', ...args);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(message);
    expect(stderr).toContain('singletree run --help');
    expect(readdirSync(untouched.home)).toEqual([]);
  });

  it('stores nothing when the program is not installed', () => {
    const { status, stdout, stderr } = untouched.singletree('run', 'codex', 'hello', '--env', 'PATH=/nowhere');
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/Codex is not installed.*npm install -g @openai\/codex/);
    expect(readdirSync(untouched.home)).toEqual([]);
  });

  it('says where the id of a thread comes from when there is none of this id', () => {
    const { status, stdout, stderr } = singletree('run', 'codex', 'hello', '--resume', 'nope');
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/no thread "nope".*prints.*"thread/s);
  });

  it('stores nothing when the thread to resume is in no log', () => {
    expect(untouched.singletree('run', 'codex', 'hello', '--resume', 'nope').status).toBe(2);
    expect(readdirSync(untouched.home)).toEqual([]);
  });
});

describe('singletree translate', () => {
  const codex = '{"type":"thread.started","thread_id":"s"}\n{"type":"turn.started"}\n';

  it('prints what it understands and is silent about it', () => {
    const { status, stdout, stderr } = withInput(`noise\n${codex}`, 'translate', 'codex');
    expect([status, stderr]).toEqual([0, '']);
    expect(jsonLines(stdout).map(event => event['type'])).toEqual([
      'harness_start',
      'unknown',
      'session',
      'step_start',
      'harness_end',
    ]);
  });

  it.each(['events', 'activity'])(
    'prints %s of the output of another program, and says that it is not of this one',
    output => {
      const { status, stdout, stderr } = withInput(`${codex}\nnoise`, 'translate', 'claude', '--output', output);
      expect(status).toBe(1);
      expect(jsonLines(stdout).filter(event => event['type'] === 'unknown')).toHaveLength(3);
      expect(stderr).toMatch(
        /^singletree: None of the 3 lines was understood as output of claude\..* codex, claude, pi,.*\n$/,
      );
    },
  );

  it('takes plain text as a format of Antigravity', () => {
    const { status, stdout, stderr } = withInput('One.\nTwo.\n', 'translate', 'antigravity', '--output', 'activity');
    expect([status, stderr, jsonLines(stdout).map(({ raw }) => raw)]).toEqual([0, '', ['One.', 'Two.']]);
  });

  it.each(['', '\n\n'])('refuses an empty input: %j', input => {
    const { status, stdout, stderr } = withInput(input, 'translate', 'claude');
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/The saved stream is empty\. Expected the output of Claude Code, or the raw\.jsonl/);
  });

  it('reads the raw.jsonl of a run: the same activity, with its times', () => {
    const run = singletree('run', 'codex', 'hello', '--output', 'activity');
    const [, folder = ''] = /\nrecord (\S+)\n$/.exec(run.stderr) ?? [];
    const { status, stdout } = singletree('translate', 'codex', join(folder, 'raw.jsonl'), '--output', 'activity');
    expect([status, jsonLines(stdout)]).toEqual([0, jsonLines(run.stdout)]);
  });

  it.each(['crash', 'refuse'])('reads the raw.jsonl of a failed run, with its end: %s', prompt => {
    const run = singletree('run', 'codex', prompt, '--output', 'events');
    const [, folder = ''] = /\nrecord (\S+)\n$/.exec(run.stderr) ?? [];
    const { status, stdout } = singletree('translate', 'codex', join(folder, 'raw.jsonl'));
    const ends = [stdout, run.stdout].map(text =>
      jsonLines(text)
        .slice(-2)
        .map(({ type, message, code, reason }) => ({ type, message, code, reason })),
    );
    expect([status, ends[0]]).toEqual([0, ends[1]]);
    expect(ends[0]).toMatchObject([{ type: 'error' }, { type: 'harness_end', reason: 'error' }]);
  });

  it('points to its own help', () => {
    const { status, stderr } = singletree('translate', 'bogus');
    expect([status, stderr]).toEqual([2, expect.stringContaining('singletree translate --help')]);
  });
});
