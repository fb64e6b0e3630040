import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import {
  answer,
  asked,
  begin,
  begun,
  call,
  display,
  end,
  full,
  line,
  result,
  runId,
  step,
  text,
  linesOf,
  usage,
} from '../../../../test/support/harness-log.ts';
import type { Answers } from '../../../agents/contract/host.ts';
import { loopAgent } from '../../../agents/loop/loop-agent.ts';
import { defineTool } from '../../../agents/loop/tool.ts';
import { scriptedModel } from '../../../agents/model/scripted/scripted-model.ts';
import type { AgentEvent } from '../../../events/vocabulary.ts';

describe('a plain turn', () => {
  it('emits agent, user, assistant and usage, in that order', () => {
    const events = [...asked, step(0), text('Hel'), text('lo'), usage, end()];
    expect(linesOf(events)).toEqual([
      ...begun,
      'message_start assistant',
      'message_update assistant',
      'message_update assistant',
      'usage_update',
      'message_end assistant complete',
      'agent_end complete',
    ]);
  });

  it('emits the whole message with each update, and earlier updates stay unchanged', () => {
    const messages = full([...asked, step(0), text('Hel'), text('lo'), usage, end()]).flatMap(event =>
      'message' in event && typeof event.message === 'object' && event.message.role === 'assistant'
        ? [event.message.content]
        : [],
    );
    const hello = [{ type: 'text', text: 'Hello' }];
    expect(messages).toEqual([[], [{ type: 'text', text: 'Hel' }], hello, hello]);
  });

  it('emits a result after an injected message in the message of its call, and starts no other', () => {
    const spoken: AgentEvent = { type: 'user', runId, content: 'Hurry.' };
    const messages = full([...asked, step(0), call('c'), spoken, result('c')]).flatMap(event =>
      'message' in event && typeof event.message === 'object' && event.message.role === 'assistant'
        ? [`${event.type} ${event.message.id} ${event.message.content.map(({ type }) => type).join()}`.trim()]
        : [],
    );
    expect(messages.slice(-3)).toEqual([
      `message_update ${runId} tool_call`,
      `message_end ${runId} tool_call`,
      `message_update ${runId} tool_call,tool_result`,
    ]);
  });

  it('emits the usage of the step, not the sum', () => {
    const updates = full([...asked, step(0), usage, step(1), usage, end()]).filter(
      ({ type }) => type === 'usage_update',
    );
    const used = { promptTokens: 5, completionTokens: 2, totalTokens: 7, cachedInputTokens: 1 };
    expect(updates).toEqual([
      { type: 'usage_update', usage: used },
      { type: 'usage_update', usage: used },
    ]);
    expect(display([...asked, step(0), usage, step(1), usage, end()]).tokenUsage.totalTokens).toBe(14);
  });

  it('that used all its steps is complete', () => {
    expect(linesOf([...asked, end('max_iterations')]).at(-1)).toBe('agent_end complete');
  });
});

describe('a turn with a tool', () => {
  it('emits arguments, call, result and usage, then starts the message again for the next text', () => {
    const delta = (fragment: string): AgentEvent => ({
      type: 'tool_input_delta',
      runId,
      id: 'c',
      name: 'write',
      delta: fragment,
    });
    const events = [
      ...asked,
      step(0),
      text('I write.', 't1'),
      delta('{"path"'),
      delta(':"c"}'),
      call('c'),
      usage,
      begin('c'),
      result('c'),
      step(1),
      text('Done.', 't2'),
      usage,
      end(),
    ];
    expect(linesOf(events)).toEqual([
      ...begun,
      'message_start assistant',
      'message_update assistant',
      'tool_input_start c',
      'tool_input_delta c',
      'tool_input_delta c',
      'tool_input_end c',
      'tool_start c',
      'message_update assistant',
      'tool_end c',
      'message_update assistant tool_use',
      'usage_update',
      'message_start assistant',
      'message_update assistant',
      'usage_update',
      'message_end assistant complete',
      'agent_end complete',
    ]);
  });

  it('emits tool progress: shell output as shell_output, other progress as tool_update', () => {
    const report = (content: unknown): AgentEvent => ({
      type: 'tool_progress',
      runId,
      id: 'p',
      toolCallId: 'c',
      name: 'write',
      content,
    });
    const events = [call('c'), report({ stream: 'stderr', output: 'oops' }), report({ done: 3 })];
    expect(full([...asked, ...events]).slice(-2)).toEqual([
      { type: 'shell_output', toolCallId: 'c', output: 'oops', stream: 'stderr' },
      { type: 'tool_update', toolCallId: 'c', partialResult: { done: 3 } },
    ]);
  });

  it('emits failures as errors, and denied calls as not approved', () => {
    const ends = [result('a', { error: 'boom' }), result('b', { status: 'denied', reason: 'A person rejected it.' })];
    const structured = result('c', { context: 'x', result: { content: 'x', isError: true } });
    const events = full([...asked, call('a'), call('b'), call('c'), ...ends, structured]);
    expect(events.filter(({ type }) => type === 'tool_end')).toEqual([
      { type: 'tool_end', toolCallId: 'a', result: 'boom', isError: true },
      { type: 'tool_end', toolCallId: 'b', result: 'Tool call was not approved by the user', isError: false },
      { type: 'tool_end', toolCallId: 'c', result: { content: 'x', isError: true }, isError: true },
    ]);
  });
});

describe('a run that fails', () => {
  const failure: AgentEvent = {
    type: 'error',
    runId,
    message: 'No key.',
    code: 'model_auth',
    fatal: true,
    retryable: true,
    retryAfterMs: 50,
  };

  it('emits the error with its details, and ends its message with the error', () => {
    const events = full([...asked, step(0), text('Half'), failure, end('error')]);
    expect(events.map(line).slice(-3)).toEqual([
      'error No key.',
      'message_end assistant error No key.',
      'agent_end error',
    ]);
    expect(events.at(-3)).toEqual({
      type: 'error',
      error: new Error('No key.'),
      errorType: 'model_auth',
      retryable: true,
      retryDelay: 50,
    });
  });

  it('has a message even when it fails before its first text, or before its start', () => {
    const last = ['error No key.', 'message_start assistant', 'message_end assistant error No key.', 'agent_end error'];
    expect(linesOf([...asked, failure, end('error')])).toEqual([...begun, ...last]);
    expect(linesOf([asked[0] as AgentEvent, failure, end('error')])).toEqual([...begun, ...last]);
  });

  it('emits a non-fatal error, and a warning as info', () => {
    const warning: AgentEvent = { type: 'warning', runId, message: 'Slow.' };
    const { fatal: _, ...mild } = failure;
    expect(linesOf([...asked, mild, warning, text('Hi'), end()]).slice(3, 5)).toEqual(['error No key.', 'info Slow.']);
  });
});

describe('a user message during a run', () => {
  it('ends the current message and starts a new one', () => {
    const word: AgentEvent = { type: 'user', runId, id: 'w', content: 'Faster.' };
    const events = [...asked, step(0), call('c'), usage, result('c'), word, step(1), text('Ok.'), usage, end()];
    expect(linesOf(events).slice(begun.length + 5)).toEqual([
      'usage_update',
      'message_end assistant tool_use',
      'message_start user',
      'message_end user',
      'message_start assistant',
      'message_update assistant',
      'usage_update',
      'message_end assistant complete',
      'agent_end complete',
    ]);
    const ids = full(events).flatMap(event => (event.type === 'message_end' ? [event.message.id] : []));
    expect(ids).toEqual(['asked:user', 'run', 'w', 'run:2']);
  });

  it('of the next turn starts the agent again', () => {
    const next: AgentEvent[] = [
      { type: 'user', runId: 'again', content: 'More.' },
      { type: 'harness_start', runId: 'run2', agentId: 'a', parentId: 'again:user' },
      { type: 'harness_end', runId: 'run2', agentId: 'a' },
    ];
    expect(linesOf([...asked, end(), ...next])).toEqual([
      ...begun,
      'agent_end complete',
      ...begun,
      'agent_end complete',
    ]);
  });

  it('without an answer is emitted with the next message', () => {
    const kept: AgentEvent = { type: 'user', runId: 'kept', content: 'Wait.' };
    expect(linesOf([kept])).toEqual([]);
    expect(linesOf([kept, ...asked])).toEqual(['message_start user', 'message_end user', ...begun]);
  });
});

describe('parallel runs', () => {
  it('are one active agent: it starts with the first and ends with the last', () => {
    const other: AgentEvent[] = [
      { type: 'harness_start', runId: 'other', agentId: 'b', parentId: 'asked:user' },
      { type: 'harness_end', runId: 'other', agentId: 'b' },
    ];
    expect(linesOf([...asked, ...other, end()])).toEqual([...begun, 'agent_end complete']);
  });
});

describe('an interrupted attempt at a step', () => {
  it('is removed when the next attempt starts', () => {
    const events = full([...asked, step(0), text('Hal', 't1'), step(0), text('Whole', 't2'), usage, end()]);
    const contents = events.flatMap(event => (event.type === 'message_update' ? [event.message.content] : []));
    expect(contents).toEqual([[{ type: 'text', text: 'Hal' }], [], [{ type: 'text', text: 'Whole' }]]);
  });
});

describe('facts about the thread', () => {
  it('are emitted regardless of their origin', () => {
    const facts: AgentEvent[] = [
      { type: 'mode_changed', runId: 'x', modeId: 'build' },
      { type: 'model_changed', runId: 'x', modelId: 'p/m', scope: 'thread' },
      { type: 'tasks', runId: 'x', tasks: [{ id: 'a', content: 'Do it', status: 'pending' }] },
      { type: 'tasks', runId: 'x', tasks: [], restored: true },
    ];
    expect(full(facts)).toEqual([
      { type: 'mode_changed', modeId: 'build', previousModeId: '' },
      { type: 'model_changed', modelId: 'p/m', scope: 'thread' },
      { type: 'task_updated', tasks: [{ id: 'a', content: 'Do it', status: 'pending', activeForm: 'Do it' }] },
      { type: 'tasks_restored', tasks: [] },
    ]);
  });
});

describe('the loop itself', () => {
  it('emits the documented order for an approved tool', async () => {
    const tool = defineTool({
      name: 'write',
      description: '',
      input: z.object({ path: z.string() }),
      execute: () => 'ok',
    });
    const write = { toolCall: { id: 'c', name: 'write', input: { path: 'f' } } };
    const agent = loopAgent({ id: 'a', model: scriptedModel([[{ text: 'I write.' }, write], 'Done.']), tools: [tool] });
    const waiting = new Map<string, () => void>();
    const answers: Answers = {
      wait: relayId => new Promise(resolve => waiting.set(relayId, () => resolve({ relayId, outcome: 'approve' }))),
    };
    const events: AgentEvent[] = [asked[0] as AgentEvent];
    const { signal } = new AbortController();
    const invoked = agent.invoke({
      run: { runId, parentId: 'asked:user', signal },
      conversation: { messages: [{ role: 'user', content: 'Go.' }] },
      host: { answers },
    });
    for await (const event of invoked) {
      events.push(event);
      if (event.type !== 'relay') continue;
      events.push(answer(event.id, 'approve'));
      setImmediate(() => waiting.get(event.id)?.());
    }
    const types = full(events)
      .map(({ type }) => type)
      .filter((type, index, all) => type !== all[index - 1]);
    expect(types).toEqual([
      'agent_start',
      'message_start',
      'message_end',
      'message_start',
      'message_update',
      'tool_input_start',
      'tool_input_delta',
      'tool_input_end',
      'tool_start',
      'message_update',
      'tool_approval_required',
      'relay_settled',
      'tool_end',
      'message_update',
      'usage_update',
      'message_start',
      'message_update',
      'usage_update',
      'message_end',
      'agent_end',
    ]);
  });
});
