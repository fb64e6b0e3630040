import { describe, expect, it } from 'vitest';
import { opencodeAdapter } from '../../src/agents/cli/adapters/opencode/adapter.ts';
import { opencodeCommand } from '../../src/agents/cli/adapters/opencode/command.ts';
import { activity, failure, translated } from './translated.ts';

let parts = 0;
const record = (type: string, part: object, more: object = {}) => ({
  type,
  timestamp: 1,
  sessionID: 's',
  part: { id: `prt_${++parts}`, messageID: 'msg', ...part },
  ...more,
});
const used = (tool: string, state: object, more: object = {}) =>
  record('tool_use', {
    type: 'tool',
    tool,
    callID: 'c',
    state: { status: 'completed', output: 'x', ...state },
    ...more,
  });
const said = (text: string, more: object = {}) => record('text', { type: 'text', text, ...more });
const started = (messageID = 'msg') => record('step_start', { type: 'step-start', messageID });
const finished = (more: object = {}) => record('step_finish', { type: 'step-finish', reason: 'stop', ...more });
const failed = (error: unknown) => ({ type: 'error', timestamp: 1, sessionID: 's', error });
const activityOf = (...records: unknown[]) =>
  activity('opencode', ...records).map(({ sessionId: _id, ...rest }) => rest);
const firstActivity = (...records: unknown[]) => activityOf(...records)[0];
const made = (...records: unknown[]) => translated('opencode', ...records).filter(({ type }) => type !== 'session');

describe('the command line of OpenCode', () => {
  it('is this', () => {
    expect(opencodeCommand({ prompt: 'do it' }).args.join(' ')).toBe('run --format json --thinking');
    const request = { prompt: 'do it', model: 'p/m', sessionId: 's', yolo: true, extraArgs: ['--x'] };
    expect(opencodeCommand(request).args.join(' ')).toBe(
      'run --format json --thinking --model p/m --session s --auto --x',
    );
  });

  it.each(['do it', '--help', '"quoted" words', 'x'.repeat(200_000)])('passes the prompt by the input', prompt => {
    expect(opencodeCommand({ prompt })).toEqual({ args: ['run', '--format', 'json', '--thinking'], input: prompt });
  });
});

describe('OpenCode', () => {
  it('maps every tool of the table', () => {
    const rows: [string, object, object][] = [
      ['read', { filePath: '/a', offset: 2, limit: 2 }, { type: 'read', path: '/a', startLine: 2, endLine: 3 }],
      ['write', { filePath: '/a', content: 'secret' }, { type: 'write', path: '/a' }],
      ['edit', { filePath: '/a', oldString: 'secret' }, { type: 'write', path: '/a' }],
      ['apply_patch', { patchText: '*** Add File: a\n+secret' }, { type: 'write', path: 'a' }],
      ['grep', { pattern: 'x', path: '/b' }, { type: 'search', query: 'x', path: '/b' }],
      ['glob', { pattern: '*.ts' }, { type: 'search', query: '*.ts' }],
      ['bash', { command: 'make' }, { type: 'command', command: 'make' }],
      ['bash', { command: 'cat a', workdir: '/b' }, { type: 'read', path: '/b/a' }],
      ['skill', { name: 'demo' }, { type: 'skill', path: 'skills/demo/SKILL.md', skillName: 'demo' }],
      ['lsp', { query: 'f', filePath: '/a' }, { type: 'search', query: 'f', path: '/a' }],
      ['lsp', { symbol: 'f' }, { type: 'search', query: 'f' }],
    ];
    for (const [tool, input, expected] of rows) {
      expect(activityOf(used(tool, { input }))).toEqual([{ ...expected, isSuccess: true }]);
      expect(activityOf(used(tool, { input, status: 'error', error: 'no' }))).toEqual([
        { ...expected, isSuccess: false },
      ]);
    }
  });

  it.each(['webfetch', 'websearch', 'todowrite', 'question', 'codesearch', 'list', 'invalid', 'constructor'])(
    'does not know the operations of %s',
    tool => {
      const line = used(tool, { input: { path: '/a', query: 'x' } });
      expect(activityOf(line)).toEqual([{ type: 'unknown', raw: line }]);
    },
  );

  it.each(['lsp', 'read', 'bash', 'skill', 'apply_patch'])('does not guess at a %s without its fields', tool => {
    const line = used(tool, { input: { operation: 'hover' } });
    expect(activityOf(line)).toEqual([{ type: 'unknown', raw: line }]);
  });

  it('lists a folder that is read', () => {
    const metadata = { display: { type: 'directory' } };
    expect(activityOf(used('read', { input: { filePath: '/a' }, metadata }))).toEqual([
      { type: 'list', path: '/a', isSuccess: true },
    ]);
  });

  it('reports the files of a patch as they were changed', () => {
    const files = [{ filePath: '/w/a' }, { filePath: '/w/b', movePath: '/w/c' }, { relativePath: 'd' }, null];
    const patch = used('apply_patch', { input: { patchText: '*** Add File: z' }, metadata: { files } });
    expect(activityOf(patch)).toEqual(['/w/a', '/w/b', '/w/c'].map(path => ({ type: 'write', path, isSuccess: true })));
  });

  it('reports where a skill is', () => {
    const skill = used('skill', { input: { name: 'demo' }, metadata: { dir: '/w/.opencode/skills/demo' } });
    expect(firstActivity(skill)).toMatchObject({ path: '/w/.opencode/skills/demo/SKILL.md', skillName: 'demo' });
  });

  it('believes the exit code and not the status', () => {
    const ran = (exit: unknown) => firstActivity(used('bash', { input: { command: 'make' }, metadata: { exit } }));
    expect(ran(0)).toEqual({ type: 'command', command: 'make', exitCode: 0, isSuccess: true });
    expect(ran(3)).toEqual({ type: 'command', command: 'make', exitCode: 3, isSuccess: false });
    expect(ran(null)).toEqual({ type: 'command', command: 'make', isSuccess: false });
  });

  it('does not say that something succeeded that was not reported', () => {
    expect(activityOf(used('read', { input: { filePath: '/a' }, status: 'running' }))).toEqual([
      { type: 'read', path: '/a' },
    ]);
  });

  it('joins a call that was reported while it ran with its end', () => {
    const read = (status: string) => used('read', { input: { filePath: '/a' }, status });
    expect(made(read('running'), read('completed')).map(({ type }) => type)).toEqual(['tool_call', 'tool_result']);
  });

  it('takes fields where older streams have them', () => {
    const flat = { type: 'tool_use', sessionID: 's', tool: 'read', input: { filePath: '/a' }, status: 'completed' };
    expect(activityOf(flat)).toEqual([{ type: 'read', path: '/a', isSuccess: true }]);
    expect(activityOf({ type: 'text', text: 'hi' })).toEqual([{ type: 'agent', message: 'hi' }]);
  });

  it.each([
    'The user rejected permission to use this specific tool call.',
    'The user rejected permission to use this specific tool call with the following feedback: no',
    'The user has specified a rule which prevents you from using this specific tool call. Here are some rules []',
  ])('shows what was not permitted as denied', reason => {
    const denied = used('bash', { input: { command: 'make' }, status: 'error', error: reason });
    expect(made(denied)[1]).toMatchObject({ output: { status: 'denied', reason } });
    expect(firstActivity(denied)).toMatchObject({ type: 'command', isSuccess: false });
  });

  it('fails a call that the tool `invalid` stands for', () => {
    const input = { tool: 'bash', error: 'JSON parsing failed' };
    expect(made(used('invalid', { input }))[1]).toMatchObject({ output: { error: 'JSON parsing failed' } });
  });

  it('keeps the tasks that are set, without cancelled ones', () => {
    const todos = ['pending', 'in_progress', 'completed', 'cancelled'].map(status => ({ content: status, status }));
    expect(made(used('todowrite', { input: { todos } })).find(({ type }) => type === 'tasks')).toMatchObject({
      tasks: [
        { id: '1', content: 'pending', status: 'pending' },
        { id: '2', content: 'in_progress', status: 'in_progress' },
        { id: '3', content: 'completed', status: 'completed' },
      ],
    });
  });

  it('counts cached tokens as input and reasoning as output, each once', () => {
    const usage = (tokens: object) => made(finished({ tokens, cost: 0.5 }))[0];
    const cache = { read: 1000, write: 50 };
    const counted = { type: 'usage', inputTokens: 1250, outputTokens: 34, reasoningTokens: 8, cost: 0.5 };
    expect(usage({ total: 1284, input: 200, output: 26, reasoning: 8, cache })).toMatchObject(counted);
    expect(usage({ total: 1284, input: 200, output: 34, reasoning: 8, cache })).toMatchObject(counted);
    expect(usage({ input: 200, output: 34, reasoning: 8, cache })).toMatchObject(counted);
    expect(usage({ input: 0, output: 0, reasoning: 0 })).toBeUndefined();
    expect(made(finished())).toEqual([]);
  });

  it('counts a part that is reported again once', () => {
    const lines = [
      said('hi'),
      used('read', { input: { filePath: '/a' } }),
      finished({ tokens: { input: 1, output: 1 } }),
    ];
    expect(made(...lines, ...lines)).toEqual(made(...lines));
  });

  it('reports reasoning and text of one model call', () => {
    expect(made(started(), record('reasoning', { type: 'reasoning', text: 'hm' }), said('hi'))).toMatchObject([
      { type: 'step_start', step: 0, callId: 'msg' },
      { type: 'reasoning', content: 'hm', callId: 'msg' },
      { type: 'text', content: 'hi', callId: 'msg' },
    ]);
  });

  it('passes over what the program itself wrote after a compaction', () => {
    expect(activityOf(said('Summary.'), said('Continue if you have next steps.', { synthetic: true }))).toEqual([
      { type: 'agent', message: 'Summary.' },
    ]);
  });

  it('makes a warning and the same step of a model call that begins again', () => {
    expect(made(started('a'), started('a'), said('hi'), finished(), started('a'))).toMatchObject([
      { type: 'step_start', step: 0 },
      { type: 'warning', code: 'retry' },
      { type: 'step_start', step: 0 },
      { type: 'text' },
      { type: 'step_start', step: 1 },
    ]);
  });
});

describe('a failure of OpenCode', () => {
  const api = { name: 'APIError', data: { message: 'down', statusCode: 500 } };

  it.each([
    [api, { message: 'down', code: 'APIError' }],
    ['plain words', { message: 'plain words' }],
    [{ message: 'flat' }, { message: 'flat' }],
    [{ name: 'MessageAbortedError' }, { message: 'MessageAbortedError', code: 'MessageAbortedError' }],
    [{ name: 'APIError', data: { message: '{"error":{"message":"inside"}}' } }, { message: 'inside' }],
  ])('has its words in one of several places', (error, expected) => {
    expect(made(failed(error))).toMatchObject(failure(expected));
    expect(activityOf(failed(error), failed(error))).toHaveLength(1);
  });

  it('ends the run also when it has none', () => {
    expect(made(failed({}))).toMatchObject(failure({ message: 'The program reported an error.' }));
  });

  it('ends the run although text of its step comes after it', () => {
    const lines = [started(), failed(api), said('partial'), used('read', { input: { filePath: '/a' } }), finished()];
    expect(made(...lines).map(({ type }) => type)).toEqual([
      'step_start',
      'error',
      'text',
      'tool_call',
      'tool_result',
      'error',
    ]);
    expect(made(...lines).at(-1)).toMatchObject({ message: 'down', fatal: true });
  });

  it('does not end the run when another step follows', () => {
    const events = made(started('a'), failed(api), started('b'), said('on'));
    expect(events.map(({ type }) => type)).toEqual(['step_start', 'error', 'step_start', 'text']);
    expect(events[1]).not.toHaveProperty('fatal');
  });
});

describe('OpenCode is done', () => {
  const isDone = (...records: unknown[]) => {
    const translator = opencodeAdapter.translator({ runId: 'r' });
    for (const line of records) translator.translate(JSON.stringify(line));
    return translator.finished;
  };
  const background = { metadata: { sessionId: 'ses_1', background: true } };

  it('when a step stops, until something follows', () => {
    expect(isDone(started(), said('hi'))).toBe(false);
    expect(isDone(finished({ reason: 'tool-calls' }))).toBe(false);
    expect(isDone(finished())).toBe(true);
    expect(isDone(finished(), said('Continue.', { synthetic: true }))).toBe(false);
  });

  it('not while a subagent works in the background', () => {
    expect(isDone(used('task', background), finished())).toBe(false);
  });
});

describe('a subagent of OpenCode', () => {
  const input = { description: 'look', prompt: 'look around', subagent_type: 'explore' };
  const metadata = { sessionId: 'ses_1', parentSessionId: 's', model: { providerID: 'p', modelID: 'm' } };
  const output = '<task id="ses_1" state="completed">\n<task_result>\nFound.\n</task_result>\n</task>';
  const who = { subagentId: 'ses_1', subagentName: 'explore' };
  const start = { type: 'orchestration', action: 'subagent_started', ...who };

  it('is a run of its own, caused by its call', () => {
    expect(made(used('task', { input, metadata, output }))).toMatchObject([
      { type: 'tool_call', id: 'r/c' },
      { type: 'harness_start', runId: 'r/ses_1/run', parentId: 'r/c', agentId: 'explore', model: 'p/m' },
      { type: 'text', runId: 'r/ses_1/run', content: 'Found.' },
      { type: 'harness_end', runId: 'r/ses_1/run', reason: 'complete' },
      { type: 'tool_result', id: 'r/c', output: { context: output } },
    ]);
    expect(activityOf(used('task', { input, metadata, output }))).toEqual([
      start,
      { type: 'orchestration', action: 'subagent_completed', ...who, isSuccess: true },
    ]);
  });

  it('answers without what older versions put after its answer', () => {
    const older = 'Found.\n\n<task_metadata>\nsession_id: ses_1\n</task_metadata>';
    expect(made(used('task', { input, metadata, output: older }))).toContainEqual(
      expect.objectContaining({ type: 'text', content: 'Found.' }),
    );
  });

  it('fails with its call', () => {
    expect(activityOf(used('task', { input, metadata, status: 'error', error: 'down' }))).toEqual([
      start,
      { type: 'orchestration', action: 'subagent_failed', ...who, isSuccess: false },
    ]);
  });

  it('fails, and was not denied, when something was not permitted to it', () => {
    const error = 'The user rejected permission to use this specific tool call.';
    const events = made(used('task', { input, metadata, status: 'error', error }));
    expect(events.at(-1)).toMatchObject({ type: 'tool_result', output: { error } });
    expect(activityOf(used('task', { input, metadata, status: 'error', error })).at(-1)).toMatchObject({
      action: 'subagent_failed',
    });
  });

  it('is a second run when it is called again', () => {
    const again = [used('task', { input, metadata, output }), used('task', { input, metadata, output })];
    const starts = made(...again).filter(({ type }) => type === 'harness_start');
    expect(starts.map(({ runId }) => runId)).toEqual(['r/ses_1/run', 'r/ses_1#2/run']);
  });

  it('has no end that is reported when it works in the background', () => {
    expect(activityOf(used('task', { input, metadata: { ...metadata, background: true }, output }))).toEqual([start]);
  });

  it.each([{}, { sessionId: '' }, null])('is unknown when its session is not reported', none => {
    const line = used('task', { input, metadata: none, status: 'error', error: 'Unknown agent type' });
    expect(activityOf(line)).toEqual([{ type: 'unknown', raw: line }]);
  });
});
