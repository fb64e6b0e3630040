import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { captures, linesOf, replay } from './captures.ts';
import { activity, failure, translated } from './translated.ts';

const init = { type: 'system', subtype: 'init', session_id: 's', cwd: '/w', model: 'm' };
const use = (id: string, name: string, input: unknown, more = {}) => ({
  type: 'assistant',
  message: { id: `msg-${id}`, content: [{ type: 'tool_use', id, name, input }] },
  ...more,
});
const result = (id: string, content: unknown = 'ok', more = {}) => ({
  type: 'user',
  message: { content: [{ type: 'tool_result', tool_use_id: id, content }] },
  ...more,
});
const base = { sessionId: 's' };

describe('Claude Code', () => {
  it('maps every tool of the table, with relative paths in the workspace', () => {
    const rows: [string, unknown, object][] = [
      ['Read', { file_path: 'a', offset: 3 }, { type: 'read', path: '/w/a', startLine: 3 }],
      ['Read', { file_path: '/a', limit: 3 }, { type: 'read', path: '/a', startLine: 1, endLine: 3 }],
      ['Write', { file_path: '/a', content: 'secret' }, { type: 'write', path: '/a' }],
      ['Edit', { file_path: '/a' }, { type: 'write', path: '/a' }],
      ['MultiEdit', { file_path: '/a' }, { type: 'write', path: '/a' }],
      ['NotebookEdit', { notebook_path: '/a.ipynb' }, { type: 'write', path: '/a.ipynb' }],
      ['Grep', { pattern: 'x', path: 'lib' }, { type: 'search', query: 'x', path: '/w/lib' }],
      ['Glob', { pattern: '*.ts' }, { type: 'search', query: '*.ts' }],
      ['LS', { path: '/w/src' }, { type: 'list', path: '/w/src' }],
      ['Bash', { command: 'cat x' }, { type: 'read', path: '/w/x' }],
      ['Skill', { skill: 'demo' }, { type: 'skill', path: '/w/skills/demo/SKILL.md', skillName: 'demo' }],
    ];
    for (const [name, input, expected] of rows)
      expect(activity('claude', init, use('1', name, input), result('1'))).toEqual([
        { ...base, ...expected, isSuccess: true },
      ]);
    expect(activity('claude', init, use('1', 'StructuredOutput', { a: 1 }), result('1'))).toEqual([]);
  });

  it('reports a tool it does not know as the line it came from', () => {
    const call = use('1', 'WebFetch', { url: 'x' });
    expect(activity('claude', init, call, result('1'))).toEqual([{ ...base, type: 'unknown', raw: call }]);
  });

  it('does not guess when two calls have one id, nor when none has', () => {
    const twice = [use('1', 'Read', { file_path: '/a' }), use('1', 'Write', { file_path: '/b' }), result('1')];
    expect(activity('claude', ...twice)).toEqual([
      { type: 'unknown', raw: twice[2] },
      { type: 'read', path: '/a' },
      { type: 'write', path: '/b' },
    ]);
    expect(activity('claude', result('9'))).toEqual([{ type: 'unknown', raw: result('9') }]);
  });

  it('recovers a read whose call was not seen from what its result reports', () => {
    const file = { filePath: '/a', startLine: 5, numLines: 2, content: 'secret' };
    expect(activity('claude', result('9', 'x', { tool_use_result: { type: 'text', file } }))).toEqual([
      { type: 'read', path: '/a', startLine: 5, endLine: 6, isSuccess: true },
    ]);
  });

  it('takes the folder of a skill from the text injected after it', () => {
    const injected = {
      type: 'user',
      isSynthetic: true,
      message: { content: [{ type: 'text', text: 'Base directory for this skill: /w/.claude/skills/demo\n\n# Demo' }] },
    };
    expect(activity('claude', init, use('1', 'Skill', { skill: 'demo' }), result('1'), injected)).toEqual([
      { ...base, type: 'skill', path: '/w/.claude/skills/demo/SKILL.md', skillName: 'demo', isSuccess: true },
    ]);
  });

  it('joins the text blocks of one record, also around thinking', () => {
    const blocks = [
      { type: 'text', text: 'one' },
      { type: 'thinking', thinking: 'hm' },
      { type: 'redacted_thinking', data: 'x' },
      { type: 'text', text: 'two' },
    ];
    const part = (...content: object[]) => ({ type: 'assistant', message: { id: 'm', content } });
    expect(activity('claude', part(...blocks))).toEqual([{ type: 'agent', message: 'one\ntwo' }]);
    expect(activity('claude', ...blocks.map(block => part(block)))).toEqual([
      { type: 'agent', message: 'one' },
      { type: 'agent', message: 'two' },
    ]);
  });

  it('stops resolving paths of commands once its shell may be elsewhere', () => {
    const calls = ['cd sub && cat a', 'cat b'].flatMap((command, i) => [
      use(`${i}`, 'Bash', { command }),
      result(`${i}`),
    ]);
    expect(activity('claude', init, ...calls)).toMatchObject([{ path: '/w/sub/a' }, { path: 'b' }]);
  });

  it('reports an error that was retried, or that the run survived, without ending the run', () => {
    const failed = {
      type: 'assistant',
      error: 'server_error',
      is_api_error_message: true,
      message: { content: 'bad' },
    };
    const spoke = { type: 'assistant', message: { id: 'm', content: 'on' } };
    expect(translated('claude', failed, spoke)).toMatchObject([
      { type: 'error', message: 'bad', code: 'server_error' },
      { type: 'step_start' },
      { type: 'text', content: 'on' },
    ]);
    expect(translated('claude', failed, { type: 'system', subtype: 'api_retry' })).toMatchObject([
      { type: 'error' },
      { type: 'warning' },
    ]);
  });

  it('reports a run that reached its limit of turns', () => {
    const events = translated('claude', { type: 'result', subtype: 'error_max_turns', is_error: true });
    expect(events).toMatchObject(failure({ code: 'error_max_turns' }));
  });

  it('makes unknown of subtypes, types and blocks that it does not know', () => {
    for (const record of [{ type: 'system', subtype: 'hook_started' }, { type: 'brand_new' }, { no: 'type' }, [1], 7])
      expect(translated('claude', record)).toMatchObject([{ type: 'unknown', raw: record }]);
    const odd = {
      type: 'assistant',
      message: { id: 'm', content: [{ type: 'tool_use', id: '1' }, { type: 'video' }] },
    };
    expect(translated('claude', odd).filter(event => event.type === 'unknown')).toHaveLength(2);
    expect(translated('claude', 'not json', '', '  ')).toMatchObject([{ type: 'unknown', raw: 'not json' }]);
  });

  it('runs a background command without taking it for a subagent', () => {
    const task = { type: 'system', subtype: 'task_started', tool_use_id: '1', task_type: 'local_bash' };
    expect(activity('claude', use('1', 'Bash', { command: 'make' }), task, result('1'))).toEqual([
      { type: 'unknown', raw: task },
      { type: 'command', command: 'make', isSuccess: true },
    ]);
  });

  it('does not take what a subagent was asked for its answer', () => {
    const started = { type: 'system', subtype: 'task_started', task_id: 't', tool_use_id: '1', description: 'Look' };
    const ended = { type: 'system', subtype: 'task_notification', tool_use_id: '1', status: 'completed' };
    const answers = (summary: string) =>
      translated('claude', use('1', 'Agent', {}), started, { ...ended, summary }).flatMap(event =>
        event.type === 'text' ? [event.content] : [],
      );
    expect(answers('Look')).toEqual([]);
    expect(answers('Found it.')).toEqual(['Found it.']);
  });

  it('ends a subagent with its answer, unless it said something itself', () => {
    const child = { parent_tool_use_id: '1' };
    const quiet = use('2', 'Bash', { command: 'ls' }, child);
    const spoke = { type: 'assistant', message: { id: 'm', content: 'By itself.' }, ...child };
    const said = (...records: unknown[]) =>
      translated('claude', use('1', 'Task', {}), ...records)
        .filter(event => event.runId !== 'r')
        .flatMap(event =>
          event.type === 'text' ? event.content : event.type === 'error' ? `failed: ${event.message}` : [],
        );
    const answer = [{ type: 'text', text: 'The answer.' }];
    const framed = { tool_use_result: { content: [{ type: 'text', text: 'note' }, ...answer] } };
    expect(said(quiet, result('1', answer))).toEqual(['The answer.']);
    expect(said(result('1', answer))).toEqual(['The answer.']);
    expect(said(quiet, result('1', 'A frame around it.', framed))).toEqual(['The answer.']);
    expect(said(spoke, result('1', answer))).toEqual(['By itself.']);
    const failed = {
      type: 'user',
      message: { content: [{ ...result('1', 'no').message.content[0], is_error: true }] },
    };
    expect(said(quiet, failed)).toEqual(['failed: no']);
  });

  it('keeps what is reported about a subagent in its run, while it runs', () => {
    const system = (subtype: string, more = {}) => ({ type: 'system', subtype, task_id: 't', ...more });
    const updated = system('task_updated');
    const progress = system('task_progress', { tool_use_id: '1' });
    const ended = system('task_notification', { tool_use_id: '1', status: 'completed' });
    const records = [use('1', 'Agent', {}), system('task_started', { tool_use_id: '1' })];
    const unknown = translated('claude', ...records, progress, updated, ended, updated).filter(
      ({ type }) => type === 'unknown',
    );
    expect(unknown).toMatchObject([
      { runId: 'r/t/run', raw: progress },
      { runId: 'r/t/run', raw: updated },
      { runId: 'r', raw: updated },
    ]);
  });

  describe('its tasks', () => {
    const tasksOf = (...records: unknown[]) =>
      translated('claude', ...records).flatMap(event => (event.type === 'tasks' ? [event.tasks] : []));
    const todo = use('1', 'TodoWrite', { todos: [{ content: 'one', status: 'in_progress' }] });
    const create = (id: string, subject: string) => [
      use(`c${id}`, 'TaskCreate', { subject, activeForm: 'Doing' }),
      result(`c${id}`, 'ok', { tool_use_result: { task: { id, subject } } }),
    ];
    const update = (taskId: string, change: object) => [
      use('u', 'TaskUpdate', { taskId, ...change }),
      result('u', 'ok', { tool_use_result: { success: true } }),
    ];
    const task = (id: string, content: string, status: string) => ({ id, content, status, activeForm: 'Doing' });

    it('are reported when a list was written, and not when that was refused', () => {
      expect(tasksOf(todo)).toEqual([]);
      expect(tasksOf(todo, result('1'))).toEqual([[{ id: '1', content: 'one', status: 'in_progress' }]]);
      const refused = {
        type: 'user',
        message: { content: [{ type: 'tool_result', tool_use_id: '1', is_error: true }] },
      };
      expect(tasksOf(todo, refused)).toEqual([]);
    });

    it('are reported whole when one is made, changed or deleted', () => {
      const [one, two] = [task('1', 'a', 'pending'), task('2', 'b', 'pending')];
      const records = [...create('1', 'a'), ...create('2', 'b')];
      expect(tasksOf(...records)).toEqual([[one], [one, two]]);
      expect(tasksOf(...records, ...update('2', { status: 'completed', subject: 'c' })).at(-1)).toEqual([
        one,
        task('2', 'c', 'completed'),
      ]);
      expect(tasksOf(...records, ...update('1', { status: 'deleted' })).at(-1)).toEqual([two]);
      expect(tasksOf(...records, ...update('9', { status: 'completed' }))).toHaveLength(2);
    });

    it('are not reported while an earlier run of the session may have made some', () => {
      expect(tasksOf(...create('3', 'c'), ...update('3', { status: 'completed' }))).toEqual([]);
    });
  });

  describe('what it used', () => {
    const message = (model: string) => ({ type: 'assistant', message: { id: 'm', model, content: 'hi' } });
    const ended = (input: number, all: Record<string, number>, more = {}) => ({
      type: 'result',
      subtype: 'success',
      usage: { input_tokens: input, output_tokens: 1 },
      modelUsage: Object.fromEntries(
        Object.entries(all).map(([model, inputTokens]) => [model, { inputTokens, outputTokens: 2 }]),
      ),
      ...more,
    });
    const used = (...records: unknown[]) =>
      translated('claude', ...records).flatMap(event =>
        event.type === 'usage' ? [[event.agentId, event.model, event.inputTokens, event.cost]] : [],
      );

    it('is reported with the model of its last message, and once for its subagents at the end', () => {
      expect(used(message('x'), ended(2, { x: 6 }, { total_cost_usd: 1 }), ended(1, { x: 6 }))).toEqual([
        [undefined, 'x', 2, 1],
        [undefined, 'x', 1, undefined],
        ['claude/subagents', 'x', 3, undefined],
      ]);
    });

    it('names no model of subagents when there were several', () => {
      expect(used(message('x'), message('<synthetic>'), ended(2, { x: 2, y: 5 }))).toEqual([
        [undefined, 'x', 2, undefined],
        ['claude/subagents', undefined, 5, undefined],
      ]);
    });

    const totals = captures().flatMap(capture => {
      if (capture.adapter.id !== 'claude') return [];
      const records = linesOf(join(capture.folder, 'raw.jsonl')).map(line => JSON.parse(line) as object);
      const last = records.findLast(record => 'modelUsage' in record) as { modelUsage: object } | undefined;
      const models = Object.values(last?.modelUsage ?? {}) as Record<string, number>[];
      const total = models.reduce(
        (sum, { inputTokens = 0, cacheReadInputTokens = 0, cacheCreationInputTokens = 0 }) =>
          sum + inputTokens + cacheReadInputTokens + cacheCreationInputTokens,
        0,
      );
      return last === undefined ? [] : [{ capture, name: capture.name, total }];
    });

    it.each(totals)('adds up to what $name reports for all its models', ({ capture, total }) => {
      const { events } = replay(capture);
      expect(events.reduce((sum, event) => sum + (event.type === 'usage' ? event.inputTokens : 0), 0)).toBe(total);
    });
  });

  it('reports a subagent that failed, and one whose end was never reported', () => {
    const started = { type: 'system', subtype: 'task_started', task_id: 't', tool_use_id: '1', subagent_type: 'Plan' };
    const failed = { type: 'system', subtype: 'task_notification', tool_use_id: '1', status: 'failed', summary: 'no' };
    const child = { subagentId: 't', subagentName: 'Plan' };
    expect(activity('claude', use('1', 'Agent', {}), started, failed)).toEqual([
      { type: 'orchestration', action: 'subagent_started', ...child },
      { type: 'orchestration', action: 'subagent_failed', ...child, isSuccess: false },
    ]);
    expect(activity('claude', use('1', 'Agent', {}), started)).toHaveLength(1);
  });
});
