import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../events/vocabulary.ts';
import { type AcpOptions, acpEncoder } from './acp-encoder.ts';
import type { AcpStep } from './acp-update.ts';

const run = { runId: 'r' };
const begin: AgentEvent[] = [
  { type: 'user', runId: 'u', id: 'm', content: 'Go' },
  { type: 'harness_start', ...run, agentId: 'coder', parentId: 'u:user' },
];
const encode = (events: readonly AgentEvent[], options: AcpOptions = { cwd: '/project' }): AcpStep[] => {
  const encoder = acpEncoder(options);
  return [...begin, ...events].flatMap(event => encoder.encode(event)).slice(1);
};
const call = (name: string, input: object, id = 'c'): AgentEvent => ({ type: 'tool_call', ...run, id, name, input });
const result = (output: AgentEvent & { type: 'tool_result' }) => output;
const updates = (steps: readonly AcpStep[]) => steps.map(step => (step.type === 'update' ? step.update : step));

describe('a turn for an editor', () => {
  it('begins with what the person said, unless the editor said it', () => {
    const encoder = acpEncoder();
    expect(updates(encoder.encode(begin[0] as AgentEvent))).toEqual([
      { sessionUpdate: 'user_message_chunk', messageId: 'm', content: { type: 'text', text: 'Go' } },
    ]);
  });

  it('shows an event that is delivered twice once', () => {
    const encoder = acpEncoder();
    const events = begin.map((event, at) => ({ ...event, seq: at + 1 }));
    expect([...events, ...events].flatMap(event => encoder.encode(event))).toHaveLength(1);
  });

  it('shows a call with its line, its kind, its place and its state', () => {
    expect(
      updates(
        encode([
          call('read', { path: 'src/a.ts', offset: 3, limit: 2 }),
          { type: 'tool_start', ...run, id: 'c', name: 'read' },
          result({ type: 'tool_result', ...run, id: 'c', name: 'read', output: { context: 'line 3' } }),
        ]),
      ),
    ).toMatchObject([
      {
        sessionUpdate: 'tool_call',
        toolCallId: 'c',
        title: 'Read src/a.ts:3-4',
        kind: 'read',
        status: 'pending',
        locations: [{ path: '/project/src/a.ts', line: 3 }],
      },
      { sessionUpdate: 'tool_call_update', toolCallId: 'c', status: 'in_progress' },
      { status: 'completed', rawOutput: 'line 3', content: [{ content: { type: 'text', text: 'line 3' } }] },
    ]);
  });

  it.each([
    ['execute', call('bash', { command: 'npm test' })],
    ['edit', call('write', { path: 'a', content: 'x' })],
    ['delete', call('apply_patch', { patch: '*** Begin Patch\n*** Delete File: a\n*** End Patch' })],
    ['search', call('search', { query: 'x' })],
    ['fetch', call('WebFetch', { url: 'https://a.b' })],
    ['other', call('odd', {})],
  ])('gives a call the kind %s', (kind, event) => {
    expect(updates(encode([event]))).toMatchObject([{ kind }]);
  });

  it('shows a patch as the texts before and after', () => {
    const patch = '*** Begin Patch\n*** Update File: a.ts\n@@\n one\n-two\n+2\n*** End Patch';
    expect(updates(encode([call('apply_patch', { patch })]))).toMatchObject([
      { content: [{ type: 'diff', path: '/project/a.ts', oldText: 'one\ntwo\n', newText: 'one\n2\n' }] },
    ]);
  });

  it('asks about a call after it was shown, and shows a question that is about no call as one', () => {
    const asked = encode([
      {
        type: 'relay',
        ...run,
        id: 'p',
        relayKind: 'permission',
        toolCallId: 'c',
        tool: 'bash',
        params: { command: 'ls' },
        command: 'ls',
      },
      { type: 'relay', ...run, id: 'q', relayKind: 'question', question: 'Which one?' },
      { type: 'relay_resolved', runId: 'x', relayId: 'q', outcome: 'answer', answer: 'A' },
    ]);
    expect(updates(asked)).toMatchObject([
      { sessionUpdate: 'tool_call', toolCallId: 'c' },
      { type: 'ask', relay: { id: 'p' }, toolCall: { toolCallId: 'c', content: [{ content: { text: '$ ls' } }] } },
      { sessionUpdate: 'tool_call', toolCallId: 'q', title: 'Which one?' },
      { type: 'ask', relay: { id: 'q' }, toolCall: { toolCallId: 'q' } },
      { type: 'settled', relayId: 'q' },
      { sessionUpdate: 'tool_call_update', toolCallId: 'q', status: 'completed' },
    ]);
  });

  it('asks about a plan as a change of mode, with its text', () => {
    const steps = encode([
      { type: 'relay', ...run, id: 'p', relayKind: 'plan', planId: 'p', title: 'Fix it', plan: '# Fix' },
    ]);
    expect(updates(steps)).toMatchObject([
      { kind: 'switch_mode', title: 'Approve the plan: Fix it', content: [{ content: { text: '# Fix' } }] },
      { type: 'ask' },
    ]);
  });

  it('names the subagent in the calls that it makes, and leaves its words out', () => {
    const steps = encode([
      call('agent', { agent: 'scout', task: 'Look' }),
      { type: 'harness_start', runId: 's', agentId: 'scout', parentId: 'c' },
      { type: 'text', runId: 's', id: 't', content: 'Hm.' },
      { type: 'tool_call', runId: 's', id: 'd', name: 'bash', input: { command: 'npm test' } },
    ]);
    expect(updates(steps).slice(1)).toMatchObject([{ toolCallId: 'd', title: 'scout: Run npm test' }]);
  });

  it('shows tasks as a plan, and usage where the window of the model is known', () => {
    const tasks = [{ id: '1', content: 'Do it', status: 'in_progress' as const }];
    const usage: AgentEvent = {
      type: 'usage',
      ...run,
      callId: 'm',
      model: 'm1',
      inputTokens: 90,
      outputTokens: 10,
      cost: 0.5,
    };
    const events: AgentEvent[] = [{ type: 'tasks', ...run, tasks }, usage, usage];
    expect(updates(encode(events, { contextWindow: () => 200 }))).toEqual([
      { sessionUpdate: 'plan', entries: [{ content: 'Do it', status: 'in_progress', priority: 'medium' }] },
      { sessionUpdate: 'usage_update', used: 100, size: 200, cost: { amount: 0.5, currency: 'USD' } },
      { sessionUpdate: 'usage_update', used: 100, size: 200, cost: { amount: 1, currency: 'USD' } },
    ]);
    expect(updates(encode(events))).toHaveLength(1);
  });

  it('shows warnings only to an editor that shows notices', () => {
    const warning: AgentEvent = { type: 'warning', ...run, message: 'careful' };
    expect(updates(encode([warning], { hasNotices: true }))).toEqual([
      { sessionUpdate: 'notice', severity: 'warning', title: 'careful' },
    ]);
    expect(encode([warning])).toEqual([]);
  });

  it.each([
    ['complete', { stopReason: 'end_turn' }],
    ['aborted', { stopReason: 'cancelled' }],
    ['max_iterations', { stopReason: 'max_turn_requests' }],
    ['timeout', { error: { code: 'timeout' } }],
    ['interrupted', { error: { code: 'interrupted' } }],
    ['error', { error: { code: 'agent_failed' } }],
  ] as const)('ends with the answer to a prompt: %s', (reason, end) => {
    expect(encode([{ type: 'harness_end', ...run, agentId: 'coder', reason }])).toMatchObject([
      { type: 'ended', runId: 'r', end },
    ]);
  });
});
