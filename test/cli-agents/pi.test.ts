import { describe, expect, it } from 'vitest';
import { activity, translated } from './translated.ts';

const session = { type: 'session', id: 's', cwd: '/w' };
const start = (toolName: string, args: unknown) => ({ type: 'tool_execution_start', toolCallId: '1', toolName, args });
const end = (toolName: string, more = {}) => ({ type: 'tool_execution_end', toolCallId: '1', toolName, ...more });
const said = (content: unknown, more = {}) => ({
  type: 'message_end',
  message: { role: 'assistant', content, ...more },
});

describe('Pi', () => {
  it('maps every tool of the table, whatever the case of its name', () => {
    const rows: [string, unknown, object][] = [
      ['read', { path: 'a', offset: 2, limit: 2 }, { type: 'read', path: '/w/a', startLine: 2, endLine: 3 }],
      ['Write', { path: 'a', content: 'secret' }, { type: 'write', path: '/w/a' }],
      ['edit', { path: '/a' }, { type: 'write', path: '/a' }],
      ['search', { query: 'x' }, { type: 'search', query: 'x' }],
      ['grep', { pattern: 'x', path: '.' }, { type: 'search', query: 'x', path: '/w' }],
      ['glob', { pattern: 'x' }, { type: 'search', query: 'x' }],
      ['find', { pattern: 'x' }, { type: 'search', query: 'x' }],
      ['list', { path: 'b' }, { type: 'list', path: '/w/b' }],
      ['ls', {}, { type: 'list', path: '/w' }],
      ['bash', { command: 'cat a' }, { type: 'read', path: '/w/a' }],
      ['SHELL', { command: 'make' }, { type: 'command', command: 'make' }],
    ];
    for (const [name, args, expected] of rows)
      expect(activity('pi', session, start(name, args), end(name, { result: 'x' }))).toEqual([
        { sessionId: 's', ...expected, isSuccess: true },
      ]);
    expect(activity('pi', start('teleport', {}), end('teleport'))).toEqual([{ type: 'unknown', raw: end('teleport') }]);
  });

  it('takes a result with its own input as a call, and one without as unknown', () => {
    expect(activity('pi', end('read', { input: { path: '/a' }, status: 'error' }))).toEqual([
      { type: 'read', path: '/a', isSuccess: false },
    ]);
    expect(activity('pi', end('read'))).toEqual([{ type: 'unknown', raw: end('read') }]);
    const unnamed = { type: 'tool_execution_end', toolName: 'read', input: { path: '/a' }, status: 'completed' };
    expect(activity('pi', unnamed, unnamed)).toEqual([
      { type: 'read', path: '/a', isSuccess: true },
      { type: 'read', path: '/a', isSuccess: true },
    ]);
  });

  it('writes text once, whether it was streamed, partly streamed or streamed otherwise', () => {
    const delta = (text: string) => ({
      type: 'message_update',
      assistantMessageEvent: { type: 'text_delta', contentIndex: 0, delta: text },
    });
    const opened = { type: 'message_start', message: { role: 'assistant' } };
    const text = [{ type: 'text', text: 'hello' }];
    const written = (...records: unknown[]) =>
      translated('pi', ...records).map(event => (event.type === 'text' ? event.content : event.type));
    expect(written(said('hello'))).toEqual(['hello']);
    expect(written(opened, delta('hel'), delta('lo'), said(text))).toEqual(['hel', 'lo', '']);
    expect(written(opened, delta('hel'), said(text))).toEqual(['hel', 'lo']);
    expect(written(opened, delta('x'), said(text))).toEqual(['x', 'hello']);
  });

  it('names one call for what a message says and what it used', () => {
    const usage = { input: 3, output: 1, cacheRead: 0, cacheWrite: 0 };
    const message = said('hello', { usage, responseId: 'chatcmpl_1' });
    expect(translated('pi', message, message).map(event => 'callId' in event && event.callId)).toEqual([
      'm0',
      'm0',
      'm1',
      'm1',
    ]);
  });

  it('keeps the details of a result, unless there are none', () => {
    const output = (details: object, more = {}) =>
      translated('pi', start('edit', {}), end('edit', { result: { content: 'ok', details }, ...more })).at(-1);
    expect(output({ diff: '+x' })).toMatchObject({ output: { context: 'ok', result: { diff: '+x' } } });
    expect(output({})).toMatchObject({ output: { context: 'ok' } });
    expect(output({})).not.toHaveProperty('output.result');
    const failed = translated(
      'pi',
      start('bash', {}),
      end('bash', { isError: true, result: { content: 'Command exited with code 2', details: { full: '/log' } } }),
    );
    expect(failed.at(-1)).toMatchObject({ output: { result: { full: '/log', exitCode: 2 } } });
  });

  it('makes a warning of a failure that is retried and an error of the last one', () => {
    const failed = said([], { stopReason: 'error', errorMessage: '500: {"message":"down"}' });
    const retry = { type: 'auto_retry_start', attempt: 1, maxAttempts: 3, errorMessage: 'down' };
    const events = translated('pi', { type: 'turn_start' }, failed, retry, { type: 'turn_start' }, failed);
    expect(events).toMatchObject([
      { type: 'step_start', step: 0 },
      { type: 'warning', message: 'down (retry 1 of 3)' },
      { type: 'step_start', step: 0 },
      { type: 'error', message: '500: down', fatal: true },
    ]);
  });
});
