import type { AgentEvent, LoggedEvent } from '../../src/events/index.ts';

type EventFields = AgentEvent extends infer Event ? (Event extends AgentEvent ? Omit<Event, 'runId'> : never) : never;

/** An event of the root run, or of the run it names. */
export type Line = EventFields & { readonly runId?: string };

/** The log of a request, one event every 100 ms: `harness_start` of the run `run`, these events, and its end. */
export function request(
  lines: readonly Line[],
  reason: 'complete' | 'aborted' | 'error' | 'open' = 'complete',
): LoggedEvent[] {
  const end: Line[] = reason === 'open' ? [] : [{ type: 'harness_end', agentId: 'main', reason }];
  return [{ type: 'harness_start', agentId: 'main', parentId: 'asked:user' } as Line, ...lines, ...end].map(
    (line, index) => ({
      runId: 'run',
      ...line,
      seq: index + 1,
      ts: new Date(1_700_000_000_000 + index * 100).toISOString(),
    }),
  );
}

const usage = (inputTokens: number, outputTokens: number): Line => ({ type: 'usage', inputTokens, outputTokens });
const step = (number: number): Line => ({ type: 'step_start', step: number, model: 'scripted/one' });
const call = (id: string, name: string, input: unknown): Line => ({ type: 'tool_call', id: `run/${id}`, name, input });
const start = (id: string, name: string): Line => ({ type: 'tool_start', id: `run/${id}`, name });
const done = (id: string, name: string, output: Extract<Line, { type: 'tool_result' }>['output']): Line => ({
  type: 'tool_result',
  id: `run/${id}`,
  name,
  output,
});
const say = (id: string, content: string): Line => ({ type: 'text', id, content });

/** Requests of every kind, as our loop writes them. */
export const examples = {
  'text and reasoning': request([
    step(0),
    { type: 'reasoning', id: 'r1', content: 'Let me ' },
    { type: 'reasoning', id: 'r1', content: 'think.' },
    say('t1', 'Hel'),
    say('t1', 'lo'),
    { ...usage(12, 8), cacheReadTokens: 4, cost: 0.25, finishReason: 'stop' } as Line,
  ]),
  'a tool with progress': request([
    step(0),
    { type: 'tool_input_delta', id: 'run/c1', name: 'read', delta: '{"path":' },
    { type: 'tool_input_delta', id: 'run/c1', name: 'read', delta: '"a"}' },
    call('c1', 'read', { path: 'a' }),
    usage(10, 2),
    start('c1', 'read'),
    { type: 'tool_progress', id: 'p1', toolCallId: 'run/c1', name: 'read', content: 'opening' },
    {
      type: 'tool_progress',
      id: 'p2',
      toolCallId: 'run/c1',
      name: 'read',
      content: { label: 'Reading', phaseIndex: 2, totalPhases: 4, milestone: { lines: 3 } },
    },
    done('c1', 'read', { context: 'the text', result: { lines: 3 } }),
    step(1),
    say('t1', 'Three lines.'),
    usage(20, 3),
  ]),
  'tools that fail and are denied': request([
    step(0),
    call('c1', 'read', { path: 'a' }),
    call('c2', 'shell', { command: 'rm -rf /' }),
    usage(10, 2),
    start('c1', 'read'),
    done('c2', 'shell', { status: 'denied', reason: 'It is not allowed.' }),
    done('c1', 'read', { error: 'no such file' }),
    step(1),
    say('t1', 'Sorry.'),
    usage(20, 3),
  ]),
  approvals: request([
    step(0),
    call('c1', 'shell', { command: 'ls' }),
    call('c2', 'shell', { command: 'rm a' }),
    call('c3', 'shell', { command: 'cat' }),
    usage(10, 2),
    {
      type: 'relay',
      id: 'ask-1',
      relayKind: 'permission',
      toolCallId: 'run/c1',
      tool: 'shell',
      params: { command: 'ls' },
    },
    {
      type: 'relay',
      id: 'ask-2',
      relayKind: 'permission',
      toolCallId: 'run/c2',
      tool: 'shell',
      params: { command: 'rm a' },
    },
    {
      type: 'relay',
      id: 'ask-3',
      relayKind: 'permission',
      toolCallId: 'run/c3',
      tool: 'shell',
      params: { command: 'cat' },
    },
    { type: 'relay_resolved', relayId: 'ask-1', outcome: 'approve', feedback: 'fine' },
    { type: 'relay_resolved', relayId: 'ask-2', outcome: 'expired' },
    { type: 'relay_resolved', relayId: 'ask-3', outcome: 'revise', input: { command: 'cat b' } },
    start('c1', 'shell'),
    start('c3', 'shell'),
    done('c2', 'shell', { status: 'denied', reason: 'Nobody answered in time.' }),
    done('c1', 'shell', { context: 'a b' }),
    done('c3', 'shell', { context: 'bee' }),
  ]),
  'a plan and a question': request([
    step(0),
    call('c1', 'submit_plan', {}),
    usage(1, 1),
    start('c1', 'submit_plan'),
    { type: 'plan_status', planId: 'plan-1', to: 'draft' },
    {
      type: 'relay',
      id: 'ask-1',
      relayKind: 'plan',
      toolCallId: 'run/c1',
      planId: 'plan-1',
      title: 'Move',
      plan: '1. Pack',
    },
    { type: 'relay_resolved', relayId: 'ask-1', outcome: 'approve' },
    { type: 'plan_status', planId: 'plan-1', from: 'draft', to: 'approved' },
    done('c1', 'submit_plan', { context: 'approved' }),
    { type: 'plan_status', planId: 'plan-1', from: 'approved', to: 'executing' },
    {
      type: 'relay',
      id: 'ask-2',
      relayKind: 'question',
      question: 'Which?',
      options: [{ label: 'A' }, { label: 'B' }],
    },
    { type: 'relay_resolved', relayId: 'ask-2', outcome: 'answer', answer: 'B' },
    { type: 'plan_status', planId: 'plan-1', from: 'executing', to: 'executed' },
  ]),
  'a subagent': request([
    step(0),
    call('c1', 'agent', { task: 'Count the files' }),
    usage(10, 2),
    start('c1', 'agent'),
    { type: 'harness_start', runId: 'kid', agentId: 'counter', parentId: 'run/c1', model: 'scripted/two' },
    { type: 'step_start', runId: 'kid', step: 0 },
    { type: 'text', runId: 'kid', id: 'k1', content: 'I look. ' },
    { type: 'tool_call', runId: 'kid', id: 'kid/c1', name: 'list', input: {} },
    { type: 'usage', runId: 'kid', inputTokens: 5, outputTokens: 1 },
    { type: 'tool_start', runId: 'kid', id: 'kid/c1', name: 'list' },
    { type: 'tool_result', runId: 'kid', id: 'kid/c1', name: 'list', output: { context: ['a'] } },
    { type: 'step_start', runId: 'kid', step: 1 },
    { type: 'text', runId: 'kid', id: 'k2', content: 'One file.' },
    { type: 'usage', runId: 'kid', inputTokens: 6, outputTokens: 2 },
    { type: 'harness_end', runId: 'kid', agentId: 'counter', reason: 'complete' },
    done('c1', 'agent', { context: 'One file.' }),
    step(1),
    say('t1', 'There is one.'),
    usage(20, 3),
  ]),
  'an error in a subagent, then in the run': request(
    [
      step(0),
      call('c1', 'agent', { prompt: 'Try' }),
      usage(10, 2),
      start('c1', 'agent'),
      { type: 'harness_start', runId: 'kid', agentId: 'helper', parentId: 'run/c1' },
      { type: 'error', runId: 'kid', message: 'The kid broke.', code: 'model_error', fatal: true },
      { type: 'harness_end', runId: 'kid', agentId: 'helper', reason: 'error' },
      { type: 'error', message: 'The model is gone.', code: 'model_unavailable', fatal: true },
    ],
    'error',
  ),
  'a run that is stopped': request(
    [
      step(0),
      say('t1', 'I will '),
      call('c1', 'shell', { command: 'sleep' }),
      usage(10, 2),
      { type: 'relay', id: 'ask-1', relayKind: 'permission', toolCallId: 'run/c1', tool: 'shell', params: {} },
      { type: 'relay_resolved', relayId: 'ask-1', outcome: 'cancelled' },
    ],
    'aborted',
  ),
  'a step that is repeated': request([
    step(0),
    say('t1', 'Hel'),
    { type: 'tool_input_delta', id: 'run/c1', name: 'read', delta: '{"pa' },
    { type: 'warning', message: 'The connection broke. Trying again in 500 ms.', code: 'model_connection' },
    step(0),
    say('t2', 'Hello'),
    call('c1', 'read', {}),
    usage(10, 2),
    start('c1', 'read'),
    done('c1', 'read', { context: 'text' }),
  ]),
  'a call that is asked about twice, and revised in a later step': request([
    step(0),
    call('c1', 'read', { path: 'a' }),
    step(1),
    { type: 'relay', id: 'ask-1', relayKind: 'permission', toolCallId: 'run/c1', tool: 'read', params: {} },
    { type: 'relay', id: 'ask-2', relayKind: 'access', toolCallId: 'run/c1', params: { path: 'a' } },
    { type: 'relay_resolved', relayId: 'ask-1', outcome: 'revise', input: { path: 'b' } },
    { type: 'relay_resolved', relayId: 'ask-2', outcome: 'approve' },
    done('c1', 'read', { context: 'text' }),
  ]),
  'a step that is repeated after it made a file': request([
    step(0),
    say('t1', 'Hel'),
    { type: 'file_registered', id: 'f1', path: 'a' },
    step(0),
    say('t2', 'Hello'),
  ]),
  'a step that is repeated while its tool runs': request([
    step(0),
    call('c1', 'read', {}),
    start('c1', 'read'),
    step(0),
    say('t1', 'Again.'),
    done('c1', 'read', { context: 'text' }),
  ]),
  'other events': request([
    step(0),
    { type: 'custom', name: 'acme-forecast-refresh', data: { runId: 'fr-42' } },
    { type: 'custom', name: 'flow-ui', data: { dsl: '<Chart/>' } },
    { type: 'custom', name: 'agent', data: 1 },
    { type: 'file_registered', id: 'f1', path: 'out/a.csv', mediaType: 'text/csv', size: 12 },
    { type: 'tasks', tasks: [{ id: '1', content: 'Write', status: 'pending' }] },
    { type: 'user', id: 'u2', content: 'Faster, please.' },
    { type: 'user', id: 'u3', by: 'kid', automatic: true, content: 'The agent has ended.' },
    { type: 'unknown', raw: { odd: true } },
    { type: 'invented_later', value: 1 } as unknown as Line,
    { type: 'text', runId: 'elsewhere', id: 'x', content: 'not of this request' },
  ]),
};
