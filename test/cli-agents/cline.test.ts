import { fileURLToPath } from 'node:url';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cliAgent } from '../../src/agents/cli/agent/cli-agent.ts';
import type { CliAgentOptions } from '../../src/agents/cli/agent/cli-agent-options.ts';
import { clineCommand } from '../../src/agents/cli/adapters/cline/command.ts';
import type { AgentEvent } from '../../src/events/index.ts';
import { activity, failure as fatal, translated } from './translated.ts';

const event = (value: object) => ({ type: 'agent_event', event: value });
const hook = (hookEventName: string, agentId: string, parentAgentId: string | null = null) => ({
  type: 'hook_event',
  hookEventName,
  agentId,
  taskId: 'never a session',
  parentAgentId,
});
const iteration = (number: number) => event({ type: 'iteration_start', iteration: number });
const start = (toolName: string, input: unknown, toolCallId = '1') =>
  event({ type: 'content_start', contentType: 'tool', toolName, toolCallId, input });
const end = (output: unknown, toolCallId = '1', more = {}) =>
  event({ type: 'content_end', contentType: 'tool', toolCallId, output, ...more });
const delta = (text: string, accumulated: string) =>
  event({ type: 'content_start', contentType: 'text', text, accumulated });
const whole = (text: string) => event({ type: 'content_end', contentType: 'text', text });
const result = (finishReason: string, more = {}) => ({ type: 'run_result', finishReason, iterations: 2, ...more });
const team = (value: object) => ({ type: 'team_event', event: value });
const item = (success: boolean, more = {}) => ({ query: 'q', result: '', success, ...more });
const failure = (message: string, recoverable: boolean) =>
  event({ type: 'error', error: { name: 'Error', message }, recoverable });
const said = (...records: unknown[]) =>
  translated('cline', ...records).flatMap(made => (made.type === 'text' ? [`${made.runId}: ${made.content}`] : []));

describe('Cline', () => {
  it('maps every tool of the table', () => {
    const patch = '*** Begin Patch\n*** Add File: a\n+1\n*** Delete File: /b\n*** End Patch';
    const rows: [string, unknown, ...object[]][] = [
      ['run_commands', { commands: ['cat a'] }, { type: 'command', command: 'cat a' }],
      ['run_commands', { commands: 'make' }, { type: 'command', command: 'make' }],
      ['run_commands', { commands: [{ command: 'make' }] }, { type: 'command', command: 'make' }],
      ['execute_command', { command: 'make' }, { type: 'command', command: 'make' }],
      ['bash', { command: 'make' }, { type: 'command', command: 'make' }],
      [
        'read_files',
        { files: [{ path: '/a', start_line: 2, end_line: null }, '/b'] },
        { type: 'read', path: '/a', startLine: 2 },
        { type: 'read', path: '/b' },
      ],
      ['read_file', { path: 'a', end_line: 3 }, { type: 'read', path: 'a', endLine: 3 }],
      ['editor', { path: '/a', new_text: 'secret', insert_line: 2 }, { type: 'write', path: '/a' }],
      ['write_to_file', { path: '/a', content: 'secret' }, { type: 'write', path: '/a' }],
      ['replace_in_file', { path: '/a' }, { type: 'write', path: '/a' }],
      ['new_rule', { path: '/a' }, { type: 'write', path: '/a' }],
      ['apply_patch', { input: patch }, { type: 'write', path: 'a' }, { type: 'write', path: '/b' }],
      ['search_codebase', { queries: ['x', 'y'] }, { type: 'search', query: 'x' }, { type: 'search', query: 'y' }],
      ['search_files', { path: '/w', regex: 'x' }, { type: 'search', query: 'x', path: '/w' }],
      ['list_files', { path: '/w' }, { type: 'list', path: '/w' }],
      ['skills', { skill: 'demo' }, { type: 'skill', path: 'skills/demo/SKILL.md', skillName: 'demo' }],
      ['use_skill', { name: 'demo' }, { type: 'skill', path: 'skills/demo/SKILL.md', skillName: 'demo' }],
    ];
    for (const [name, input, ...expected] of rows) {
      expect(activity('cline', start(name, input), end('done'))).toEqual(
        expected.map(operation => ({ ...operation, isSuccess: true })),
      );
      expect(activity('cline', start(name, input))).toEqual(expected);
    }
  });

  it('leaves other tools, and calls that ask for nothing, unknown', () => {
    for (const record of [
      start('ask_question', { question: 'Which?' }),
      start('demo__echo', {}),
      start('fetch_web_content', { requests: [] }),
      start('team_status', {}),
      start('constructor', {}),
      start('read_files', { files: [] }),
      start('run_commands', {}),
      start('search_codebase', { queries: [7] }),
      start('editor', {}),
    ])
      expect(activity('cline', record, end([]))).toEqual([{ type: 'unknown', raw: end([]) }]);
  });

  it('reports a batch as one success when every item succeeded, with the exit code of each item', () => {
    const outcomes = (output: unknown, more = {}) =>
      activity('cline', start('run_commands', { commands: ['a', 'b'] }), end(output, '1', more)).map(
        ({ type: _type, command: _command, ...outcome }: Record<string, unknown>) => outcome,
      );
    const failed = { isSuccess: false };
    const exit = { error: 'Command exited with code 4' };
    expect(outcomes([item(true), item(false, exit)])).toEqual([failed, { ...failed, exitCode: 4 }]);
    expect(outcomes([item(true), item(true)])).toEqual([{ isSuccess: true }, { isSuccess: true }]);
    expect(outcomes([item(false, exit), item(false)])).toEqual([{ ...failed, exitCode: 4 }, failed]);
    expect(outcomes([item(false), item(false)])).toEqual([failed, failed]);
    expect(outcomes([item(false)])).toEqual([failed, failed]);
    expect(outcomes([item(true), item(true), item(false)])).toEqual([failed, failed]);
    expect(outcomes({ error: 'rejected' }, { error: '{"error":"rejected"}' })).toEqual([failed, failed]);
    expect(outcomes({ success: false, result: 'no' })).toEqual([failed, failed]);
  });

  it('reports what tools gave back, whatever its form', () => {
    const output = (name: string, value: unknown, more = {}) =>
      translated('cline', start(name, {}), end(value, '1', more)).flatMap(made =>
        made.type === 'tool_result' ? [made.output] : [],
      );
    expect(output('editor', { query: 'q', result: 'Edited', success: true })).toEqual([{ context: 'Edited' }]);
    expect(output('editor', { result: '', error: 'no', success: false })).toEqual([{ error: 'no' }]);
    expect(output('demo__fail', { content: [{ type: 'text', text: 'no' }], isError: true })).toEqual([{ error: 'no' }]);
    expect(output('skills', 'Skill "x" not found.')).toEqual([{ error: 'Skill "x" not found.' }]);
    expect(output('ask_question', 'red')).toEqual([{ context: 'red' }]);
    expect(output('x', undefined)).toEqual([{ context: '' }]);
    expect(output('run_commands', [])).toEqual([{ context: [], result: { items: [] } }]);
    expect(output('run_commands', { error: 'Tool "run_commands" requires approval in a TTY session' })).toMatchObject([
      { status: 'denied' },
    ]);
  });

  it('writes text once, whether it was streamed, partly streamed or streamed otherwise', () => {
    const opened = iteration(1);
    expect(said(opened, whole('hello'))).toEqual(['r: hello']);
    expect(said(opened, delta('hel', 'hel'), delta('lo', 'hello'), whole('hello'))).toEqual(['r: hel', 'r: lo', 'r: ']);
    expect(said(opened, delta('hel', 'hel'), whole('hello'))).toEqual(['r: hel', 'r: lo']);
    expect(said(opened, delta('x', 'x'), whole('hello'))).toEqual(['r: x', 'r: hello']);
  });

  it('writes the whole text, whatever part of it was streamed in whatever pieces', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), fc.string(), (pieces, rest) => {
        const deltas = pieces.map((piece, index) => delta(piece, pieces.slice(0, index + 1).join('')));
        const text = `${pieces.join('')}${rest}`;
        const written = said(iteration(1), ...deltas, whole(text)).map(line => line.slice('r: '.length));
        expect(written.join('')).toBe(text);
      }),
    );
  });

  it('takes a session from the fields for it, and never the id of a task', () => {
    const sessions = (...records: unknown[]) =>
      translated('cline', ...records).flatMap(made => (made.type === 'session' ? [made.sessionId] : []));
    expect(sessions({ type: 'run_start', sessionId: 'a' }, { type: 'run_start', session_id: 'b' })).toEqual(['a']);
    expect(sessions({ type: 'run_start', id: 'c' })).toEqual(['c']);
    expect(sessions(hook('agent_start', 'a1'), { type: 'task_started', taskId: '1' })).toEqual([]);
  });

  it('pairs a result with the one call that has its id', () => {
    expect(activity('cline', end('x'))).toEqual([{ type: 'unknown', raw: end('x') }]);
    const twice = [start('bash', { command: 'a' }), start('bash', { command: 'b' }), end('x')];
    expect(activity('cline', ...twice).map(({ type }) => type)).toEqual(['unknown', 'command', 'command']);
  });

  it('reports a failure once, and a failed call not as a failure of the run', () => {
    const events = translated(
      'cline',
      failure('1 tool call(s) failed: [x]', true),
      failure('refused', false),
      result('error', { text: 'refused' }),
    );
    expect(events).toMatchObject(fatal({ message: 'refused' }));
    expect(translated('cline', failure('failed: [x]', true), result('completed'))).toEqual([]);
  });

  it('says why a run stopped that did not complete', () => {
    const aborted = { type: 'run_aborted', reason: 'external_abort', message: 'aborted by another client' };
    expect(translated('cline', failure('failed: [x]', true), result('aborted'), aborted)).toMatchObject(
      fatal({ message: 'Cline stopped (aborted) after 2 iterations: failed: [x]', code: 'aborted' }),
    );
    expect(translated('cline', aborted)).toMatchObject(fatal({ message: 'aborted by another client' }));
  });

  it('counts the usage of each model call once, with its cost when there is one', () => {
    const usage = (more: object) => event({ type: 'usage', inputTokens: 10, outputTokens: 2, ...more });
    const totals = { inputTokens: 20, outputTokens: 4, totalCost: 0.5 };
    const counted = (...records: unknown[]) =>
      translated('cline', ...records).flatMap(made => (made.type === 'usage' ? [[made.inputTokens, made.cost]] : []));
    const first = usage({ totalInputTokens: 10, totalOutputTokens: 2, cost: 0.2, totalCost: 0.2 });
    const second = usage({ totalInputTokens: 20, totalOutputTokens: 4, totalCost: 0.2 });
    expect(counted(first, second, result('completed', { usage: totals }))).toEqual([
      [10, 0.2],
      [10, undefined],
    ]);
    expect(counted(result('completed', { usage: totals }))).toEqual([[20, 0.5]]);
  });
});

describe('Subagents of Cline', () => {
  const spawn = (id: string) => start('spawn_agent', { task: 't' }, id);
  const answer = (text: string) => event({ type: 'done', reason: 'completed', text });
  const two = [hook('agent_start', 'm'), iteration(1), hook('tool_call', 'm'), hook('tool_call', 'm')];
  const both = [...two, spawn('1'), spawn('2'), hook('agent_start', 'a', 'm'), hook('agent_start', 'b', 'm')];

  it('are runs of their own, caused by their calls', () => {
    const events = translated('cline', ...both, hook('agent_end', 'b'), answer('B.'), end({ text: 'B.' }, '2'));
    expect(events.filter(({ type }) => type.startsWith('harness'))).toMatchObject([
      { type: 'harness_start', runId: 'r/a/run', parentId: 'r/1' },
      { type: 'harness_start', runId: 'r/b/run', parentId: 'r/2' },
      { type: 'harness_end', runId: 'r/b/run', reason: 'complete' },
      { type: 'harness_end', runId: 'r/a/run', reason: 'interrupted' },
    ]);
    expect(events.find(({ type }) => type === 'text')).toMatchObject({ runId: 'r/b/run', content: 'B.' });
  });

  it('speak in one stream, and each word is its own', () => {
    const calls = [hook('tool_call', 'b'), start('bash', { command: 'b' }), hook('tool_result', 'b'), end('x')];
    const events = [...both, iteration(1), iteration(1), ...calls, iteration(2), delta('One', 'One')];
    const words = [delta('Two ', 'Two '), delta(' of a', 'One of a'), delta('of b', 'Two of b')];
    expect(said(...events, ...words)).toEqual(['r/a/run: One', 'r/b/run: Two ', 'r/a/run:  of a', 'r/b/run: of b']);
    expect(translated('cline', ...events).find(({ type }) => type === 'tool_call')).toMatchObject({ runId: 'r' });
    expect(translated('cline', ...events).findLast(({ type }) => type === 'tool_result')).toMatchObject({
      id: 'r/b/run/1',
    });
  });

  it('fail without failing the run', () => {
    const failed = [hook('agent_error', 'a'), failure('refused', false)];
    const ended = end({ text: 'refused', finishReason: 'error' });
    expect(activity('cline', ...both, ...failed, ended, whole('Go on.')).slice(2)).toMatchObject([
      { action: 'subagent_failed', subagentId: 'a', isSuccess: false },
      { type: 'agent', message: 'Go on.' },
    ]);
  });

  it('that could not start are reported by their call', () => {
    const denied = end({ error: 'Tool "spawn_agent" requires approval' });
    const later = [spawn('2'), hook('agent_start', 'a', 'm')];
    expect(translated('cline', spawn('1'), denied, ...later)).toContainEqual(
      expect.objectContaining({ type: 'harness_start', parentId: 'r/2' }),
    );
    expect(activity('cline', spawn('1'), denied)).toEqual([
      { type: 'orchestration', action: 'subagent_failed', isSuccess: false },
    ]);
  });

  it('are teammates too: each task is a run, and its usage is counted once', () => {
    const work = (value: object) => team({ type: 'agent_event', agentId: 'mate', event: value });
    const usage = { type: 'usage', inputTokens: 5, outputTokens: 1, totalInputTokens: 5, totalOutputTokens: 1 };
    const main = { type: 'usage', inputTokens: 9, outputTokens: 9, totalInputTokens: 9, totalOutputTokens: 9 };
    const task = [team({ type: 'task_start', agentId: 'mate' }), event(usage), work(usage)];
    const done = team({ type: 'task_end', agentId: 'mate', status: 'completed', result: { text: 'Done.' } });
    const events = translated('cline', event(main), start('team_run_task', { agentId: 'mate' }), ...task, done);
    expect(events.filter(({ type }) => !type.startsWith('tool'))).toMatchObject([
      { type: 'usage', runId: 'r' },
      { type: 'harness_start', runId: 'r/mate/run', parentId: 'r/1', agentId: 'mate' },
      { type: 'usage', runId: 'r/mate/run' },
      { type: 'text', runId: 'r/mate/run', content: 'Done.' },
      { type: 'harness_end', runId: 'r/mate/run', reason: 'complete' },
    ]);
    const failed = team({ type: 'task_end', agentId: 'mate', status: 'failed', result: { text: 'No.' } });
    expect(translated('cline', ...task, failed).at(-1)).toMatchObject({ type: 'harness_end', reason: 'error' });
  });
});

describe('Cline before version 3', () => {
  const say = (kind: string, text: unknown = '', more = {}) => ({
    type: 'say',
    say: kind,
    text: typeof text === 'string' ? text : JSON.stringify(text),
    ...more,
  });
  const ask = (kind: string, text: string) => ({ type: 'ask', ask: kind, text });

  it('says text, answers and questions', () => {
    const question = ask('followup', '{"question":"Which one?","options":["red"]}');
    const messages = activity(
      'cline',
      say('reasoning', 'hm'),
      say('text', 'One', { partial: true }),
      say('text', 'One.'),
      question,
      ask('followup', 'plain'),
      say('completion_result', 'Two.'),
    );
    expect(messages).toEqual(['One.', 'Which one?', 'plain', 'Two.'].map(message => ({ type: 'agent', message })));
  });

  it('calls tools whose outcome the next request reports; they stay unknown in the activity', () => {
    const command = say('command', 'exit 3');
    const request = `[execute_command for 'exit 3'] Result:\nCommand failed with exit code 3.\n\n\n<environment_details>`;
    const records = [command, ask('command_output', 'oops'), say('api_req_started', { request })];
    expect(translated('cline', ...records)).toMatchObject([
      { type: 'tool_call', name: 'command', input: { command: 'exit 3' } },
      { type: 'tool_result', output: { context: 'Command failed with exit code 3.', result: { exitCode: 3 } } },
      { type: 'step_start' },
      { type: 'unknown', raw: records[2] },
    ]);
    expect(activity('cline', ...records)).toEqual([
      { type: 'unknown', raw: command },
      { type: 'unknown', raw: records[2] },
    ]);
    expect(translated('cline', command, ask('command_output', 'oops')).at(-1)).toMatchObject({
      output: { context: 'oops' },
    });
    const read = say('tool', { tool: 'readFile', path: 'a' });
    expect(translated('cline', read)).toMatchObject([{ name: 'readFile', input: { path: 'a' } }]);
    expect(activity('cline', read)).toEqual([{ type: 'unknown', raw: read }]);
  });

  it('counts the usage of a request, which is reported a second time with it', () => {
    const usage = { request: 'x', tokensIn: 5, tokensOut: 2, cacheReads: 3, cost: 0.1 };
    const reported = [say('api_req_started', { request: 'x' }, { ts: 1 }), say('api_req_started', usage, { ts: 1 })];
    expect(translated('cline', ...reported)).toMatchObject([
      { type: 'step_start', step: 0 },
      { type: 'unknown' },
      { type: 'usage', inputTokens: 8, outputTokens: 2, cacheReadTokens: 3, cost: 0.1 },
      { type: 'unknown' },
    ]);
  });

  it('makes an error of a failure that is retried and one error of the last', () => {
    const retry = { attempt: 1, maxAttempts: 3, errorMessage: '{"message":"down"}' };
    const step = say('api_req_started', { request: 'x' });
    const last = [
      say('error_retry', { ...retry, failed: true }),
      ask('api_req_failed', 'down'),
      { type: 'error', message: 'it is down' },
    ];
    expect(translated('cline', step, say('error_retry', retry), say('api_req_retried'), ...last)).toMatchObject([
      { type: 'step_start', step: 0 },
      { type: 'unknown' },
      { type: 'error', message: 'down (retry 1 of 3)', code: 'error_retry' },
      { type: 'step_start', step: 0 },
      { type: 'unknown' },
      { type: 'error', message: 'down' },
      { type: 'unknown', raw: last[1] },
      { type: 'error', message: 'down', fatal: true },
    ]);
    expect(activity('cline', say('diff_error', 'no match'))).toEqual([
      { type: 'error', message: 'no match', code: 'diff_error' },
    ]);
  });

  it('leaves everything else unknown', () => {
    for (const record of [say('checkpoint_created'), ask('resume_task', ''), say('tool', 'no JSON'), { type: 'say' }])
      expect(activity('cline', record)).toEqual([{ type: 'unknown', raw: record }]);
  });
});

describe('the command line of Cline', () => {
  const args = (request: object) => clineCommand({ prompt: 'do it', ...request }).args;

  it('permits everything only when asked to', () => {
    expect(args({})).toEqual(['--json', '--auto-approve', 'false', 'do it']);
    expect(args({ yolo: true, model: 'm', extraArgs: ['-p'] })).toEqual([
      '--json',
      '--auto-approve',
      'true',
      '--model',
      'm',
      '-p',
      'do it',
    ]);
  });

  const executable = fileURLToPath(new URL('./support/fake-cline.mjs', import.meta.url));
  async function texts(prompt: string, options: CliAgentOptions = {}): Promise<string[]> {
    const events: AgentEvent[] = [];
    const params = { run: { runId: 'r' }, conversation: { messages: [{ role: 'user' as const, content: prompt }] } };
    for await (const made of cliAgent('cline', { executable, ...options }).invoke(params)) events.push(made);
    return events.flatMap(made => (made.type === 'text' ? [made.content] : []));
  }

  it.each([['-p'], ['--config=/x and more'], ['history'], ['x'.repeat(200_000)], [' two\nlines '], ['a\0b c']])(
    'takes the prompt whatever it is',
    async prompt => {
      expect(args({ prompt }).at(-1)).toMatch(/\s/);
      expect(args({ prompt }).at(-1)).not.toMatch(/^-/);
      expect(await texts(prompt)).toEqual([JSON.stringify(prompt.replace('\0', '').trim())]);
    },
  );

  it('starts no daemon that would stay behind, unless the caller wants it', async () => {
    expect(await texts('do it')).toHaveLength(1);
    const [, daemon = ''] = await texts('do it', { env: { CLINE_SESSION_BACKEND_MODE: 'hub' } });
    expect(daemon).toMatch(/^daemon \d+$/);
    const pid = Number(daemon.slice('daemon '.length));
    expect(process.kill(pid, 0)).toBe(true);
    process.kill(pid);
  });
});
