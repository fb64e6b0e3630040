import { describe, expect, it } from 'vitest';
import { gooseCommand } from '../../src/agents/cli/adapters/goose/command.ts';
import { gooseTranslator } from '../../src/agents/cli/adapters/goose/translate.ts';
import { activity, failure, translated } from './translated.ts';

const banner = ['', '    __( O)>  ● new session · openai gpt', '   \\____)    s · /w', '     L L     goose is ready'];
const resuming = banner.map(line => line.replace('new session', 'resuming'));
const message = (role: string, content: unknown, more = {}) => ({
  type: 'message',
  message: { id: 'm', role, content, metadata: { inference: { requestedModel: 'gpt' } }, ...more },
});
const own = { id: 'msg_1', metadata: { userVisible: true } };
const text = (value: string, id = 'm') => message('assistant', [{ type: 'text', text: value }], { id });
const request = (name: string, args: unknown, id = '1') =>
  message('assistant', [
    { type: 'toolRequest', id, toolCall: { status: 'success', value: { name, arguments: args } } },
  ]);
const response = (value: unknown = {}, id = '1') =>
  message('user', [{ type: 'toolResponse', id, toolResult: { status: 'success', value } }]);
const said = (value: string, more = {}) => ({ content: [{ type: 'text', text: value }], isError: false, ...more });
const complete = { type: 'complete', total_tokens: 7, input_tokens: 5, output_tokens: 2 };
const retry = '\n\nPlease retry if you think this is a transient or recoverable error.';
const base = { sessionId: 's' };

describe('Goose', () => {
  it('maps every tool of the table, with and without the extension before its name', () => {
    const rows: [string, unknown, object][] = [
      ['text_editor', { command: 'view', path: 'a' }, { type: 'read', path: '/w/a' }],
      [
        'text_editor',
        { command: 'view', path: '/a', view_range: [2, 3] },
        { type: 'read', path: '/a', startLine: 2, endLine: 3 },
      ],
      ['text_editor', { command: 'view', path: '/a', view_range: [2, -1] }, { type: 'read', path: '/a', startLine: 2 }],
      ['text_editor', { command: 'write', path: 'a', file_text: 'secret' }, { type: 'write', path: '/w/a' }],
      ['text_editor', { command: 'str_replace', path: 'a' }, { type: 'write', path: '/w/a' }],
      ['text_editor', { command: 'insert', path: 'a' }, { type: 'write', path: '/w/a' }],
      ['text_editor', { command: 'undo_edit', path: 'a' }, { type: 'write', path: '/w/a' }],
      ['read', { path: 'a' }, { type: 'read', path: '/w/a' }],
      ['read_image', { source: 'a.png' }, { type: 'read', path: '/w/a.png' }],
      ['write', { path: 'a', content: 'secret' }, { type: 'write', path: '/w/a' }],
      ['edit', { path: '/a', before: 'x', after: 'y' }, { type: 'write', path: '/a' }],
      ['grep', { pattern: 'x', path: 'lib' }, { type: 'search', query: 'x', path: '/w/lib' }],
      ['glob', { pattern: '*.ts' }, { type: 'search', query: '*.ts' }],
      ['list', { path: 'b' }, { type: 'list', path: '/w/b' }],
      ['tree', { path: '.', depth: 2 }, { type: 'list', path: '/w' }],
      ['shell', { command: 'cat a' }, { type: 'read', path: '/w/a' }],
      ['shell', { command: 'make' }, { type: 'command', command: 'make' }],
      ['load_skill', { name: 'demo' }, { type: 'skill', path: '/w/skills/demo/SKILL.md', skillName: 'demo' }],
      ['skill', { name: 'demo' }, { type: 'skill', path: '/w/skills/demo/SKILL.md', skillName: 'demo' }],
    ];
    for (const [name, args, expected] of rows)
      for (const tool of [name, `developer__${name}`])
        expect(activity('goose', ...banner, request(tool, args), response(said('ok')))).toEqual([
          { ...base, ...expected, isSuccess: true },
        ]);
    for (const tool of ['todo__todo_write', 'todo__todo_read'])
      expect(activity('goose', request(tool, {}), response(said('ok')))).toEqual([]);
  });

  it.each([
    ['demo__echo', { message: 'hi' }],
    ['analyze', { path: 'src' }],
    ['other__load', { source: 'x' }],
    ['apps__list_apps', {}],
    ['text_editor', { command: 'teleport', path: '/a' }],
    ['read_image', { source: 'https://example.org/a.png' }],
  ])('reports %s as the line it came from', (name, args) => {
    const call = request(name, args);
    expect(activity('goose', call, response(said('ok')))).toEqual([{ type: 'unknown', raw: call }]);
  });

  it('takes the session, its folder and its model from the banner, and from those of older versions', () => {
    const session = { type: 'session', sessionId: 's', model: 'gpt' };
    expect(translated('goose', ...banner)).toMatchObject([{ ...session, cwd: '/w', line: 3 }]);
    const older = ['starting session | provider: openai model: gpt', '    session id: s', '    working directory: /w'];
    expect(translated('goose', ...older)).toMatchObject([session, { ...session, cwd: '/w' }]);
    const oldest = ['starting session | provider: openai model: gpt', '    logging to /home/x/sessions/s.jsonl'];
    expect(translated('goose', ...oldest)).toMatchObject([session]);
    expect(translated('goose', complete, banner[2])).toMatchObject([{ type: 'usage' }, { type: 'unknown' }]);
  });

  it('fails with the words that stand in the place of the banner', () => {
    const message = 'Cannot resume session 9 - no such session exists';
    expect(translated('goose', '', `  error: ${message}`)).toMatchObject(failure({ message }));
  });

  it('writes text once, whether records carry what is new or all of it so far', () => {
    const written = (...pieces: string[]) => activity('goose', ...pieces.map(piece => text(piece)));
    const hello = [{ type: 'agent', message: 'Hello there.' }];
    expect(written('Hello', ' there', '.')).toEqual(hello);
    expect(written('Hello', 'Hello there', 'Hello there.')).toEqual(hello);
    expect(written('Hel', 'lo', ' there.', 'Hello there.')).toEqual(hello);
    expect(written('Hello there.', 'Hello there.', '')).toEqual(hello);
    expect(activity('goose', text('one', 'a'), text('one', 'b'))).toEqual([
      { type: 'agent', message: 'one' },
      { type: 'agent', message: 'one' },
    ]);
  });

  it('begins a message anew after a tool, and reports text that nothing follows', () => {
    const events = translated('goose', text('a'), request('shell', {}), response(), text('a', 'n'));
    expect(events.map(event => ('id' in event ? [event.type, event.id] : [event.type]))).toEqual([
      ['step_start'],
      ['text', 'r/m1/0'],
      ['tool_call', 'r/1'],
      ['tool_result', 'r/1'],
      ['step_start'],
      ['text', 'r/m2/0'],
    ]);
    const unnamed = [text('a'), request('shell', {}), response(), text('a')].map(record => ({
      ...record,
      message: { ...record.message, id: null },
    }));
    expect(translated('goose', ...unnamed).filter(({ type }) => type === 'step_start')).toHaveLength(2);
  });

  it('keeps thinking apart from text and passes over what is redacted', () => {
    const thought = message('assistant', [
      { type: 'thinking', thinking: 'hm', signature: '' },
      { type: 'redactedThinking', data: 'x' },
      { type: 'text', text: 'so' },
    ]);
    expect(translated('goose', thought)).toMatchObject([
      { type: 'step_start', model: 'gpt' },
      { type: 'reasoning', id: 'r/m1/0', content: 'hm' },
      { type: 'text', id: 'r/m1/1', content: 'so' },
    ]);
  });

  it('reports the truth about a tool and not its status', () => {
    const output = (value: unknown) => translated('goose', request('shell', {}), response(value)).at(-1);
    const structured = (fields: object) => said('x', { isError: true, structuredContent: fields });
    expect(output(structured({ exit_code: 3 }))).toMatchObject({ output: { context: 'x', result: { exitCode: 3 } } });
    expect(output(structured({ timed_out: true }))).toMatchObject({ output: { error: 'x' } });
    expect(output(said('x', { isError: true }))).toMatchObject({ output: { error: 'x' } });
    expect(output(said('The user has declined to run this tool. DO NOT'))).toMatchObject({
      output: { status: 'denied' },
    });
    const image = [{ type: 'image', data: 'x', mimeType: 'image/png' }];
    expect(output({ content: image })).toMatchObject({ output: { context: image } });
  });

  it('keeps a call that could not be read, with its error', () => {
    const broken = (error: string) => [
      message('assistant', [{ type: 'toolRequest', id: '1', toolCall: { status: 'error', error } }]),
      message('user', [{ type: 'toolResponse', id: '1', toolResult: { status: 'error', error } }]),
    ];
    expect(translated('goose', ...broken("-32600: Tool 'shell' was not advertised"))).toMatchObject([
      { type: 'step_start' },
      { type: 'tool_call', name: 'shell' },
      { type: 'tool_result', output: { error: "-32600: Tool 'shell' was not advertised" } },
    ]);
    const [call, ...rest] = broken('-32602: truncated');
    expect(activity('goose', call, ...rest)).toEqual([{ type: 'unknown', raw: call }]);
  });

  it('does not guess when two calls have one id, nor when none has', () => {
    const twice = [request('read', { path: '/a' }), request('write', { path: '/b' }), response(said('ok'))];
    expect(activity('goose', ...twice)).toMatchObject([
      { type: 'unknown', raw: { type: 'toolResponse' } },
      { type: 'read', path: '/a' },
      { type: 'write', path: '/b' },
    ]);
    expect(activity('goose', response())).toMatchObject([{ type: 'unknown', raw: { type: 'toolResponse' } }]);
  });

  it('makes tasks of a todo list that was written', () => {
    const call = request('todo__todo_write', { content: '# Plan\n- [ ] one\n- [x] two' });
    expect(translated('goose', call, response(said('ok'))).at(-1)).toMatchObject({
      type: 'tasks',
      tasks: [
        { id: '1', content: 'one', status: 'pending' },
        { id: '2', content: 'two', status: 'completed' },
      ],
    });
    const refused = translated('goose', call, response(said('no', { isError: true })));
    expect(refused.map(({ type }) => type)).toEqual(['step_start', 'tool_call', 'tool_result']);
  });

  it.each([
    [`Ran into this error: Server error: down.${retry}`, 'Server error: down.'],
    ['Network error: cut\n\nPlease resend your message to try again.', 'Network error: cut'],
  ])('ends by an error that arrives as text: %j', (reported, expected) => {
    const failed = message('assistant', [{ type: 'text', text: reported }], own);
    const ended = { ...complete, input_tokens: 0, output_tokens: 0 };
    expect(translated('goose', failed, ended)).toMatchObject(failure({ message: expected }));
    expect(activity('goose', failed, ended)).toEqual([{ type: 'error', message: expected }]);
  });

  it('does not take what the model writes for an error, and goes on after one', () => {
    const reported = `Ran into this error: x.${retry}`;
    expect(activity('goose', text(reported))).toEqual([{ type: 'agent', message: reported }]);
    const failed = message('assistant', [{ type: 'text', text: reported }], own);
    expect(translated('goose', failed, text('on'))).toMatchObject([
      { type: 'error', message: 'x.' },
      { type: 'step_start' },
      { type: 'text', content: 'on' },
    ]);
  });

  it('reports an error once that a message and a record report', () => {
    const reported = `Ran into this error: bad key.${retry}`;
    const block = message('assistant', [{ type: 'error', kind: 'authentication', message: reported }], own);
    expect(translated('goose', block, { type: 'error', error: reported })).toMatchObject(
      failure({ message: 'bad key.', code: 'authentication' }),
    );
  });

  it('makes a warning of a notice, and an error of the one that there is no credit', () => {
    const notice = (notificationType: string) =>
      translated('goose', message('assistant', [{ type: 'systemNotification', notificationType, msg: 'x' }], own));
    expect(notice('inlineMessage').at(-1)).toMatchObject({ type: 'warning', message: 'x', code: 'inlineMessage' });
    expect(notice('creditsExhausted')).toMatchObject(failure({ code: 'creditsExhausted' }));
  });

  it('counts what a new session used, and not again what a resumed one had used', () => {
    const used = { ...complete, cache_read_input_tokens: 4, cache_write_input_tokens: 0 };
    expect(translated('goose', ...banner, used).at(-1)).toMatchObject({
      type: 'usage',
      inputTokens: 5,
      outputTokens: 2,
      cacheReadTokens: 4,
      model: 'gpt',
    });
    expect(translated('goose', ...resuming, used).map(event => event.type)).toEqual(['session']);
    expect(translated('goose', { type: 'complete', total_tokens: 7 })).toEqual([]);
  });

  it('counts what a run of a resumed session used, when it is known what the session had used before', () => {
    const used = (lines: string[], inputTokens: number, outputTokens: number) => {
      const translator = gooseTranslator({ runId: 'r', usedBefore: { inputTokens, outputTokens } });
      const events = [...lines, JSON.stringify(complete)].flatMap(line => translator.translate(line));
      return events.flatMap(event => (event.type === 'usage' ? [event.inputTokens, event.outputTokens] : []));
    };
    expect(used(resuming, 3, 2)).toEqual([2, 0]);
    expect(used(resuming, 0, 0)).toEqual([5, 2]);
    expect(used(resuming, 5, 2)).toEqual([]);
    expect(used(resuming, 50, 1)).toEqual([5, 2]);
    expect(used(banner, 3, 2)).toEqual([5, 2]);
  });

  it('runs a subagent in a run of its own, with what is said about it', () => {
    const notice = { type: 'notification', extension_id: '1', log: { message: '[subagent:2] shell' } };
    const child = { runId: 'r/1/run' };
    const done = response(said('found it', { _meta: { subagent_session_id: 's2' } }));
    expect(translated('goose', request('delegate', { source: 'scout' }), notice, done)).toMatchObject([
      { type: 'step_start' },
      { type: 'tool_call', id: 'r/1', name: 'delegate' },
      { type: 'harness_start', ...child, parentId: 'r/1', agentId: 'scout' },
      { type: 'unknown', ...child, raw: notice },
      { type: 'text', ...child, content: 'found it' },
      { type: 'harness_end', ...child, reason: 'complete' },
      { type: 'tool_result', id: 'r/1', output: { context: 'found it', result: { sessionId: 's2' } } },
    ]);
    expect(activity('goose', notice)).toEqual([{ type: 'unknown', raw: notice }]);
  });

  it.each([
    ['that says so', response(said(`Ran into this error: no.${retry}`)), 'no.'],
    ['that could not start', response(said('no agent', { isError: true })), 'no agent'],
  ])('reports a subagent that failed: one %s', (_what, answer, error) => {
    const child = { subagentId: '1' };
    expect(activity('goose', request('summon__delegate', {}), answer)).toEqual([
      { type: 'orchestration', action: 'subagent_started', ...child },
      { type: 'orchestration', action: 'subagent_failed', ...child, isSuccess: false },
    ]);
    expect(translated('goose', request('summon__delegate', {}), answer)).toContainEqual(
      expect.objectContaining({ type: 'error', message: error, fatal: true }),
    );
  });

  it('ends a subagent in the background when it is loaded', () => {
    const meta = { subagent_session_id: 's2' };
    const started = [request('delegate', { async: true }), response(said('Task s2 started', { _meta: meta }))];
    const loaded = (status: string, answer: string) => [
      ...started,
      request('load', { source: 's2' }, '2'),
      response(said(answer, { _meta: { ...meta, task_status: status } }), '2'),
    ];
    const actions = (...records: unknown[]) =>
      activity('goose', ...records).map(entry => ('action' in entry ? entry.action : entry.type));
    expect(actions(...started)).toEqual(['subagent_started']);
    expect(actions(...loaded('running', '…'))).toEqual(['subagent_started', 'unknown']);
    expect(actions(...loaded('failed', 'no'))).toEqual(['subagent_started', 'subagent_failed']);
    const ended = loaded('completed', '# Result\n\n## Output\n\nIt is here.');
    expect(actions(...ended)).toEqual(['subagent_started', 'subagent_completed']);
    expect(translated('goose', ...ended)).toContainEqual(
      expect.objectContaining({ type: 'text', content: 'It is here.', fromResult: true }),
    );
  });

  it('makes unknown of types, roles and blocks that it does not know', () => {
    const records = [{ type: 'model_change', model: 'x' }, { no: 'type' }, [1], 7, { type: 'message' }];
    for (const record of [...records, message('system', [])])
      expect(translated('goose', record)).toMatchObject([{ type: 'unknown', raw: record }]);
    const odd = [{ type: 'actionRequired' }, { type: 'toolRequest', id: '1' }, { type: 'text', text: 1 }, null];
    for (const role of ['assistant', 'user'])
      expect(
        translated('goose', message(role, odd)).filter(({ type }) => type === 'unknown').length,
      ).toBeGreaterThanOrEqual(3);
    expect(translated('goose', 'not json', '', '  ')).toMatchObject([{ type: 'unknown', raw: 'not json' }]);
    expect(activity('goose', message('user', [{ type: 'text', text: 'the prompt' }]))).toEqual([]);
  });

  it('is started with its prompt in one argument, or with it as its input', () => {
    expect(gooseCommand({ prompt: '--help' })).toEqual({
      args: ['run', '--output-format', 'stream-json', '--name', 'singletree', '--text=--help'],
    });
    expect(gooseCommand({ prompt: 'go', sessionName: 'n' }).args).toContain('n');
    const { args: resumed, env } = gooseCommand({
      prompt: 'go',
      model: 'm',
      sessionId: 's',
      yolo: true,
      extraArgs: ['-q'],
    });
    expect(resumed.join(' ')).toBe('run --output-format stream-json --model m --resume --name s -q --text=go');
    expect(env).toEqual({ GOOSE_MODE: 'auto' });
    const long = 'x'.repeat(200_000);
    const { args, input } = gooseCommand({ prompt: long });
    expect([args.slice(-2), input]).toEqual([['--instructions', '-'], long]);
  });
});
