import { describe, expect, it } from 'vitest';
import { acpAdapter, acpAgent } from '../../../src/agents/cli/adapters/acp/acp-agent.ts';
import { clineLive } from '../../../src/agents/cli/adapters/cline/live.ts';
import { copilotLive } from '../../../src/agents/cli/adapters/copilot/live.ts';
import { gooseLive } from '../../../src/agents/cli/adapters/goose/live.ts';
import { qwenLive } from '../../../src/agents/cli/adapters/qwen/live.ts';
import type { LiveAdapter, LiveStart } from '../../../src/agents/cli/contract/live-channel.ts';
import { LiveDecisions } from '../../../src/agents/cli/live/live-decisions.ts';
import { openChannel } from './acp-replay.ts';

const anyLive = acpAdapter({ command: 'any' }).live as LiveAdapter;

/** A channel whose program a test plays. */
function play(adapter: LiveAdapter, start: Partial<LiveStart> = {}) {
  const { channel, host } = openChannel(adapter, start);
  let number = 0;
  const receive = (message: object) => {
    channel.receive(JSON.stringify({ jsonrpc: '2.0', ...message }), ++number);
  };
  const last = () =>
    JSON.parse(host.sent.at(-1) ?? '{}') as { id: number; method?: string; params?: object; result?: object };
  const reply = (result: object) => receive({ id: last().id, result });
  const session = (result: object) => {
    reply({ protocolVersion: 1, agentCapabilities: { loadSession: true } });
    reply({ sessionId: 's', ...result });
  };
  const prompt = (content = 'go') => {
    channel.prompt({ runId: 'run', content });
  };
  return { channel, host, receive, last, reply, session, prompt };
}

describe('the ask policy of an ACP agent', () => {
  it('is set when the session does not ask', () => {
    const { host, last, reply, session } = play(gooseLive);
    session({ modes: { currentModeId: 'auto', availableModes: [{ id: 'auto' }, { id: 'approve' }] } });
    expect(last()).toMatchObject({ method: 'session/set_mode', params: { modeId: 'approve' } });
    expect(host.session).toBeUndefined();
    reply({});
    expect(host.session).toMatchObject({ mode: 'approve' });
  });

  it('fails the session when an option is not set', () => {
    const { host, last, reply, session } = play(clineLive);
    const options = [{ id: 'auto_approve', type: 'boolean', currentValue: true }];
    session({ modes: { currentModeId: 'act' }, configOptions: options });
    expect(last()).toMatchObject({ params: { configId: 'auto_approve', value: false } });
    reply({ configOptions: options });
    expect(host.problem).toMatchObject({ code: 'ask_policy' });
    expect(host.session).toBeUndefined();
  });

  it('refuses a mode that does not ask', () => {
    const { host, session } = play(qwenLive, { mode: 'yolo' });
    session({ modes: { currentModeId: 'default' } });
    expect(host.problem).toMatchObject({ code: 'invalid_argument' });
  });

  it('is restored when the program leaves it', () => {
    const { host, last, receive, session, prompt } = play(qwenLive);
    session({ modes: { currentModeId: 'default' } });
    prompt();
    receive({
      method: 'session/update',
      params: { sessionId: 's', update: { sessionUpdate: 'current_mode_update', currentModeId: 'yolo' } },
    });
    expect(last()).toMatchObject({ method: 'session/set_mode', params: { modeId: 'default' } });
    expect(host.events.at(-1)).toMatchObject({ type: 'warning', code: 'mode_changed' });
  });
});

describe('a form of an ACP agent', () => {
  const form = {
    sessionId: 's',
    mode: 'form',
    message: 'Where to?',
    requestedSchema: {
      type: 'object',
      properties: {
        region: { type: 'string', title: 'Region', enum: ['eu', 'us'] },
        count: { type: 'integer', title: 'Count' },
        sure: { type: 'boolean', title: 'Sure' },
      },
    },
  };

  it('becomes a question for each field, and its answers have the types of the fields', () => {
    const { channel, host, last, receive, session, prompt } = play(anyLive);
    session({});
    prompt();
    receive({ id: 'e', method: 'elicitation/create', params: form });
    expect(host.requests).toMatchObject([
      { kind: 'question', question: 'Where to?\nRegion', options: [{ label: 'eu' }, { label: 'us' }] },
      { kind: 'question', question: 'Where to?\nCount' },
      { kind: 'question', options: [{ label: 'Yes' }, { label: 'No' }] },
    ]);
    const given = ['us', '3', 'Yes'];
    for (const [index, { id }] of host.requests.entries())
      channel.answer(id, { outcome: 'answer', answer: given[index] as string });
    expect(last()).toMatchObject({
      id: 'e',
      result: { action: 'accept', content: { region: 'us', count: 3, sure: true } },
    });
  });

  it('is declined as a whole when one field is', () => {
    const { channel, host, last, receive, session, prompt } = play(anyLive);
    session({});
    prompt();
    receive({ id: 'e', method: 'elicitation/create', params: form });
    channel.answer(host.requests[1]?.id ?? '', { outcome: 'reject' });
    expect(last()).toMatchObject({ id: 'e', result: { action: 'decline' } });
    expect(host.withdrawn).toHaveLength(2);
  });
});

describe('requests of an ACP agent', () => {
  const ask = { sessionId: 's', toolCall: { toolCallId: 'c', kind: 'execute', rawInput: { command: 'ls' } } };
  const options = [
    { optionId: 'always', kind: 'allow_always', name: 'Always' },
    { optionId: 'no', kind: 'reject_once', name: 'No' },
  ];

  it('are rejected when they could only be allowed for ever', () => {
    const { channel, host, last, receive, session, prompt } = play(anyLive);
    session({});
    prompt();
    receive({ id: 7, method: 'session/request_permission', params: { ...ask, options } });
    channel.answer(host.requests[0]?.id ?? '', { outcome: 'approve' });
    expect(last()).toMatchObject({ id: 7, result: { outcome: { optionId: 'no' } } });
  });

  it('are never named by their title, which a rule for a tool could match', () => {
    const { host, receive, session, prompt } = play(anyLive);
    session({});
    prompt();
    const toolCall = { toolCallId: 'c', title: 'read', rawInput: { path: '/etc/passwd' } };
    receive({ id: 7, method: 'session/request_permission', params: { sessionId: 's', toolCall, options } });
    expect(host.requests[0]).toMatchObject({ tool: 'other', input: { title: 'read', path: '/etc/passwd' } });
  });

  it.each([
    { id: 'goose', live: gooseLive, mode: 'approve', title: 'write · secret.txt' },
    { id: 'cline', live: clineLive, mode: 'act', title: 'editor: secret.txt' },
    { id: 'acp', live: anyLive, mode: undefined, title: 'Write a file' },
  ])('of $id without locations are denied by a rule over their path', async ({ id, live, mode, title }) => {
    const { host, receive, session, prompt } = play(live);
    session({
      ...(mode && { modes: { currentModeId: mode, availableModes: [{ id: mode }] } }),
      configOptions: [{ id: 'auto_approve', type: 'boolean', currentValue: false }],
    });
    prompt();
    const toolCall = { toolCallId: 'c', title, kind: 'edit', rawInput: { path: '/project/secret.txt', content: 'x' } };
    receive({
      method: 'session/update',
      params: { sessionId: 's', update: { sessionUpdate: 'tool_call', ...toolCall } },
    });
    // The request repeats other arguments than those of the call.
    const asked = { ...toolCall, rawInput: { path: '/project/other.txt', content: 'x' } };
    receive({
      id: 7,
      method: 'session/request_permission',
      params: { sessionId: 's', toolCall: asked, options },
    });
    const decisions = new LiveDecisions({
      agentId: id,
      cwd: '/',
      rules: [{ default: 'allow', rules: [{ input: { path: 'project/secret.txt' }, policy: 'deny' }] }],
      answers: undefined,
      signal: new AbortController().signal,
      put: async () => {},
      decided: [],
      unused: [],
    });
    const [request] = host.requests;
    expect(request).toBeDefined();
    if (request === undefined) return;
    const { answer } = await decisions.decide(request, new AbortController().signal);
    expect(answer.outcome).toBe('reject');
  });

  it('are withdrawn when the program cancels them', () => {
    const { host, last, receive, session, prompt } = play(anyLive);
    session({});
    prompt();
    receive({ id: 7, method: 'session/request_permission', params: { ...ask, options } });
    receive({ method: '$/cancel_request', params: { requestId: 7 } });
    expect(host.withdrawn).toHaveLength(1);
    expect(last()).toMatchObject({ id: 7, result: { outcome: { outcome: 'cancelled' } } });
  });

  it('for files and terminals, which were not offered, are refused', () => {
    const { host, last, receive, session, prompt } = play(anyLive);
    session({});
    prompt();
    receive({ id: 8, method: 'fs/read_text_file', params: { sessionId: 's', path: '/etc/passwd' } });
    expect(last()).toMatchObject({ id: 8, error: { code: -32_601 } });
    expect(host.events.at(-1)).toMatchObject({ type: 'unknown' });
  });
});

describe('messages during a turn', () => {
  it('are fetched by Qwen after its calls', () => {
    const { channel, host, last, receive, session, prompt } = play(qwenLive);
    session({ modes: { currentModeId: 'default' } });
    prompt();
    channel.steer({ id: 'm', content: 'also this' });
    receive({ id: 3, method: 'craft/drainMidTurnQueue', params: { sessionId: 's' } });
    expect(last()).toMatchObject({ id: 3, result: { messages: ['also this'], hasQueuedPrompt: false } });
    expect(host.steerings).toEqual([{ id: 'm', delivery: 'joined' }]);
  });

  it('are left for the next prompt when the turn ends without taking them', () => {
    const { channel, host, reply, session, prompt } = play(qwenLive);
    session({ modes: { currentModeId: 'default' } });
    prompt();
    channel.steer({ id: 'm', content: 'also this' });
    reply({ stopReason: 'end_turn' });
    expect(host.ends).toEqual([{ reason: 'complete', unsent: ['m'] }]);
  });
});

describe('a message that Goose has accepted into its turn', () => {
  const update = (fields: object) => ({ method: 'session/update', params: { sessionId: 's', update: fields } });
  const chunk = (messageId: string) =>
    update({
      sessionUpdate: 'agent_message_chunk',
      content: { type: 'text', text: messageId },
      _meta: { goose: { messageId } },
    });

  function steered() {
    const played = play(gooseLive);
    const { channel, host, last, receive, reply, session, prompt } = played;
    session({ modes: { currentModeId: 'approve' } });
    prompt();
    const promptId = last().id;
    receive(update({ sessionUpdate: 'session_info_update', _meta: { goose: { activeRunId: 'run-1' } } }));
    receive(chunk('m1'));
    channel.steer({ id: 'm', content: 'also this' });
    reply({});
    expect(host.steerings).toEqual([{ id: 'm', delivery: 'joined' }]);
    return { ...played, end: (stopReason: string) => receive({ id: promptId, result: { stopReason } }) };
  }

  it('is unsent when the turn is stopped before the next model call', () => {
    const { channel, host, receive, end } = steered();
    receive(chunk('m1'));
    channel.interrupt();
    end('cancelled');
    expect(host.ends).toEqual([{ reason: 'aborted', unsent: ['m'] }]);
  });

  it('is read when another model call has begun', () => {
    const { host, receive, end } = steered();
    receive(chunk('m2'));
    end('cancelled');
    expect(host.ends).toEqual([{ reason: 'aborted' }]);
  });
});

describe('text that looks like a failure of Copilot', () => {
  it('is text when something follows', () => {
    const { host, receive, reply, session, prompt } = play(copilotLive);
    session({
      configOptions: [{ id: 'allow_all', currentValue: 'off' }],
      modes: { currentModeId: copilotAgent },
    });
    prompt();
    const chunk = (text: string) =>
      receive({
        method: 'session/update',
        params: { sessionId: 's', update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } } },
      });
    chunk('Error: is a word');
    chunk(' that I explain.');
    reply({ stopReason: 'end_turn' });
    expect(host.ends).toEqual([{ reason: 'complete' }]);
    expect(host.events.filter(event => event.type === 'error')).toEqual([]);
  });
});

const copilotAgent = 'https://agentclientprotocol.com/protocol/session-modes#agent';

describe('acpAgent', () => {
  it('refuses unknown and missing options', () => {
    expect(() => acpAgent({ command: 'a', arg: [] } as never)).toThrow(/arg/);
    expect(() => acpAgent({} as never)).toThrow(/command/);
  });
});

describe('a session that print mode started by name', () => {
  it('is found by its title, and keeps its name', () => {
    const { host, last, reply } = play(gooseLive, { sessionId: 'singletree-r' });
    reply({ protocolVersion: 1, agentCapabilities: { loadSession: true } });
    expect(last()).toMatchObject({ method: 'session/list', params: {} });
    reply({ sessions: [{ sessionId: 'a', title: 'other' }], nextCursor: 'more' });
    expect(last()).toMatchObject({ method: 'session/list', params: { cursor: 'more' } });
    reply({ sessions: [{ sessionId: 'b', title: 'singletree-r' }] });
    expect(last()).toMatchObject({ method: 'session/load', params: { sessionId: 'b' } });
    reply({ modes: { currentModeId: 'approve', availableModes: [{ id: 'approve' }] } });
    expect(host.session).toMatchObject({ sessionId: 'singletree-r' });
  });

  it('is loaded by its name when it is not listed', () => {
    const { last, reply } = play(gooseLive, { sessionId: 'singletree-r' });
    reply({ protocolVersion: 1, agentCapabilities: { loadSession: true } });
    reply({ sessions: [] });
    expect(last()).toMatchObject({ method: 'session/load', params: { sessionId: 'singletree-r' } });
  });
});
