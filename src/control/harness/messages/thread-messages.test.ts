import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { conversationLog } from '../../../../test/support/random-conversations.ts';
import type { AgentEvent } from '../../../events/vocabulary.ts';
import { createConversation, reduceConversation } from '../../../graph/conversation/conversation.ts';
import { userContent } from './message-content.ts';
import { threadMessages } from './thread-messages.ts';

const runId = 'run';
const ts = '2025-01-01T00:00:00.000Z';
const said = (
  content: AgentEvent & { type: 'user' } extends { content: infer Content } ? Content : never,
): AgentEvent => ({
  type: 'user',
  runId: 'asked',
  content,
  ts,
});
const asked: AgentEvent[] = [
  said('Go.'),
  { type: 'harness_start', runId, agentId: 'a', parentId: 'asked:user' },
  { type: 'step_start', runId, step: 0 },
];
const end = (reason: 'complete' | 'aborted' | 'error' | 'timeout' = 'complete'): AgentEvent => ({
  type: 'harness_end',
  runId,
  agentId: 'a',
  reason,
});
const text: AgentEvent = { type: 'text', runId, id: 't', content: 'Hi', ts: '2025-01-01T00:00:01.000Z' };
const usage: AgentEvent = { type: 'usage', runId, inputTokens: 1, outputTokens: 1 };
const messages = (events: readonly AgentEvent[]) =>
  threadMessages(events.reduce(reduceConversation, createConversation()));
const last = (events: readonly AgentEvent[]) => messages(events).at(-1);

describe('the messages of a thread', () => {
  it('are the user messages and the answer of each run, with thoughts, calls and results', () => {
    const events: AgentEvent[] = [
      ...asked,
      { type: 'reasoning', runId, id: 'r', content: 'Hm.', ts: '2025-01-01T00:00:01.000Z' },
      { type: 'text', runId, id: 't', content: 'I ' },
      { type: 'text', runId, id: 't', content: 'look.' },
      { type: 'tool_call', runId, id: 'a', name: 'read', input: { path: 'f' } },
      { type: 'tool_call', runId, id: 'b', name: 'read', input: { path: 'g' } },
      usage,
      { type: 'tool_start', runId, id: 'a', name: 'read' },
      { type: 'tool_result', runId, id: 'b', name: 'read', output: { error: 'gone' } },
      {
        type: 'tool_result',
        runId,
        id: 'a',
        name: 'read',
        output: { context: 'text for the model', result: { size: 3 } },
      },
      { type: 'step_start', runId, step: 1 },
      { type: 'text', runId, id: 't', content: 'Done.' },
      usage,
      end(),
    ];
    expect(structuredClone(messages(events))).toEqual([
      { id: 'asked:user', role: 'user', content: [{ type: 'text', text: 'Go.' }], createdAt: new Date(ts) },
      {
        id: 'run',
        role: 'assistant',
        createdAt: new Date('2025-01-01T00:00:01.000Z'),
        stopReason: 'complete',
        errorMessage: undefined,
        content: [
          { type: 'thinking', thinking: 'Hm.' },
          { type: 'text', text: 'I look.' },
          { type: 'tool_call', id: 'a', name: 'read', args: { path: 'f' } },
          { type: 'tool_call', id: 'b', name: 'read', args: { path: 'g' } },
          { type: 'tool_result', id: 'b', name: 'read', result: 'gone', isError: true },
          {
            type: 'tool_result',
            id: 'a',
            name: 'read',
            result: { size: 3, content: 'text for the model' },
            isError: false,
          },
          { type: 'text', text: 'Done.' },
        ],
      },
    ]);
  });

  it('serialize to JSON like plain objects', () => {
    expect(JSON.parse(JSON.stringify(last([...asked, text, end()])))).toEqual({
      id: 'run',
      role: 'assistant',
      createdAt: '2025-01-01T00:00:01.000Z',
      content: [{ type: 'text', text: 'Hi' }],
      stopReason: 'complete',
    });
  });

  it('are those of the active branch', () => {
    const edit: AgentEvent[] = [
      { type: 'user', runId: 'edited', content: 'Rather this.', parentMessageId: '' },
      { type: 'harness_start', runId: 'run2', agentId: 'a', parentId: 'edited:user' },
      { type: 'text', runId: 'run2', id: 't', content: 'Ok.' },
    ];
    const ids = (events: AgentEvent[]) => messages(events).map(({ id }) => id);
    expect(ids([...asked, text, end(), ...edit])).toEqual(['edited:user', 'run2']);
    const back: AgentEvent = { type: 'branch_selected', runId: 'x', nodeId: 'asked:user' };
    expect(ids([...asked, text, end(), ...edit, back])).toEqual(['asked:user', 'run']);
  });

  it('omit subagents: their result is in their call', () => {
    const child: AgentEvent[] = [
      { type: 'tool_call', runId, id: 'c', name: 'subagent', input: {} },
      { type: 'harness_start', runId: 'sub', agentId: 'x', parentId: 'c' },
      { type: 'text', runId: 'sub', id: 't', content: 'Inside.' },
    ];
    expect(messages([...asked, ...child]).map(({ id, content }) => [id, content.length])).toEqual([
      ['asked:user', 1],
      ['run', 1],
    ]);
  });

  it('show the result of a background subagent as a reminder', () => {
    const outcome: AgentEvent = { type: 'user', runId, by: 'explorer', automatic: true, content: 'It ended.' };
    expect(last([...asked, outcome])).toMatchObject({
      role: 'system',
      content: [{ type: 'system_reminder', message: 'It ended.', reminderType: 'subagent' }],
    });
  });

  it('split where a person spoke during a run', () => {
    const word: AgentEvent = { type: 'user', runId, content: 'Faster.', id: 'w' };
    const events = [
      ...asked,
      text,
      word,
      { type: 'step_start', runId, step: 1 },
      { ...text, content: 'Ok.' },
      end(),
    ] as AgentEvent[];
    expect(messages(events).map(({ id, role, stopReason }) => [id, role, stopReason])).toEqual([
      ['asked:user', 'user', undefined],
      ['run', 'assistant', 'complete'],
      ['w', 'user', undefined],
      ['run:2', 'assistant', 'complete'],
    ]);
    const stopped = [...events.slice(0, -1), end('aborted')];
    expect(messages(stopped).map(({ stopReason }) => stopReason)).toEqual([
      undefined,
      'complete',
      undefined,
      'aborted',
    ]);
  });
});

describe('the stop reason of a message', () => {
  const call: AgentEvent = { type: 'tool_call', runId, id: 'c', name: 'x', input: {} };
  it('is complete, tool_use, aborted or error, with the partial text kept', () => {
    const ended = (events: AgentEvent[]) => {
      const { stopReason, errorMessage, content } = last([...asked, text, ...events]) ?? { content: [] };
      return [stopReason, errorMessage, content.length];
    };
    const failure: AgentEvent = { type: 'error', runId, message: 'No key.', fatal: true };
    expect(ended([])).toEqual([undefined, undefined, 1]);
    expect(ended([call])).toEqual([undefined, undefined, 2]);
    expect(ended([call, usage])).toEqual(['tool_use', undefined, 2]);
    expect(ended([end()])).toEqual(['complete', undefined, 1]);
    expect(ended([end('aborted')])).toEqual(['aborted', undefined, 1]);
    expect(ended([failure, end('error')])).toEqual(['error', 'No key.', 1]);
    expect(ended([end('timeout')])).toEqual(['error', 'The run ended: timeout.', 1]);
  });

  it('of a run that failed before its first text is error, without content', () => {
    const failure: AgentEvent = { type: 'error', runId, message: 'No key.', fatal: true, ts };
    expect(last([...asked, failure, end('error')])).toMatchObject({
      id: 'run',
      content: [],
      errorMessage: 'No key.',
      createdAt: new Date(ts),
    });
    expect(messages([...asked, end('aborted')])).toHaveLength(1);
  });
});

describe('a user message', () => {
  it('keeps its files: pictures as images, named and other files as files', () => {
    const files = [
      { data: 'aW1n', mediaType: 'image/png' },
      { data: 'aW1n', mediaType: 'image/png', filename: 'a.png' },
      { data: 'cGRm', mediaType: 'application/pdf' },
    ];
    expect(messages([said(userContent('See.', files))])[0]?.content).toEqual([
      { type: 'text', text: 'See.' },
      { type: 'image', data: 'aW1n', mimeType: 'image/png' },
      { type: 'file', data: 'aW1n', mediaType: 'image/png', filename: 'a.png' },
      { type: 'file', data: 'cGRm', mediaType: 'application/pdf' },
    ]);
    expect(userContent('Only text.')).toBe('Only text.');
    expect(userContent('', files.slice(0, 1))).toHaveLength(1);
  });

  it('is a reminder when it is written as one', () => {
    const text = '<system-reminder type="gap" gap-ms="1200">\nAn hour passed.\n</system-reminder>';
    expect(messages([said(text)])[0]?.content).toEqual([
      { type: 'system_reminder', message: 'An hour passed.', reminderType: 'gap', gapMs: 1200 },
    ]);
  });
});

describe('a stored message', () => {
  it('does not change when the conversation continues', () => {
    fc.assert(
      fc.property(conversationLog(), events => {
        let conversation = createConversation();
        const kept = events.map(event => {
          conversation = reduceConversation(conversation, event);
          const now = threadMessages(conversation);
          return [now, structuredClone(threadMessages(conversation))] as const;
        });
        for (const [now, then] of kept) expect(structuredClone(now)).toEqual(then);
      }),
      { numRuns: 40 },
    );
  });
});
