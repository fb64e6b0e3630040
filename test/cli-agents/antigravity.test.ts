import { describe, expect, it } from 'vitest';
import { antigravityCommand } from '../../src/agents/cli/adapters/antigravity/command.ts';
import { activity, failure, translated } from './translated.ts';

/** Written by hand after its documentation: no stream of this program was recorded, since it needs an account. */
const init = { event: 'init', conversation_id: 's', init: { cwd: '/w', model: 'gemini', tools: [] } };
const step = (step_index: number, step_type: string, more = {}) => ({
  event: 'step_update',
  step_update: { step_index, step_type, state: 'ACTIVE', ...more },
});
const over = { state: 'DONE' };
const tool = (name: string, parameters: unknown, more = {}) => ({
  tool_name: name,
  tool_info: { name, parameters, ...more },
});
const result = (more = {}) => ({ event: 'result', result: { conversation_id: 's', status: 'SUCCESS', ...more } });
const base = { sessionId: 's' };

describe('Antigravity', () => {
  it('maps every tool of the table', () => {
    const rows: [string, unknown, object][] = [
      ['view_file', { AbsolutePath: '/a' }, { type: 'read', path: '/a' }],
      [
        'view_file',
        { AbsolutePath: '/a', StartLine: 3, EndLine: 5 },
        { type: 'read', path: '/a', startLine: 3, endLine: 5 },
      ],
      ['view_file', { AbsolutePath: '/a', EndLine: 5 }, { type: 'read', path: '/a', startLine: 1, endLine: 5 }],
      ['view_file_outline', { AbsolutePath: '/a' }, { type: 'read', path: '/a' }],
      ['view_code_item', { File: '/a' }, { type: 'read', path: '/a' }],
      ['write_to_file', { TargetFile: 'a', CodeContent: 'secret' }, { type: 'write', path: '/w/a' }],
      ['replace_file_content', { TargetFile: '/a' }, { type: 'write', path: '/a' }],
      ['multi_replace_file_content', { TargetFile: '/a' }, { type: 'write', path: '/a' }],
      ['grep_search', { Query: 'x', SearchPath: '/w/lib' }, { type: 'search', query: 'x', path: '/w/lib' }],
      ['find_by_name', { Pattern: '*.ts', SearchDirectory: '/w' }, { type: 'search', query: '*.ts', path: '/w' }],
      ['codebase_search', { Query: 'x' }, { type: 'search', query: 'x' }],
      ['list_dir', { DirectoryPath: '/w/src' }, { type: 'list', path: '/w/src' }],
      ['run_command', { CommandLine: 'cat x', Cwd: '/w/sub' }, { type: 'read', path: '/w/sub/x' }],
      ['run_command', { CommandLine: 'make', Cwd: '/w' }, { type: 'command', command: 'make', workingDirectory: '/w' }],
    ];
    for (const [name, parameters, expected] of rows)
      expect(
        activity(
          'antigravity',
          init,
          step(1, 'tool', tool(name, parameters)),
          step(1, 'tool', { ...over, ...tool(name, parameters, { output: 'ok' }) }),
        ),
      ).toEqual([{ ...base, ...expected, isSuccess: true }]);
  });

  it('reports a tool it does not know as the line it came from, and one without a beginning whole', () => {
    const call = step(1, 'tool', { ...over, ...tool('search_web', { query: 'x' }) });
    expect(activity('antigravity', init, call)).toEqual([{ ...base, type: 'unknown', raw: call }]);
    expect(translated('antigravity', call)).toMatchObject([
      { type: 'tool_call', id: 'r/step-1', name: 'search_web', input: { query: 'x' } },
      { type: 'tool_result', id: 'r/step-1' },
    ]);
  });

  it('reports a tool that failed, its exit code and that it was denied', () => {
    const outcome = (error: unknown, state = 'DONE') =>
      translated('antigravity', step(1, 'tool', { state, ...tool('run_command', {}, { error }) })).at(-1);
    expect(outcome('exit status 127')).toMatchObject({ output: { result: { exitCode: 127 } } });
    expect(outcome({ message: 'no such file' })).toMatchObject({ output: { error: 'no such file' } });
    expect(outcome('user denied permission to run command')).toMatchObject({ output: { status: 'denied' } });
    expect(outcome(undefined, 'CANCELLED')).toMatchObject({ output: { error: 'The step failed.' } });
  });

  it('writes the text and the thinking of each step, which the result repeats', () => {
    const records = [
      init,
      step(0, 'user_input', over),
      step(1, 'agent_response', { thinking_delta: 'hm' }),
      step(1, 'agent_response', { text_delta: 'app' }),
      step(1, 'agent_response', { ...over, text_delta: 'le\n' }),
      step(2, 'checkpoint', over),
      result({ response: 'apple\n', num_turns: 1 }),
    ];
    expect(translated('antigravity', ...records)).toMatchObject([
      { type: 'session', sessionId: 's', cwd: '/w', model: 'gemini' },
      { type: 'step_start', callId: 'step-1' },
      { type: 'reasoning', content: 'hm' },
      { type: 'text', id: 'r/step-1/text', content: 'app' },
      { type: 'text', id: 'r/step-1/text', content: 'le\n', final: true },
    ]);
    expect(activity('antigravity', ...records)).toEqual([{ ...base, type: 'agent', message: 'apple\n' }]);
  });

  it('takes the text from the result when no step wrote it, also when the result is all there is', () => {
    expect(activity('antigravity', init, result({ response: 'hi' }))).toEqual([
      { ...base, type: 'agent', message: 'hi' },
    ]);
    expect(activity('antigravity', { conversation_id: 's', status: 'SUCCESS', response: 'hi' })).toEqual([
      { ...base, type: 'agent', message: 'hi' },
    ]);
  });

  it('counts what each step used, or else what the result reports', () => {
    const usage = { input_tokens: 10, output_tokens: 3, thinking_tokens: 1, cache_read_tokens: 5 };
    const counted = { type: 'usage', inputTokens: 15, outputTokens: 3, reasoningTokens: 1, cacheReadTokens: 5 };
    const used = (...records: unknown[]) =>
      translated('antigravity', ...records).filter(event => event.type === 'usage');
    expect(used(step(1, 'agent_response', { ...over, usage }), result({ usage }))).toMatchObject([counted]);
    expect(used(step(1, 'agent_response', { usage }), result({ usage }))).toMatchObject([counted]);
    expect(used(result({ usage: { input_tokens: 0, output_tokens: 0 } }))).toEqual([]);
  });

  it('fails with the reason of the result, and reports what was denied', () => {
    expect(translated('antigravity', init, result({ status: 'ERROR', error: 'quota reached' }))).toMatchObject([
      { type: 'session' },
      ...failure({ message: 'quota reached' }),
    ]);
    expect(translated('antigravity', result({ status: 'WAITING' })).at(-1)).toMatchObject({
      message: 'Antigravity ended with status WAITING.',
    });
    const denied = [{ display_name: 'Run command' }, { action: 'write' }, 'x'];
    expect(activity('antigravity', result({ denied_actions: denied })).map(entry => entry.type)).toEqual([
      'warning',
      'warning',
      'warning',
    ]);
    const failed = step(1, 'agent_response', { state: 'ERROR', error: { message: 'overloaded' } });
    expect(translated('antigravity', failed).at(-1)).toMatchObject({ type: 'error', message: 'overloaded' });
  });

  it('runs subagents in runs of their own, until the turn is over', () => {
    const agents = (more = {}) => ({
      tool_name: 'invoke_subagent',
      subagent_info: { subagents: [{ type_name: 'research', role: 'Scout', ...more }] },
    });
    const child = { runId: 'r/step-2.0/run' };
    const records = [
      init,
      step(2, 'subagent', agents()),
      step(2, 'subagent', { ...over, ...agents({ conversation_id: 'c' }) }),
      step(1, 'agent_response', { ...over, conversation_id: 'c', text_delta: 'found' }),
      result({ response: 'Done.' }),
    ];
    expect(translated('antigravity', ...records)).toMatchObject([
      { type: 'session' },
      { type: 'tool_call', id: 'r/step-2', name: 'invoke_subagent' },
      { type: 'harness_start', ...child, parentId: 'r/step-2', agentId: 'Scout' },
      { type: 'tool_result', id: 'r/step-2' },
      { type: 'step_start', ...child },
      { type: 'text', ...child, content: 'found' },
      { type: 'text', runId: 'r', content: 'Done.' },
      { type: 'harness_end', ...child, reason: 'complete' },
    ]);
    const failed = step(2, 'subagent', { state: 'ERROR', ...agents() });
    expect(activity('antigravity', failed).map(entry => ('action' in entry ? entry.action : entry.type))).toEqual([
      'subagent_started',
      'subagent_failed',
    ]);
  });

  it('makes unknown of events, steps and lines that it does not know', () => {
    const odd = [{ event: 'brand_new' }, { type: 'message' }, step(1, 'system_message'), { event: 'init' }];
    for (const record of [...odd, { event: 'step_update' }, { event: 'result' }])
      expect(translated('antigravity', record)).toMatchObject([{ type: 'unknown', raw: record }]);
    expect(translated('antigravity', init, 'not json', '')).toMatchObject([{}, { type: 'unknown', raw: 'not json' }]);
    const done = step(1, 'tool', { ...over, ...tool('run_command', {}) });
    expect(translated('antigravity', done, done).at(-1)).toMatchObject({ type: 'unknown', raw: done });
  });

  it('surfaces the plain text of older releases line by line, as it is', () => {
    const lines = ['', 'One.', '', '{"status": "no record"}', '    42', ''];
    expect(activity('antigravity', ...lines)).toEqual([
      { type: 'unknown', raw: 'One.' },
      { type: 'unknown', raw: '{"status": "no record"}' },
      { type: 'unknown', raw: '    42' },
    ]);
    expect(activity('antigravity', 'Signing in', init, result({ response: 'hi' }))).toEqual([
      { type: 'unknown', raw: 'Signing in' },
      { ...base, type: 'agent', message: 'hi' },
    ]);
  });

  it('fails by plain text that says so where it begins', () => {
    expect(translated('antigravity', 'flags provided but not defined: -output-format', 'Usage of agy:')).toMatchObject([
      { type: 'error', message: 'flags provided but not defined: -output-format' },
      { type: 'unknown', raw: 'Usage of agy:' },
      { type: 'error', message: 'flags provided but not defined: -output-format', fatal: true },
    ]);
    expect(translated('antigravity', 'Half of it', 'Error: timed out waiting for response').at(-1)).toMatchObject({
      type: 'error',
      fatal: true,
    });
  });

  it('is started with its prompt in one argument, or with it as its input', () => {
    const common = '--output-format stream-json --print-timeout 24h --add-dir .';
    expect(antigravityCommand({ prompt: '--help' })).toEqual({ args: [...common.split(' '), '--print=--help'] });
    expect(
      antigravityCommand({ prompt: 'go', model: 'm', sessionId: 's', yolo: true, extraArgs: ['--sandbox'] }).args.join(
        ' ',
      ),
    ).toBe(`${common} --model m --conversation s --dangerously-skip-permissions --sandbox --print=go`);
    const long = 'x'.repeat(200_000);
    expect(antigravityCommand({ prompt: long })).toEqual({ args: common.split(' '), input: long });
  });
});
