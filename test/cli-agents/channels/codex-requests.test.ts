import { describe, expect, it } from 'vitest';
import { CodexSession } from './codex-session.ts';

const open = (mode?: string) => {
  const session = new CodexSession().handshake().begin('run', mode);
  session.sent();
  return session;
};

const typesOf = ({ host }: CodexSession) => host.events.map(({ type }) => type);

describe('the session of Codex', () => {
  it('opens with the policy to ask before it acts', () => {
    const session = new CodexSession();
    session.answerCall('initialize', { result: {} });
    expect(session.sent().at(-1)).toMatchObject({
      method: 'thread/start',
      params: { cwd: '/project', approvalPolicy: 'untrusted', approvalsReviewer: 'user', sandbox: 'workspace-write' },
    });
  });

  it.each([
    { approvalPolicy: 'on-request' },
    { approvalPolicy: 'never' },
    { approvalPolicy: { granular: {} } },
    { approvalsReviewer: 'auto_review' },
    { sandbox: { type: 'dangerFullAccess' } },
    { approvalPolicy: undefined },
  ])('fails when the program reports another policy: %j', reported => {
    const policy = { approvalPolicy: 'untrusted', sandbox: { type: 'workspaceWrite' }, ...reported };
    const { host } = new CodexSession().handshake(policy);
    expect(host.trace).toMatchObject([{ failed: { code: 'policy_not_accepted' } }]);
    expect(host.problem?.message).toContain('expected approvalPolicy "untrusted"');
  });

  it('opens without questions when everything is allowed', () => {
    const session = new CodexSession({ yolo: true });
    session.answerCall('initialize', { result: {} });
    expect(session.sent().at(-1)).toMatchObject({
      params: { approvalPolicy: 'never', sandbox: 'danger-full-access' },
    });
    session.receive({ id: 2, result: { thread: { id: 'main' }, approvalPolicy: 'never' } });
    expect(session.host.trace).toMatchObject([{ ready: {} }]);
  });

  it('reports a session that cannot be resumed', () => {
    const session = new CodexSession({ sessionId: 'gone' });
    session.answerCall('initialize', { result: {} });
    session.answerCall('thread/resume', { error: { code: -32600, message: 'no rollout found' } });
    expect(session.host.trace).toMatchObject([{ failed: { code: 'session_unknown' } }]);
  });

  it('fails when the program ends before it is open', () => {
    const session = new CodexSession();
    session.channel.closed();
    expect(session.host.trace).toMatchObject([{ failed: { code: 'agent_failed' } }]);
  });

  it('resumes in the default mode, and forks under a new id', () => {
    const session = new CodexSession({ sessionId: 'old', fork: true }).handshake(undefined, 'thread/fork');
    session.channel.prompt({ runId: 'run', content: 'go' });
    expect(session.sent().map(message => [message['method'], message['params']])).toMatchObject([
      ['initialize', {}],
      ['initialized', undefined],
      ['thread/fork', { threadId: 'old', excludeTurns: true, approvalPolicy: 'untrusted' }],
      ['turn/start', { threadId: 'main', collaborationMode: { mode: 'default' } }],
    ]);
  });

  it('switches the model of a turn', () => {
    const session = new CodexSession().handshake();
    session.channel.prompt({ runId: 'run', content: 'go', model: 'gpt-6' });
    expect(session.sent().at(-1)).toMatchObject({ method: 'turn/start', params: { model: 'gpt-6' } });
  });

  it('fails the turn that the program does not start', () => {
    const session = new CodexSession().handshake();
    session.channel.prompt({ runId: 'run', content: 'go' });
    session.answerCall('turn/start', { error: { message: 'unknown model' } });
    expect(session.host.events).toMatchObject([
      { type: 'error', message: 'Codex did not start the turn: unknown model' },
      { type: 'error', fatal: true },
    ]);
    expect(session.host.ends).toEqual([{ reason: 'error' }]);
  });
});

describe('a request of Codex', () => {
  it('emits the call that was not announced, once', () => {
    const session = open();
    session.askCommand(0, 'c1', 'make');
    session.command('c2', 'make all');
    session.askCommand(1, 'c2', 'make all');
    expect(typesOf(session)).toEqual(['session', 'step_start', 'tool_call', 'tool_call']);
    expect(session.host.requests).toMatchObject([
      { toolCallId: 'run/c1', command: 'make', input: { command: "/bin/bash -lc 'make'", cwd: '/project' } },
      { toolCallId: 'run/c2', command: 'make all' },
    ]);
  });

  it('is answered once, by its own id, in any order', () => {
    const session = open();
    session.askCommand(7, 'c1', 'one');
    session.askCommand(8, 'c2', 'two');
    const [first, second] = session.host.requests.map(({ id }) => id) as [string, string];
    session.channel.answer(second, { outcome: 'reject' });
    session.channel.answer(first, { outcome: 'approve' });
    session.channel.answer(first, { outcome: 'reject' });
    session.channel.answer('request-9', { outcome: 'approve' });
    expect(session.sent()).toEqual([
      { id: 8, result: { decision: 'decline' } },
      { id: 7, result: { decision: 'accept' } },
    ]);
  });

  it('is never allowed with an input that the program cannot take', () => {
    const session = open();
    session.askCommand(0, 'c1', 'rm x');
    session.channel.answer('request-1', { outcome: 'approve', input: { command: 'ls' } });
    expect(session.sent()).toEqual([{ id: 0, result: { decision: 'decline' } }]);
  });

  it('is declined after the reason has joined the turn', () => {
    const session = open();
    session.askCommand(0, 'c1', 'rm x');
    session.channel.answer('request-1', { outcome: 'reject', feedback: 'keep x' });
    expect(session.sent()).toMatchObject([
      {
        method: 'turn/steer',
        params: { expectedTurnId: 'turn-of-run', input: [{ text: 'I rejected `rm x`: keep x' }] },
      },
    ]);
    session.receive({ id: 4, result: { turnId: 'turn-of-run' } });
    expect(session.sent()).toEqual([{ id: 0, result: { decision: 'decline' } }]);
    session.host.runTimers();
    expect(session.sent()).toEqual([]);
  });

  it('is declined although the program never takes the reason', () => {
    const session = open();
    session.askCommand(0, 'c1', 'rm x');
    session.channel.answer('request-1', { outcome: 'reject', feedback: 'keep x' });
    session.sent();
    session.host.runTimers();
    expect(session.sent()).toEqual([{ id: 0, result: { decision: 'decline' } }]);
  });

  it('is withdrawn when the program no longer waits, and an answer after that is not sent', () => {
    const session = open();
    session.askCommand(0, 'c1', 'make');
    session.receive({ method: 'serverRequest/resolved', params: { threadId: 'main', requestId: 0 } });
    session.channel.answer('request-1', { outcome: 'approve' });
    expect(session.host.withdrawn).toMatchObject([{ id: 'request-1' }]);
    expect(session.sent()).toEqual([]);
  });

  it('is withdrawn when the program ends, and the turn with it', () => {
    const session = open();
    session.askCommand(0, 'c1', 'make');
    session.channel.closed();
    expect(session.host.withdrawn).toMatchObject([{ id: 'request-1' }]);
    expect(session.host.ends).toEqual([{ reason: 'error' }]);
  });

  it('is refused when it is not understood, so that the program does not wait', () => {
    const session = open();
    session.ask('item/tool/call', 0, { callId: 'c', tool: 'x' });
    session.ask('item/commandExecution/requestApproval', 1, { itemId: 7 });
    session.ask('item/tool/requestUserInput', 2, { itemId: 'q', questions: [] });
    expect(session.sent()).toMatchObject([
      { id: 0, error: { code: -32601 } },
      { id: 1, error: { code: -32601 } },
      { id: 2, error: { code: -32601 } },
    ]);
    expect(typesOf(session).filter(type => type === 'unknown')).toHaveLength(3);
    expect(session.host.requests).toEqual([]);
  });

  it('is refused between turns and reported in the next one', () => {
    const session = new CodexSession().handshake();
    session.sent();
    session.askCommand(0, 'c1', 'make');
    expect(session.sent()).toMatchObject([{ id: 0, error: {} }]);
    session.begin();
    expect(session.host.requests).toEqual([]);
    expect(typesOf(session)).toContain('unknown');
  });

  it('repeated with the same id is asked once', () => {
    const session = open();
    session.askCommand(0, 'c1', 'make');
    session.askCommand(0, 'c1', 'make');
    expect(session.host.requests).toHaveLength(1);
    expect(session.sent()).toEqual([]);
  });

  it('for input of a running program is not judged as a shell line', () => {
    const session = open();
    session.ask('item/commandExecution/requestApproval', 0, { itemId: 'c1', kind: 'writeStdin', command: 'yes' });
    expect(session.host.requests[0]).toMatchObject({ input: { command: 'yes', kind: 'writeStdin' } });
    expect(session.host.requests[0]).not.toHaveProperty('command');
  });

  it('for more permissions grants them for one turn', () => {
    const session = open();
    const permissions = { network: { enabled: true }, fileSystem: null };
    for (const id of [0, 1])
      session.ask('item/permissions/requestApproval', id, { itemId: `p${id}`, permissions, reason: 'fetch' });
    session.channel.answer('request-1', { outcome: 'approve' });
    session.channel.answer('request-2', { outcome: 'reject' });
    expect(session.host.requests[0]).toMatchObject({ tool: 'request_permissions', reason: 'fetch' });
    expect(session.sent()).toEqual([
      { id: 0, result: { permissions: { network: { enabled: true } }, scope: 'turn' } },
      { id: 1, result: { permissions: {}, scope: 'turn' } },
    ]);
  });
});

describe('questions of Codex', () => {
  const questions = [
    { id: 'colour', question: 'Which colour?', options: [{ label: 'Red' }, { label: 'Blue', description: 'b' }] },
    { id: 'name', question: 'Which name?' },
  ];

  it('are asked one by one and answered together', () => {
    const session = open();
    session.ask('item/tool/requestUserInput', 0, { itemId: 'q', questions });
    session.channel.answer('request-2', { outcome: 'answer', answer: 'Ada' });
    expect(session.sent()).toEqual([]);
    session.channel.answer('request-1', { outcome: 'answer', answer: ['Blue'] });
    expect(session.sent()).toEqual([
      { id: 0, result: { answers: { colour: { answers: ['Blue'] }, name: { answers: ['Ada'] } } } },
    ]);
    expect(session.host.requests).toMatchObject([
      { kind: 'question', question: 'Which colour?', selectionMode: 'single_select' },
      { kind: 'question', question: 'Which name?' },
    ]);
  });

  it('are declined together, with the reason', () => {
    const session = open();
    session.ask('item/tool/requestUserInput', 0, { itemId: 'q', questions });
    session.channel.answer('request-1', { outcome: 'reject', feedback: 'decide yourself' });
    expect(session.host.withdrawn).toMatchObject([{ id: 'request-2' }]);
    expect(session.sent()).toEqual([
      { id: 0, result: { answers: { colour: { answers: ['(not answered) decide yourself'] } } } },
    ]);
  });

  it('of an MCP server become a form', () => {
    const session = open();
    const properties = {
      size: { type: 'integer', title: 'Size' },
      kind: { type: 'string', enum: ['a', 'b'] },
      sure: { type: 'boolean', description: 'Are you sure?' },
    };
    const form = { serverName: 's', mode: 'form', message: 'Fill in', requestedSchema: { type: 'object', properties } };
    session.ask('mcpServer/elicitation/request', 0, form);
    expect(session.host.requests).toMatchObject([
      { question: 'Fill in\nSize' },
      { question: 'Fill in\nkind', options: [{ label: 'a' }, { label: 'b' }] },
      { question: 'Fill in\nAre you sure?', options: [{ label: 'yes' }, { label: 'no' }] },
    ]);
    for (const [index, answer] of ['3', 'b', 'yes'].entries())
      session.channel.answer(`request-${index + 1}`, { outcome: 'answer', answer });
    expect(session.sent()).toEqual([
      { id: 0, result: { action: 'accept', content: { size: 3, kind: 'b', sure: true }, _meta: null } },
    ]);
  });

  it('of an MCP server are declined when they cannot be shown or are not answered', () => {
    const session = open();
    session.ask('mcpServer/elicitation/request', 0, {
      serverName: 's',
      mode: 'url',
      message: 'Open',
      url: 'https://x',
    });
    session.ask('mcpServer/elicitation/request', 1, { serverName: 's', mode: 'form', message: 'Sure?' });
    session.channel.answer('request-1', { outcome: 'cancelled' });
    expect(session.sent()).toEqual([
      { id: 0, result: { action: 'decline', content: null, _meta: null } },
      { id: 1, result: { action: 'decline', content: null, _meta: null } },
    ]);
  });
});
