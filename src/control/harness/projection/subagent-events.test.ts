import { describe, expect, it } from 'vitest';
import { ask, asked, begun, end, full, line, result, runId, linesOf } from '../../../../test/support/harness-log.ts';
import type { AgentEvent } from '../../../events/vocabulary.ts';

describe('a subagent', () => {
  const input = { agentType: 'explore', task: 'Find it.', forked: false };
  const spawn: AgentEvent = { type: 'tool_call', runId, id: 'c', name: 'subagent', input };
  const sub = { runId: 'sub' };
  const about = { toolCallId: 'c', agentType: 'explore' };
  const start: AgentEvent = { type: 'harness_start', ...sub, agentId: 'x', parentId: 'c', model: 'p/m' };
  const work: AgentEvent[] = [
    { type: 'step_start', ...sub, step: 0 },
    { type: 'text', ...sub, id: 't', content: 'I look.' },
    { type: 'tool_call', ...sub, id: 'd', name: 'read', input: { path: 'f' } },
    { type: 'usage', ...sub, inputTokens: 9, outputTokens: 9 },
    { type: 'tool_result', ...sub, id: 'd', name: 'read', output: { error: 'gone' } },
    { type: 'step_start', ...sub, step: 1 },
    { type: 'text', ...sub, id: 't2', content: 'Not there.' },
  ];
  const over = (reason: 'complete' | 'aborted' | 'error'): AgentEvent => ({
    type: 'harness_end',
    ...sub,
    agentId: 'x',
    reason,
  });

  it('is emitted under its call, apart from the message', () => {
    const events = full([...asked, spawn, start, ...work, over('complete'), result('c'), end()]);
    expect(events.slice(begun.length + 3, -4)).toEqual([
      { type: 'subagent_start', ...about, task: 'Find it.', modelId: 'p/m', forked: false },
      { type: 'subagent_text_delta', ...about, textDelta: 'I look.' },
      { type: 'subagent_tool_start', ...about, subToolName: 'read', subToolArgs: { path: 'f' } },
      { type: 'subagent_tool_end', ...about, subToolName: 'read', subToolResult: 'gone', isError: true },
      { type: 'subagent_text_delta', ...about, textDelta: 'Not there.' },
      { type: 'subagent_end', ...about, result: 'Not there.', isError: false, durationMs: 2000 },
    ]);
    expect(events.slice(-4).map(line)).toEqual([
      'tool_end c',
      'message_update assistant',
      'message_end assistant complete',
      'agent_end complete',
    ]);
  });

  it('asks the person for its own calls like its parent', () => {
    const relay: AgentEvent = { ...(ask('r', 'd') as AgentEvent & { type: 'relay' }), ...sub };
    expect(linesOf([...asked, spawn, start, ...work.slice(0, 4), relay]).at(-1)).toBe('tool_approval_required d');
  });

  it('keeps its partial text when it is aborted, and reports its error when it fails', () => {
    const endOf = (events: AgentEvent[]) => full([...asked, spawn, start, ...work, ...events]).at(-1);
    expect(endOf([over('aborted')])).toMatchObject({
      result: '[Aborted by user]\n\nPartial output:\nNot there.',
      isError: false,
    });
    const failure: AgentEvent = { type: 'error', ...sub, message: 'No key.', fatal: true };
    expect(endOf([failure, over('error')])).toMatchObject({ result: 'No key.', isError: true });
  });
});
