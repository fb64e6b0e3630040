import { describe, expect, it } from 'vitest';
import { codexTranslator } from '../../src/agents/cli/adapters/codex/translate.ts';
import { activity, failure, translated } from './translated.ts';

const started = (item: object) => ({ type: 'item.started', item: { id: 'i', ...item } });
const completed = (item: object) => ({ type: 'item.completed', item: { id: 'i', ...item } });
const command = (text: string, more = {}) => ({ type: 'command_execution', command: text, ...more });

describe('Codex', () => {
  it('reports a command with its exit code once it is completed, and one that never was at the end', () => {
    const records = [started(command('make')), completed(command('make', { exit_code: 2, status: 'failed' }))];
    expect(activity('codex', ...records)).toEqual([
      { type: 'command', command: 'make', exitCode: 2, isSuccess: false },
    ]);
    expect(activity('codex', started(command('make')))).toEqual([{ type: 'command', command: 'make' }]);
  });

  it('takes an item that was never started as its own call', () => {
    const change = { type: 'file_change', changes: [{ path: '/a', kind: 'add' }, { path: '/b' }], status: 'completed' };
    expect(activity('codex', completed(change))).toEqual([
      { type: 'write', path: '/a', isSuccess: true },
      { type: 'write', path: '/b', isSuccess: true },
    ]);
    expect(activity('codex', completed({ ...change, status: 'failed' }))).toMatchObject([
      { isSuccess: false },
      { isSuccess: false },
    ]);
  });

  it('takes a search that found nothing as completed', () => {
    const run = (text: string, exit_code: number) => activity('codex', completed(command(text, { exit_code })));
    expect(run("bash -lc 'rg nothing src'", 1)).toMatchObject([{ type: 'search', isSuccess: true }]);
    expect(run("bash -lc 'rg nothing src'", 2)).toMatchObject([{ type: 'search', isSuccess: false }]);
    expect(run("bash -lc 'cat x'", 1)).toMatchObject([{ type: 'read', isSuccess: false }]);
  });

  it('says of several operations only what is certain', () => {
    const run = (text: string, exit_code: number) => activity('codex', completed(command(text, { exit_code })));
    expect(run('cat a && cat b', 0)).toMatchObject([{ isSuccess: true }, { isSuccess: true }]);
    expect(run('cat a; cat b', 0)).toEqual([
      { type: 'read', path: 'a' },
      { type: 'read', path: 'b', isSuccess: true },
    ]);
    expect(run('cat a b', 1)).toEqual([
      { type: 'read', path: 'a' },
      { type: 'read', path: 'b' },
    ]);
  });

  it('reports an item of a type it does not know once, also when it is never completed', () => {
    const item = { type: 'hologram' };
    expect(activity('codex', started(item), completed(item))).toEqual([{ type: 'unknown', raw: completed(item) }]);
    expect(activity('codex', started(item))).toEqual([{ type: 'unknown', raw: started(item) }]);
  });

  it('does not guess which of two items of one id was completed', () => {
    const end = completed(command('a', { exit_code: 0 }));
    expect(activity('codex', started(command('a')), started(command('b')), end)[0]).toEqual({
      type: 'unknown',
      raw: end,
    });
  });

  it('reports a failure once, and an error that the run survived as one on the way', () => {
    const error = { type: 'error', message: 'bad' };
    const failed = { type: 'turn.failed', error: { message: 'bad' } };
    expect(translated('codex', error, failed)).toMatchObject(failure({ message: 'bad' }));
    expect(activity('codex', error, failed)).toEqual([{ type: 'error', message: 'bad' }]);
    const events = translated('codex', error, completed({ type: 'agent_message', text: 'on' }));
    expect(events.map(event => event.type)).toEqual(['error', 'text']);
    expect(events[0]).not.toHaveProperty('fatal');
    expect(translated('codex', { type: 'error', message: 'Reconnecting... 1/5' })).toMatchObject([{ type: 'warning' }]);
  });

  it('reports subagents that could not be started, or failed', () => {
    const spawn = { type: 'collab_tool_call', tool: 'spawn_agent', receiver_thread_ids: [], status: 'failed' };
    expect(activity('codex', completed(spawn))).toEqual([
      { type: 'orchestration', action: 'subagent_failed', isSuccess: false },
    ]);
    const ran = { ...spawn, status: 'completed', agents_states: { t: { status: 'errored', message: 'no' } } };
    expect(activity('codex', completed(ran))).toMatchObject([
      { action: 'subagent_started' },
      { action: 'subagent_failed' },
    ]);
  });

  it('counts cached input within the input and leaves out what was not reported', () => {
    const usage = { input_tokens: 10, cached_input_tokens: 4, output_tokens: 3 };
    expect(translated('codex', { type: 'turn.completed', usage })).toEqual([
      { type: 'usage', runId: 'r', inputTokens: 10, outputTokens: 3, cacheReadTokens: 4, line: 1 },
    ]);
    expect(translated('codex', { type: 'turn.completed' })).toEqual([]);
  });

  it('counts what the run used and not what its session had used before', () => {
    const usedBefore = { inputTokens: 10, outputTokens: 1, cacheReadTokens: 4 };
    const turn = (input_tokens: number, output_tokens: number, cached_input_tokens: number) =>
      JSON.stringify({ type: 'turn.completed', usage: { input_tokens, output_tokens, cached_input_tokens } });
    const used = (...lines: string[]) => {
      const translator = codexTranslator({ runId: 'r', usedBefore });
      return lines
        .flatMap(line => translator.translate(line, 1))
        .map(event => event.type === 'usage' && [event.inputTokens, event.outputTokens, event.cacheReadTokens]);
    };
    expect(used(turn(20, 2, 9))).toEqual([[10, 1, 5]]);
    expect(used(turn(20, 2, 3))).toEqual([[10, 1, 0]]);
    expect(used(turn(20, 2, 9), turn(25, 4, 9))).toEqual([
      [10, 1, 5],
      [5, 2, 0],
    ]);
    expect(used(turn(7, 3, 2))).toEqual([[7, 3, 2]]);
    expect(used(turn(10, 1, 4))).toEqual([]);
  });

  it('reports the text of an MCP result, and its structured content', () => {
    const call = (more: object) =>
      translated('codex', completed({ type: 'mcp_tool_call', server: 'demo', tool: 'echo', ...more })).at(-1);
    const result = (content: unknown, structured_content: unknown = null) => ({ content, structured_content });
    const texts = [
      { type: 'text', text: 'one' },
      { type: 'text', text: 'two' },
    ];
    const image = [{ type: 'image', data: 'x' }];
    expect(call({ status: 'completed', result: result(texts) })).toMatchObject({ output: { context: 'one\ntwo' } });
    expect(call({ status: 'completed', result: result([], { rows: 2 }) })).toMatchObject({
      output: { context: '', result: { rows: 2 } },
    });
    expect(call({ status: 'completed', result: result(image) })).toMatchObject({ output: { context: image } });
    expect(call({ status: 'failed', result: result(texts) })).toMatchObject({ output: { error: 'one\ntwo' } });
    expect(call({ status: 'failed', result: result(image) })).toMatchObject({
      output: { error: JSON.stringify(image) },
    });
    expect(call({ status: 'failed', result: result([]) })).toMatchObject({ output: { error: 'The tool failed.' } });
    expect(call({ status: 'failed', error: { message: 'gone' } })).toMatchObject({ output: { error: 'gone' } });
  });

  it('reports the tasks of a todo list when they change', () => {
    const list = (done: boolean) => ({ type: 'todo_list', items: [{ text: 'one', completed: done }] });
    const updated = { type: 'item.updated', item: { id: 'i', ...list(true) } };
    const reported = translated('codex', started(list(false)), updated, completed(list(true)));
    expect(reported.flatMap(event => (event.type === 'tasks' ? [event.tasks[0]?.status, event.line] : []))).toEqual([
      'pending',
      1,
      'completed',
      2,
    ]);
  });
});
