import { describe, expect, it } from 'vitest';
import { cliAdapters } from '../../src/agents/cli/adapters/cli-adapters.ts';
import { RunTranslation } from '../../src/agents/cli/agent/run-translation.ts';
import type { CliAdapter } from '../../src/agents/cli/contract/cli-adapter.ts';
import { createActivityState, projectActivity } from '../../src/projections/index.ts';
import { activity } from './translated.ts';

/** The activity that each line adds when it arrives, and at the end: `type second what`. The clock is the line number. */
function live(agent: string, ...records: unknown[]): string[][] {
  let second = 0;
  const adapter = cliAdapters[agent] as CliAdapter;
  const run = new RunTranslation({
    runId: 'r',
    adapter,
    translator: adapter.translator({ runId: 'r' }),
    now: () => new Date(second * 1000).toISOString(),
  });
  const state = createActivityState();
  const shown = (events: ReturnType<typeof run.start>) =>
    events
      .flatMap(event => projectActivity(state, event))
      .map(
        entry => `${entry.type} ${Date.parse(entry.timestamp) / 1000}${'message' in entry ? ` ${entry.message}` : ''}`,
      );
  shown(run.start());
  const lines = records.map((record, index) => {
    second = index + 1;
    return shown(run.line('stdout', typeof record === 'string' ? record : JSON.stringify(record), index + 1));
  });
  second = records.length + 1;
  return [...lines, shown(run.end({ exitCode: 0 }))];
}

const goose = (content: unknown[], more = {}) => ({
  type: 'message',
  message: { id: 'm', role: 'assistant', content, metadata: { inference: {} }, ...more },
});
const piText = [{ type: 'text', text: 'hi' }];
const clineText = (type: string, more = {}) => ({
  type: 'agent_event',
  event: { type, contentType: 'text', text: 'hi', ...more },
});
const step = (more: object) => ({
  event: 'step_update',
  step_update: { step_type: 'agent_response', step_index: 1, ...more },
});

describe('a message of an agent', () => {
  it.each<[string, unknown[]]>([
    ['codex', [{ type: 'item.completed', item: { id: 'i', type: 'agent_message', text: 'hi' } }]],
    ['claude', [{ type: 'assistant', message: { id: 'm', content: piText } }]],
    ['opencode', [{ type: 'text', sessionID: 's', part: { id: 'p', text: 'hi' } }]],
    ['kilo', [{ type: 'text', sessionID: 's', part: { id: 'p', text: 'hi' } }]],
    ['cline', [{ ts: 1, type: 'say', say: 'text', text: 'hi' }]],
    ['antigravity', [step({ state: 'DONE', text_delta: 'hi' })]],
    ['pi', [{ type: 'message_end', message: { role: 'assistant', content: piText } }]],
  ])('of %s is emitted with the record that completes it', (agent, records) => {
    expect(live(agent, ...records)).toEqual([['agent 1 hi'], []]);
  });

  const delta = { type: 'content_block_delta', delta: { type: 'text_delta', text: 'hi' } };
  it.each<[string, unknown[]]>([
    [
      'claude',
      [
        { type: 'stream_event', event: delta },
        { type: 'assistant', message: { content: piText } },
      ],
    ],
    ['cline', [clineText('content_start', { accumulated: 'hi' }), clineText('content_end')]],
    ['antigravity', [step({ text_delta: 'hi' }), step({ state: 'DONE' })]],
    [
      'pi',
      [
        { type: 'message_update', assistantMessageEvent: { type: 'text_delta', contentIndex: 0, delta: 'hi' } },
        { type: 'message_end', message: { role: 'assistant', content: piText } },
      ],
    ],
  ])('that %s streamed has the time of the record that completes it', (agent, records) => {
    expect(live(agent, ...records)).toEqual([[], ['agent 2 hi'], []]);
  });

  it('of Cline is not ended by the usage that is reported before its last record', () => {
    const start = clineText('content_start', { text: 'h', accumulated: 'h' });
    const usage = { type: 'agent_event', event: { type: 'usage', inputTokens: 5, outputTokens: 2 } };
    expect(live('cline', start, usage, clineText('content_end'))).toEqual([[], [], ['agent 3 hi'], []]);
  });

  it('of Claude Code does not wait for a subagent in the background', () => {
    const started = { type: 'system', subtype: 'task_started', task_id: 't', tool_use_id: '1' };
    const work = { type: 'assistant', parent_tool_use_id: '1', message: { id: 'c', content: [] } };
    const said = { type: 'assistant', message: { id: 'm', content: piText } };
    const call = { type: 'tool_use', id: '1', name: 'Agent', input: {} };
    const records = [{ type: 'assistant', message: { id: 'a', content: [call] } }, started, said, work, work];
    expect(live('claude', ...records)[2]).toEqual(['agent 3 hi']);
  });

  it('of Goose is accumulated until other activity follows, and has the time of its last line', () => {
    const pieces = ['h', 'i'].map(text => goose([{ type: 'text', text }]));
    const call = { type: 'toolRequest', id: '1', toolCall: { value: { name: 'shell', arguments: { command: 'ls' } } } };
    expect(live('goose', ...pieces, goose([call])).slice(0, 3)).toEqual([[], [], ['agent 2 hi']]);
  });

  it.each([{ input_tokens: 5, output_tokens: 2 }, {}])('of Goose ends with the run: %j', used => {
    const pieces = ['h', 'i'].map(text => goose([{ type: 'text', text }]));
    expect(live('goose', ...pieces, { type: 'complete', ...used })).toEqual([[], [], ['agent 2 hi'], []]);
  });
});

describe('an error of a program', () => {
  const retry = '\n\nPlease retry if you think this is a transient or recoverable error.';
  const api = { name: 'APIError', data: { message: 'down' } };
  it.each<[string, unknown, unknown]>([
    ['codex', { type: 'error', message: 'down' }, { type: 'turn.failed', error: { message: 'down' } }],
    ['goose', goose([{ type: 'text', text: `down${retry}` }], { metadata: {} }), { type: 'complete' }],
    ['goose', { type: 'error', error: 'down' }, { type: 'complete' }],
    ['opencode', { type: 'error', sessionID: 's', error: api }, { type: 'step_finish', part: {} }],
    ['kilo', { type: 'error', sessionID: 's', error: 'down' }, { type: 'step_finish', part: {} }],
  ])('%s is emitted when it is reported, once', (agent, error, next) => {
    expect(live(agent, error, next)).toEqual([['error 1 down'], [], []]);
  });

  it('that ends the run comes after the call that it left open', () => {
    const state = createActivityState();
    const call = { type: 'tool_call', runId: 'r', id: '1', name: 'x', input: {} } as const;
    const fatal = { type: 'error', runId: 'r', message: 'down', fatal: true } as const;
    const shown = [call, fatal].flatMap(event => projectActivity(state, event));
    expect(shown.map(({ type }) => type)).toEqual(['unknown', 'error']);
  });

  it('comes before text of the same step that is reported after it', () => {
    const text = { type: 'text', sessionID: 's', part: { id: 'p', text: 'hi' } };
    const records = [{ type: 'step_start', sessionID: 's', part: {} }, { type: 'error', error: api }, text];
    expect(live('opencode', ...records).slice(1)).toEqual([['error 2 down'], ['agent 3 hi'], []]);
  });

  it('of Pi waits until it is known that it is not retried', () => {
    const failed = {
      type: 'message_end',
      message: { role: 'assistant', content: [], stopReason: 'error', errorMessage: 'down' },
    };
    expect(live('pi', failed, { type: 'agent_end', willRetry: false })).toEqual([[], ['error 2 down'], []]);
    const retried = [
      failed,
      { type: 'agent_end', willRetry: true },
      { type: 'auto_retry_start', errorMessage: 'down' },
    ];
    expect(live('pi', ...retried).flat()).toEqual(['warning 3 down (retry ? of ?)']);
  });

  it.each<[string, object, string]>([
    ['codex', { type: 'error', message: '' }, 'The program reported an error.'],
    [
      'codex',
      { type: 'item.completed', item: { id: 'i', type: 'error', message: '' } },
      'The program reported an error.',
    ],
    ['opencode', { type: 'error', error: {} }, 'The program reported an error.'],
    ['kilo', { type: 'error', error: { status: 500 } }, '{"status":500}'],
    ['goose', { type: 'error', error: { message: 'down' } }, 'down'],
    ['claude', { type: 'result', subtype: 'success', is_error: true, result: '' }, 'The program reported an error.'],
  ])('%s stays an error without a text of its own: %j', (agent, error, message) => {
    expect(live(agent, error)).toEqual([[`error 1 ${message}`], []]);
  });

  it('always has a message', () => {
    const empty = { type: 'assistant', error: 'unknown', is_api_error_message: true, message: { content: ' ' } };
    expect(activity('claude', empty)).toEqual([
      { type: 'error', message: 'The program reported an error.', code: 'unknown' },
    ]);
    const state = createActivityState();
    expect(projectActivity(state, { type: 'error', runId: 'r', message: '' })).toMatchObject([
      { type: 'error', message: 'An error without a message.' },
    ]);
  });
});

describe('a call that is no operation', () => {
  const collab = (tool: string, states = {}) => ({
    type: 'item.completed',
    item: { id: tool, type: 'collab_tool_call', tool, status: 'completed', agents_states: states },
  });
  const use = {
    type: 'assistant',
    message: { id: 'm', content: [{ type: 'tool_use', id: '1', name: 'Agent', input: { subagent_type: 'scout' } }] },
  };
  const result = (more: object) => ({
    type: 'user',
    message: { content: [{ type: 'tool_result', tool_use_id: '1', content: 'no', ...more }] },
  });
  const failed = { type: 'orchestration', action: 'subagent_failed', subagentName: 'scout', isSuccess: false };

  it.each(['wait', 'send_input', 'resume_agent', 'close_agent'])('is shown: %s of Codex', tool => {
    expect(activity('codex', collab(tool))).toEqual([{ type: 'unknown', raw: collab(tool) }]);
  });

  it('is the end of the subagent that it reports', () => {
    const running = { a: { status: 'running' } };
    const done = { a: { status: 'completed', message: 'Found.' } };
    expect(activity('codex', collab('spawn_agent', running), collab('wait', done))).toMatchObject([
      { action: 'subagent_started' },
      { action: 'subagent_completed' },
    ]);
  });

  it('is shown: a call for a subagent of Claude Code that starts no run', () => {
    expect(activity('claude', use, result({ is_error: true }))).toEqual([failed]);
    const denied = { type: 'system', subtype: 'permission_denied', tool_use_id: '1', tool_name: 'Agent' };
    expect(activity('claude', use, denied, result({ is_error: true })).at(-1)).toEqual(failed);
    expect(activity('claude', use)).toEqual([{ type: 'unknown', raw: use }]);
  });

  it('is shown: `load` of Goose for what is no task', () => {
    const call = goose([
      { type: 'toolRequest', id: '1', toolCall: { value: { name: 'load', arguments: { source: 'x' } } } },
    ]);
    const response = { type: 'toolResponse', id: '1', toolResult: { status: 'success', value: { content: [] } } };
    expect(activity('goose', call, goose([response], { role: 'user' }))).toEqual([{ type: 'unknown', raw: call }]);
  });

  it.each<[string, unknown, unknown]>([
    [
      'codex',
      { type: 'item.started', item: { id: '1', type: 'mcp_tool_call', server: 's', tool: 't', status: 'in_progress' } },
      { type: 'item.completed', item: { id: '1', type: 'mcp_tool_call', server: 's', tool: 't', status: 'failed' } },
    ],
    [
      'codex',
      { type: 'item.started', item: { id: '1', type: 'web_search', query: '' } },
      { type: 'item.completed', item: { id: '1', type: 'web_search', query: 'x' } },
    ],
    [
      'codex',
      { type: 'item.started', item: { id: '1', type: 'todo_list', items: [] } },
      { type: 'item.completed', item: { id: '1', type: 'todo_list', items: [{ text: 'a', completed: true }] } },
    ],
    [
      'cline',
      {
        type: 'agent_event',
        event: { type: 'content_start', contentType: 'tool', toolName: 't', toolCallId: '1', input: {} },
      },
      {
        type: 'agent_event',
        event: { type: 'content_end', contentType: 'tool', toolName: 't', toolCallId: '1', error: 'no' },
      },
    ],
    [
      'pi',
      { type: 'tool_execution_start', toolCallId: '1', toolName: 't', args: {} },
      { type: 'tool_execution_end', toolCallId: '1', toolName: 't', isError: true },
    ],
  ])('of %s is unknown, with the record of its result', (agent, start, end) => {
    expect(activity(agent, start, end)).toEqual([{ type: 'unknown', raw: end }]);
    expect(activity(agent, start)).toEqual([{ type: 'unknown', raw: start }]);
  });
});

describe('a subagent that failed', () => {
  it('is one failure and no error of the run', () => {
    const task = { status: 'error', input: {}, error: 'down', metadata: { sessionId: 'a' } };
    const record = { type: 'tool_use', sessionID: 's', part: { tool: 'task', callID: '1', state: task } };
    expect(activity('opencode', record).map(entry => ('action' in entry ? entry.action : entry.type))).toEqual([
      'subagent_started',
      'subagent_failed',
    ]);
  });

  it('is one failure when its call fails with it', () => {
    const call = {
      type: 'assistant',
      message: { id: 'm', content: [{ type: 'tool_use', id: '1', name: 'Task', input: {} }] },
    };
    const child = { parent_tool_use_id: '1' };
    const broken = {
      type: 'assistant',
      ...child,
      error: 'server_error',
      is_api_error_message: true,
      message: { content: 'bad' },
    };
    const end = {
      type: 'user',
      message: { content: [{ type: 'tool_result', tool_use_id: '1', content: 'bad', is_error: true }] },
    };
    expect(activity('claude', call, broken, end).map(entry => ('action' in entry ? entry.action : entry.type))).toEqual(
      ['subagent_started', 'subagent_failed'],
    );
  });
});
