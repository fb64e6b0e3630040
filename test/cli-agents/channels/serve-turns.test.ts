import { describe, expect, it } from 'vitest';
import { opencodeAdapter } from '../../../src/agents/cli/adapters/opencode/adapter.ts';
import type { LiveAdapter } from '../../../src/agents/cli/contract/live-channel.ts';
import { askingAgents } from './serve-replay.ts';
import { ServeSession } from './serve-session.ts';

describe('slash commands of a server', () => {
  const greet = { name: 'greet', description: 'greets somebody', template: 'Greet $ARGUMENTS.', source: 'command' };
  const status = { name: 'status', template: 'The state is !`git status`.', source: 'command' };
  const begin = (content: string, start: { yolo?: boolean } = {}) => {
    const session = new ServeSession('opencode', start);
    session.commands = [greet, status];
    if (start.yolo !== true) session.respond('/agent', askingAgents);
    session.respond('/session', { id: 'ses_1' });
    session.sent();
    session.channel.prompt({ runId: 'run', content, model: 'fake/model', mode: 'plan' });
    session.respond('/none', '');
    return session;
  };
  const settings = { model: 'fake/model', agent: 'plan' };

  it('are reported, but not those that would run shell lines without asking', () => {
    const { events } = begin('go').host;
    expect(events[0]).toMatchObject({ commands: [{ name: 'greet', description: 'greets somebody' }] });
    const { events: unasked } = begin('go', { yolo: true }).host;
    expect(unasked[0]).toMatchObject({ commands: [{ name: 'greet' }, { name: 'status' }] });
  });

  it('are executed as commands, and any other text with a slash is a prompt', () => {
    expect(begin('/greet the whole\nworld').sent()).toEqual([
      {
        method: 'POST',
        path: '/session/ses_1/command',
        body: { command: 'greet', arguments: 'the whole\nworld', ...settings },
        lastsTurn: true,
      },
    ]);
    for (const text of ['/status', '/unknown x', 'see /greet'])
      expect(begin(text).sent()).toMatchObject([{ path: '/session/ses_1/prompt_async' }]);
  });

  it('fail the turn when they are refused, and not when their answer failed after it was begun', () => {
    const refused = begin('/greet you');
    refused.respond('/session/ses_1/command', { name: 'NotFound' }, 404);
    expect(refused.host.ends).toEqual([{ reason: 'error' }]);
    const begun = begin('/greet you');
    begun.personMessage('Greet you.');
    begun.answerBegins();
    begun.respond('/session/ses_1/command', '', 500);
    begun.answerEnds();
    begun.idle();
    expect(begun.host.ends).toEqual([{ reason: 'complete' }]);
  });
});

describe('opening a session over a server', () => {
  const allowing = [{ name: 'build', permission: [{ permission: 'bash', pattern: '*', action: 'allow' }] }];

  it.each([
    ['the rules allow a call', allowing, 200],
    [
      'a rule with a wildcard allows a call',
      [{ name: 'b', permission: [{ permission: '?*', pattern: '*', action: 'allow' }] }],
      200,
    ],
    ['the rules are not understood', [{ name: 'build' }], 200],
    ['there are no agents', [], 200],
    ['the server fails', 'broken', 500],
  ])('fails when %s', (_why, agents, status) => {
    const session = new ServeSession();
    session.respond('/agent', agents, status);
    expect(session.host.problem).toMatchObject({ code: 'ask_policy' });
    expect(session.sent()).toHaveLength(1);
  });

  it('does not check the rules of a session that may do everything', () => {
    const session = new ServeSession('opencode', { yolo: true });
    expect(session.sent()).toEqual([{ method: 'POST', path: '/session', body: {} }]);
    const { env } = (opencodeAdapter.live as LiveAdapter).command({
      cwd: '.',
      folder: '.',
      environment: {},
      yolo: true,
    });
    expect(Object.keys(env ?? {})).toEqual(['OPENCODE_EXPERIMENTAL_PLAN_MODE']);
  });

  it('resumes, forks, or reports an unknown session', () => {
    const known = new ServeSession('kilo', { sessionId: 'ses_9', fork: true });
    known.respond('/agent', askingAgents);
    known.respond('/session/ses_9', { id: 'ses_9' });
    known.respond('/session/ses_9/fork', { id: 'ses_10' });
    known.respond('/session/ses_10/message', []);
    expect(known.host.session).toEqual({ sessionId: 'ses_10' });
    const unknown = new ServeSession('kilo', { sessionId: 'ses_9' });
    unknown.respond('/agent', askingAgents);
    unknown.respond('/session/ses_9', {}, 404);
    expect(unknown.host.problem).toMatchObject({ code: 'session_unknown' });
  });

  it('completes the first turn of a fork while the copied messages are reported', () => {
    const session = new ServeSession('opencode', { sessionId: 'ses_9', fork: true });
    session.respond('/agent', askingAgents);
    session.respond('/session/ses_9', { id: 'ses_9' });
    session.respond('/session/ses_9/fork', { id: 'ses_1' });
    const [asked, answered] = [
      { id: 'msg_1', role: 'user' },
      { id: 'answer_msg_1', role: 'assistant' },
    ];
    session.respond('/session/ses_1/message', [
      { info: asked, parts: [] },
      { info: answered, parts: [] },
    ]);
    session.channel.prompt({ runId: 'run', content: 'what was it?' });
    session.respond('/session/ses_1/prompt_async', '', 204);
    session.personMessage('remember periwinkle');
    session.answerEnds();
    session.personMessage('what was it?');
    session.answerBegins();
    session.answerEnds();
    session.idle();
    expect(session.host.ends).toEqual([{ reason: 'complete' }]);
  });

  it('puts its settings on top of those of the environment', () => {
    const environment = {
      OPENCODE_CONFIG_CONTENT: '{"model":"a/b","permission":{"bash":{"*":"allow"},"mine_*":"allow"}}',
    };
    const { env } = (opencodeAdapter.live as LiveAdapter).command({ cwd: '.', folder: '.', environment });
    const content = JSON.parse(env?.['OPENCODE_CONFIG_CONTENT'] ?? '') as { model: string; permission: object };
    expect(content.model).toBe('a/b');
    expect(content.permission).toMatchObject({ bash: 'ask', '*': 'ask' });
    expect(JSON.parse(env?.['OPENCODE_PERMISSION'] ?? '')).toMatchObject({ '*': 'ask', edit: 'ask' });
  });
});

describe('a turn over a server', () => {
  it('does not end while a steered message has not been read', () => {
    const session = ServeSession.begun('kilo');
    session.channel.steer({ id: 's1', content: 'and this' });
    session.answerEnds();
    session.idle();
    expect(session.host.ends).toEqual([]);
    session.event('session.status', { sessionID: 'ses_1', status: { type: 'busy' } });
    const message = session.personMessage('and this');
    session.answerBegins(message);
    expect(session.host.steerings).toEqual([{ id: 's1', delivery: 'joined' }]);
    session.answerEnds();
    session.idle();
    expect(session.host.ends).toEqual([{ reason: 'complete' }]);
  });

  it('returns a steered message that the program never read', () => {
    const session = ServeSession.begun();
    session.channel.steer({ id: 's1', content: 'and this' });
    session.answerEnds();
    session.idle();
    session.host.runTimers();
    expect(session.host.ends).toEqual([{ reason: 'complete', unsent: ['s1'] }]);
  });

  it('ignores the end of an earlier turn that arrives late', () => {
    const session = ServeSession.begun();
    session.answerEnds();
    session.idle();
    session.channel.prompt({ runId: 'run2', content: 'more' });
    session.idle();
    expect(session.host.ends).toHaveLength(1);
  });

  it('stops a prompt that begins only after the interrupt', () => {
    const session = new ServeSession();
    session.respond('/agent', askingAgents);
    session.respond('/session', { id: 'ses_1' });
    session.channel.prompt({ runId: 'run', content: 'go' });
    session.channel.interrupt();
    session.respond('/session/ses_1/abort', true);
    session.sent();
    session.event('session.status', { sessionID: 'ses_1', status: { type: 'busy' } });
    expect(session.sent()).toEqual([{ method: 'POST', path: '/session/ses_1/abort', body: {} }]);
  });

  it('ends when the prompt is refused, or fails before an answer', () => {
    const refused = new ServeSession();
    refused.respond('/agent', askingAgents);
    refused.respond('/session', { id: 'ses_1' });
    refused.channel.prompt({ runId: 'run', content: 'go' });
    refused.respond('/session/ses_1/prompt_async', 'bad', 400);
    expect(refused.host.ends).toEqual([{ reason: 'error' }]);
    expect(refused.host.events.at(-1)).toMatchObject({ type: 'error', code: 'prompt_refused', fatal: true });
    const failed = new ServeSession();
    failed.respond('/agent', askingAgents);
    failed.respond('/session', { id: 'ses_1' });
    failed.channel.prompt({ runId: 'run', content: 'go', mode: 'nonsense' });
    const error = { name: 'UnknownError', data: { message: 'Agent not found: "nonsense".' } };
    failed.event('session.error', { sessionID: 'ses_1', error });
    failed.event('session.error', {
      sessionID: 'ses_1',
      error: { name: 'UnknownError', data: { message: 'x\n  at y' } },
    });
    failed.host.runTimers();
    expect(failed.host.ends).toEqual([{ reason: 'error' }]);
    expect(
      failed.host.events.filter(({ type }) => type === 'error').map(event => 'message' in event && event.message),
    ).toEqual(['Agent not found: "nonsense".', 'Agent not found: "nonsense".']);
  });

  it('drops the requests of an interrupted turn: an answer to them sends nothing', () => {
    const session = ServeSession.begun();
    session.asks('a', 'touch a');
    session.channel.interrupt();
    session.sent();
    session.channel.answer('per_a_bash', { outcome: 'approve' });
    expect(session.sent()).toEqual([]);
    session.event('session.error', {
      sessionID: 'ses_1',
      error: { name: 'MessageAbortedError', data: { message: 'Aborted' } },
    });
    session.idle();
    expect(session.host.ends).toEqual([]);
    session.answerEnds();
    expect(session.host.ends).toEqual([{ reason: 'aborted' }]);
    expect(session.host.withdrawn).toMatchObject([{ id: 'per_a_bash' }]);
  });

  it('sends images as files and the model with its provider', () => {
    const session = new ServeSession();
    session.respond('/agent', askingAgents);
    session.respond('/session', { id: 'ses_1' });
    session.sent();
    const content = [{ type: 'image' as const, data: 'aGk=', mediaType: 'image/png' }];
    session.channel.prompt({ runId: 'run', content, model: 'openrouter/anthropic/x', mode: 'plan' });
    expect(session.sent()).toMatchObject([
      {
        body: {
          parts: [{ type: 'file', mime: 'image/png', url: 'data:image/png;base64,aGk=' }],
          model: { providerID: 'openrouter', modelID: 'anthropic/x' },
          agent: 'plan',
        },
      },
    ]);
  });
});
