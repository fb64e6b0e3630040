import { describe, expect, it } from 'vitest';
import { cliAgent } from '../../src/agents/cli/agent/cli-agent.ts';
import type { Session } from '../../src/agents/contract/host.ts';
import { createActivityState, projectActivity } from '../../src/projections/index.ts';
import { fakeProgram } from './support/fake-program.ts';
import { activity } from './translated.ts';

const clineContent = (type: string, more: object) => ({ type: 'agent_event', event: { type, ...more } });
const clineText = (type: string, text: string) => clineContent(type, { contentType: 'text', text });
const claudeDelta = (text: string) => ({
  type: 'stream_event',
  event: { type: 'content_block_delta', delta: { type: 'text_delta', text } },
});
const claudeText = (id: string, text: string) => ({
  type: 'assistant',
  message: { id, content: [{ type: 'text', text }] },
});
const piDelta = (delta: string) => ({
  type: 'message_update',
  assistantMessageEvent: { type: 'text_delta', contentIndex: 0, delta },
});
const piEnd = (text: string) => ({ type: 'message_end', message: { role: 'assistant', content: text } });
const agyStep = (more: object) => ({
  event: 'step_update',
  step_update: { step_type: 'agent_response', step_index: 1, ...more },
});
const says = (message: string) => ({ type: 'agent', message });
const unknown = (raw: unknown) => ({ type: 'unknown', raw });

/** For each program: the records that begin a message, and the record that completes it. */
const streamed: [agent: string, begun: object[], completed: object][] = [
  ['cline', [clineText('content_start', 'Hello ')], clineText('content_end', 'Hello world')],
  ['pi', [piDelta('Hello ')], piEnd('Hello world')],
  [
    'claude',
    [{ type: 'stream_event', event: { type: 'message_start', message: { id: 'm' } } }, claudeDelta('Hello ')],
    claudeText('m', 'Hello world'),
  ],
  ['antigravity', [agyStep({ text_delta: 'Hello ' })], agyStep({ state: 'DONE', text_delta: 'world' })],
];

const executable = fakeProgram('lines', 'fake-lines.mjs');

/** The activity of a run of a program that prints these lines; without times. */
async function activityOfRun(agent: string, lines: unknown[], session?: Session): Promise<object[]> {
  const state = createActivityState();
  const seen: object[] = [];
  for await (const event of cliAgent(agent, { executable, channel: 'print' }).invoke({
    run: { runId: 'r' },
    conversation: { messages: [{ role: 'user', content: JSON.stringify(lines) }], ...(session && { session }) },
  }))
    seen.push(...projectActivity(state, event).map(({ timestamp: _timestamp, ...entry }) => entry));
  return seen;
}

describe('a message that is streamed', () => {
  it.each(streamed)('of %s is one, whatever is printed before it is complete', (agent, begun, completed) => {
    const strange = { type: 'brand_new' };
    expect(activity(agent, ...begun, 'stray', strange, completed)).toEqual([
      unknown('stray'),
      unknown(strange),
      says('Hello world'),
    ]);
  });

  it.each(streamed)('of %s is one with standard error in it, as it runs', async (agent, begun, completed) => {
    const lines = [...begun.map(record => [1, JSON.stringify(record)]), [2, 'careful'], [1, 'stray']];
    const seen = await activityOfRun(agent, [...lines, [1, JSON.stringify(completed)]]);
    // The order of the two streams is not defined.
    expect(seen.filter(entry => !('code' in entry))).toEqual([unknown('stray'), says('Hello world')]);
    expect(seen.filter(entry => 'code' in entry)).toEqual([{ type: 'warning', message: 'careful', code: 'stderr' }]);
  });

  it('of Cline is one although a call ends and an error is reported in it', () => {
    const tool = { contentType: 'tool', toolName: 'bash', toolCallId: '1' };
    const records = [
      clineContent('content_start', { ...tool, input: { command: 'make' } }),
      clineText('content_start', 'Hello '),
      clineContent('content_end', { ...tool, output: 'done' }),
      { type: 'say', say: 'diff_error', text: 'no match' },
      clineText('content_end', 'Hello world'),
    ];
    expect(activity('cline', ...records)).toEqual([
      { type: 'command', command: 'make', isSuccess: true },
      { type: 'error', message: 'no match', code: 'diff_error' },
      says('Hello world'),
    ]);
  });

  it('and never completed is shown when another begins and when the run ends', () => {
    const step = clineContent('iteration_start', { iteration: 2 });
    const begun = ['Hello ', 'Once '].map(text => clineText('content_start', text));
    expect(activity('cline', begun[0], step, begun[1], 'stray')).toEqual([
      says('Hello '),
      unknown('stray'),
      says('Once '),
    ]);
  });

  it('of Goose ends when other activity follows', () => {
    const piece = (text: string) => ({
      type: 'message',
      message: { id: 'm', role: 'assistant', content: [{ type: 'text', text }], metadata: { inference: {} } },
    });
    const note = { type: 'notification', extension_id: 'x' };
    expect(activity('goose', piece('Hello '), note, piece('world'))).toEqual([
      says('Hello '),
      unknown(note),
      says('world'),
    ]);
  });
});

describe('Claude Code', () => {
  it('says once what it streamed before it named the message', () => {
    expect(activity('claude', claudeDelta('Hello '), claudeText('m', 'Hello world'))).toEqual([says('Hello world')]);
    const next = [claudeDelta('Bye'), claudeText('n', 'Bye')];
    expect(activity('claude', claudeText('m', 'Hello'), ...next)).toEqual([says('Hello'), says('Bye')]);
  });
});

describe('Codex', () => {
  it('shows reasoning as unknown, which no rule lists', () => {
    const reasoning = { type: 'item.completed', item: { id: 'i', type: 'reasoning', text: 'Thinking.' } };
    const message = { type: 'item.completed', item: { id: 'j', type: 'agent_message', text: 'Hi' } };
    expect(activity('codex', reasoning, message)).toEqual([unknown(reasoning), says('Hi')]);
  });
});

describe('Cline before version 3', () => {
  const say = (kind: string, text = '') => ({ type: 'say', say: kind, text });

  it.each([
    { type: 'task_started', taskId: '1' },
    say('task', 'do it'),
    say('api_req_started', '{"request":"x","tokensIn":5,"tokensOut":2}'),
    say('api_req_retried'),
    say('shell_integration_warning'),
    { type: 'ask', ask: 'api_req_failed', text: 'down' },
  ])('shows what is neither message nor diagnostic as unknown: %j', record => {
    expect(activity('cline', record)).toEqual([unknown(record)]);
  });

  it('shows a failed request as an error, also when it is tried again', () => {
    const retry = { attempt: 1, maxAttempts: 3, errorMessage: 'down' };
    expect(activity('cline', say('error_retry', JSON.stringify(retry)), say('text', 'Hi'))).toEqual([
      { type: 'error', message: 'down (retry 1 of 3)', code: 'error_retry' },
      says('Hi'),
    ]);
  });
});

describe('Cline', () => {
  it('consumes hooks, with and without a name', () => {
    expect(activity('cline', { type: 'hook_event' }, { type: 'hook_event', hookEventName: 'brand_new' })).toEqual([]);
  });

  it('reports a batch as one success only when every item succeeded', () => {
    const tool = { contentType: 'tool', toolName: 'read_files', toolCallId: '1' };
    const start = clineContent('content_start', { ...tool, input: { files: ['/a', '/b'] } });
    const outcomes = (...output: boolean[]) =>
      activity(
        'cline',
        start,
        clineContent('content_end', { ...tool, output: output.map(success => ({ query: 'q', result: '', success })) }),
      );
    const reads = (isSuccess: boolean) => ['/a', '/b'].map(path => ({ type: 'read', path, isSuccess }));
    expect(outcomes(true, true)).toEqual(reads(true));
    expect(outcomes(true, false)).toEqual(reads(false));
  });
});

describe('Antigravity', () => {
  it('prints diagnostics on any line of its plain text', () => {
    expect(activity('antigravity', 'Warning: x', 'It says:', 'Error: y', 'warning: z', 'Done.')).toEqual([
      { type: 'warning', message: 'x' },
      unknown('It says:'),
      { type: 'error', message: 'y' },
      { type: 'warning', message: 'z' },
      unknown('Done.'),
    ]);
    expect(activity('antigravity', { event: 'brand_new' }, 'Warning: x', 'Error: y')).toEqual([
      unknown({ event: 'brand_new' }),
      { type: 'warning', message: 'x' },
      { type: 'error', message: 'y' },
    ]);
  });
});

describe('Kilo Code', () => {
  it('gives a subagent that it does not name no name', () => {
    const state = { status: 'completed', input: {}, output: 'Found.', metadata: { sessionId: 'a' } };
    const record = { type: 'tool_use', sessionID: 's', part: { tool: 'task', callID: '1', state } };
    const subagent = { type: 'orchestration', sessionId: 's', subagentId: 'a' };
    expect(activity('kilo', record)).toEqual([
      { ...subagent, action: 'subagent_started' },
      { ...subagent, action: 'subagent_completed', isSuccess: true },
    ]);
  });
});

describe('Goose', () => {
  const banner = ['    __( O)>  ● new session · openai gpt', '   \\____)    20261115_1 · /w'];
  const message = { id: 'm', role: 'assistant', content: [{ type: 'text', text: 'Hi' }], metadata: { inference: {} } };
  const lines = [...banner, JSON.stringify({ type: 'message', message })];

  it('has the session that it was started with by name, and without one that of its banner', async () => {
    const printed = lines.map(line => [1, line]);
    expect(await activityOfRun('goose', printed)).toEqual([{ ...says('Hi'), sessionId: 'singletree-r' }]);
    expect(await activityOfRun('goose', printed.slice(2))).toEqual([{ ...says('Hi'), sessionId: 'singletree-r' }]);
    const session = { id: '20261115_1', known: 0 };
    expect(await activityOfRun('goose', printed, session)).toEqual([{ ...says('Hi'), sessionId: '20261115_1' }]);
    expect(activity('goose', ...lines)).toEqual([{ ...says('Hi'), sessionId: '20261115_1' }]);
  });
});
