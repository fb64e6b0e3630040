import { describe, expect, it } from 'vitest';
import { cliAdapters } from '../../src/agents/cli/adapters/cli-adapters.ts';
import { type ProcessEnd, RunTranslation } from '../../src/agents/cli/agent/run-translation.ts';
import type { CliAdapter } from '../../src/agents/cli/contract/cli-adapter.ts';
import type { AgentEvent } from '../../src/events/index.ts';
import { createActivityState, projectActivity } from '../../src/projections/index.ts';
import { activity, translated } from './translated.ts';

/** An update of a session of an ACP agent. */
const update = (fields: object) => ({
  jsonrpc: '2.0',
  method: 'session/update',
  params: { sessionId: 's', update: fields },
});
const ended = { jsonrpc: '2.0', id: 2, result: { stopReason: 'end_turn' } };

describe('a call that was stopped', () => {
  const start: readonly AgentEvent[] = [
    { type: 'harness_start', runId: 'r', agentId: 'codex' },
    { type: 'tool_call', runId: 'r', id: 'c', name: 'command_execution', input: { command: 'sleep 30' } },
  ];
  const endOf = (reason: 'aborted' | 'timeout' | 'interrupted'): AgentEvent => ({
    type: 'harness_end',
    runId: 'r',
    agentId: 'codex',
    reason,
  });
  const shown = (events: readonly AgentEvent[]) => {
    const state = createActivityState();
    return [...start, ...events].flatMap(event => projectActivity(state, event))[0];
  };

  it('is no success when it has no result and its run was stopped', () => {
    const late: AgentEvent = { type: 'error', runId: 'r', message: 'It ran for 1 s.', code: 'timeout', fatal: true };
    expect(shown([endOf('aborted')])).toMatchObject({ type: 'command', isSuccess: false });
    expect(shown([late, endOf('timeout')])).toMatchObject({ type: 'command', isSuccess: false });
  });

  it('has an unknown outcome when its stream was cut off', () => {
    expect(shown([endOf('interrupted')])).toEqual({ type: 'command', timestamp: '', command: 'sleep 30' });
  });

  it.each([
    ['a signal', { exitCode: null, signal: 'SIGKILL' }],
    ['the number of a signal', { exitCode: 0, signal: 9 }],
    ['no exit code', { output: 'tick', metadata: { exit: null } }],
    ['an abort', { aborted: true }],
  ])('is no success of an ACP agent that reports %s', (_, rawOutput) => {
    const call = { toolCallId: 't', kind: 'execute', _meta: { toolName: 'run_shell_command' } };
    expect(
      activity(
        'qwen',
        update({ sessionUpdate: 'tool_call', ...call, status: 'in_progress', rawInput: { command: 'sleep 30' } }),
        update({ sessionUpdate: 'tool_call_update', ...call, status: 'completed', rawOutput }),
        ended,
      ),
    ).toEqual([{ type: 'command', sessionId: 's', command: 'sleep 30', isSuccess: false }]);
  });

  it('is no success of Gemini CLI whose command ended by a signal', () => {
    const content = [{ type: 'content', content: { type: 'text', text: 'Command terminated by signal: SIGKILL' } }];
    const call = { toolCallId: 'run_shell_command__1', title: 'sleep 30', kind: 'execute', content };
    expect(
      activity('gemini', update({ sessionUpdate: 'tool_call_update', ...call, status: 'completed' }), ended),
    ).toEqual([{ type: 'command', sessionId: 's', command: 'sleep 30', isSuccess: false }]);
  });

  it('is no success of Goose whose command has no exit code', () => {
    const message = (role: string, content: object) => ({
      type: 'message',
      message: { id: role, role, created: 1, content: [content] },
    });
    const value = { name: 'shell', arguments: { command: 'sleep 30' } };
    const structuredContent = { stdout: 'tick', stderr: '' };
    const result = { content: [{ type: 'text', text: 'tick' }], structuredContent, isError: false };
    expect(
      activity(
        'goose',
        message('assistant', { type: 'toolRequest', id: 'c', toolCall: { status: 'success', value } }),
        message('user', { type: 'toolResponse', id: 'c', toolResult: { status: 'success', value: result } }),
      ),
    ).toEqual([{ type: 'command', command: 'sleep 30', isSuccess: false }]);
  });
});

describe('messages of an agent without message ids', () => {
  it('are two when the usage of a model call stands between them', () => {
    const chunk = (text: string, usage?: object) =>
      update({
        sessionUpdate: 'agent_message_chunk',
        content: { type: 'text', text },
        ...(usage && { _meta: { usage } }),
      });
    expect(
      activity('qwen', chunk('All done.'), chunk('', { inputTokens: 1, outputTokens: 1 }), chunk('Done.'), ended),
    ).toEqual([
      { type: 'agent', sessionId: 's', message: 'All done.' },
      { type: 'agent', sessionId: 's', message: 'Done.' },
    ]);
  });
});

describe('the cause of a failed exit', () => {
  const adapter = cliAdapters['codex'] as CliAdapter;
  const messageOf = (lines: readonly (readonly ['stdout' | 'stderr', string])[], end: ProcessEnd) => {
    const translator = adapter.translator({ runId: 'r' });
    const run = new RunTranslation({ runId: 'r', adapter, translator, now: () => '2026-01-01T00:00:00.000Z' });
    const events = [...lines.flatMap(([stream, text], index) => run.line(stream, text, index + 1)), ...run.end(end)];
    return events.flatMap(event => (event.type === 'error' ? [event.message] : []));
  };
  const said = '{"type":"item.completed","item":{"id":"i","type":"agent_message","text":"Working."}}';

  it('is what the program printed last', () => {
    expect(
      messageOf(
        [
          ['stdout', said],
          ['stderr', 'the roof is on fire'],
        ],
        { exitCode: 3 },
      ),
    ).toEqual(['codex exited with code 3: the roof is on fire']);
  });

  it.each([
    [
      'it printed before it went on working',
      [
        ['stderr', 'could not read a cache'],
        ['stdout', said],
      ],
    ],
    [
      'is a warning of its runtime',
      [
        ['stderr', '(node:12) ExperimentalWarning: SQLite is new'],
        ['stderr', 'warning: old config'],
      ],
    ],
    [
      'is its log',
      [
        ['stderr', '2026-01-01T00:00:00Z  WARN codex_core: slow'],
        ['stderr', '[acp] starting ACP mode over stdio…'],
      ],
    ],
  ] as const)('is not what %s', (_, lines) => {
    expect(messageOf(lines, { exitCode: 3 })).toEqual(['codex exited with code 3, without saying why.']);
  });

  it('is not what it printed when somebody else ended it', () => {
    expect(messageOf([['stderr', 'listening']], { exitCode: null, signal: 'SIGKILL' })).toEqual([
      expect.stringMatching(/SIGKILL, without saying why\.$/),
    ]);
    expect(messageOf([['stderr', 'panicked at main.rs']], { exitCode: null, signal: 'SIGABRT' })).toEqual([
      expect.stringMatching(/SIGABRT: panicked at main\.rs$/),
    ]);
  });
});

describe('the end of a subagent', () => {
  it('of Claude Code in the background is not answered by the notice about it', () => {
    const about = { type: 'system', session_id: 's', task_id: 'a', tool_use_id: 't' };
    const input = { description: 'Alpha', subagent_type: 'general-purpose' };
    const use = { type: 'tool_use', id: 't', name: 'Agent', input };
    const events = translated(
      'claude',
      { type: 'assistant', session_id: 's', message: { id: 'm', content: [use] } },
      { ...about, subtype: 'task_started', description: 'Alpha', task_type: 'local_agent' },
      { ...about, subtype: 'task_notification', status: 'completed', summary: 'Agent "Alpha" completed' },
    );
    expect(events.filter(({ type }) => type === 'text')).toEqual([]);
    expect(events.at(-1)).toMatchObject({ type: 'harness_end', reason: 'complete' });
  });

  it('of Cline that failed has the message of its failure, in both modes', () => {
    const task = { systemPrompt: 'You are a.', task: 'do it' };
    const output = { text: 'sub refused', iterations: 1, finishReason: 'error' };
    const event = (fields: object) => ({ type: 'agent_event', event: { toolName: 'spawn_agent', ...fields } });
    const hook = (fields: object) => ({ type: 'hook_event', hookEventName: 'agent_start', ...fields });
    const printed = translated(
      'cline',
      hook({ agentId: 'main', parentAgentId: null }),
      event({ type: 'content_start', contentType: 'tool', toolCallId: 'c', input: task }),
      hook({ agentId: 'sub', parentAgentId: 'main' }),
      hook({ hookEventName: 'agent_error', agentId: 'sub', parentAgentId: 'main' }),
      { type: 'agent_event', event: { type: 'done', reason: 'error' } },
      event({ type: 'content_end', contentType: 'tool', toolCallId: 'c', output }),
    );
    const call = { toolCallId: 'c', title: 'spawn_agent: do it' };
    const live = translated(
      'cline',
      update({ sessionUpdate: 'tool_call', ...call, status: 'in_progress', rawInput: task }),
      update({ sessionUpdate: 'tool_call_update', ...call, status: 'completed', rawOutput: output }),
      ended,
    );
    for (const events of [printed, live])
      expect(events.filter(({ runId }) => runId !== 'r')).toMatchObject([
        { type: 'harness_start' },
        { type: 'error', message: 'sub refused', fatal: true },
        { type: 'harness_end', reason: 'error' },
      ]);
  });
});
