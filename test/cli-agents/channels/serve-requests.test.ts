import { describe, expect, it } from 'vitest';
import { ServeSession } from './serve-session.ts';

describe('permission requests over a server', () => {
  it('holds a rejection until the other requests of the session have an answer', () => {
    const session = ServeSession.begun();
    session.asks('a', 'touch a');
    session.asks('b', 'touch b');
    session.sent();
    session.channel.answer('per_a_bash', { outcome: 'reject', feedback: 'not a' });
    expect(session.sent()).toEqual([]);
    session.channel.answer('per_b_bash', { outcome: 'approve' });
    expect(session.sent()).toEqual([
      { method: 'POST', path: '/permission/per_b_bash/reply', body: { reply: 'once' } },
      { method: 'POST', path: '/permission/per_a_bash/reply', body: { reply: 'reject', message: 'not a' } },
    ]);
  });

  it('gives the reasons of several rejections with the first, because the program drops the others', () => {
    const session = ServeSession.begun();
    session.asks('a', 'touch a');
    session.asks('b', 'touch b');
    session.sent();
    session.channel.answer('per_a_bash', { outcome: 'reject', feedback: 'not a' });
    session.channel.answer('per_b_bash', { outcome: 'reject', feedback: 'not b' });
    expect(session.sent()[0]).toMatchObject({ body: { reply: 'reject', message: 'not a\ntouch b: not b' } });
  });

  it('asks once about a call that needs two permissions', () => {
    const session = ServeSession.begun();
    session.asks('a', 'cat /etc/hosts', 'external_directory');
    session.sent();
    session.channel.answer('per_a_external_directory', { outcome: 'approve' });
    session.asks('a', 'cat /etc/hosts');
    expect(session.host.requests).toHaveLength(1);
    expect(session.sent().map(({ path }) => path)).toEqual([
      '/permission/per_a_external_directory/reply',
      '/permission/per_a_bash/reply',
    ]);
  });

  it('rejects a request whose call is never reported', () => {
    const session = ServeSession.begun();
    session.sent();
    const tool = { messageID: 'answer_msg_1', callID: 'lost' };
    session.event('permission.asked', { id: 'per_1', sessionID: 'ses_1', permission: 'bash', patterns: [], tool });
    expect(session.sent()).toEqual([]);
    session.host.runTimers();
    expect(session.host.requests).toEqual([]);
    expect(session.sent()).toMatchObject([{ path: '/permission/per_1/reply', body: { reply: 'reject' } }]);
  });

  it('sends a rejection when the other request of the session is given up, because its call is not reported', () => {
    const session = ServeSession.begun();
    session.asks('a', 'touch a');
    const tool = { messageID: 'answer_msg_1', callID: 'lost' };
    session.event('permission.asked', { id: 'per_1', sessionID: 'ses_1', permission: 'bash', patterns: [], tool });
    session.sent();
    session.channel.answer('per_a_bash', { outcome: 'reject', feedback: 'not a' });
    expect(session.sent()).toEqual([]);
    session.host.runTimers();
    expect(session.sent().map(({ path }) => path)).toEqual(['/permission/per_1/reply', '/permission/per_a_bash/reply']);
  });

  it('asks a question about a permission without a call', () => {
    const session = ServeSession.begun();
    session.sent();
    session.event('permission.asked', { id: 'per_1', sessionID: 'ses_1', permission: 'doom_loop', patterns: ['bash'] });
    expect(session.host.requests).toMatchObject([
      { kind: 'question', options: [{ label: 'Allow' }, { label: 'Reject' }] },
    ]);
    session.channel.answer('per_1', { outcome: 'answer', answer: 'Reject' });
    expect(session.sent()).toMatchObject([{ body: { reply: 'reject' } }]);
  });

  it('withdraws a request that the program closed, and answers it no more', () => {
    const session = ServeSession.begun();
    session.asks('a', 'touch a');
    session.sent();
    session.event('permission.replied', { sessionID: 'ses_1', requestID: 'per_a_bash', reply: 'reject' });
    expect(session.host.withdrawn).toMatchObject([{ id: 'per_a_bash' }]);
    session.channel.answer('per_a_bash', { outcome: 'approve' });
    expect(session.sent()).toEqual([]);
  });

  it('keeps an event of an unknown type each time that it arrives', () => {
    const session = ServeSession.begun();
    const before = session.host.events.length;
    for (const _ of [1, 2])
      session.channel.receive(JSON.stringify({ id: 'evt_1', type: 'new.event', properties: {} }), 90);
    expect(session.host.events.slice(before)).toMatchObject([{ type: 'unknown' }, { type: 'unknown' }]);
  });

  it('keeps a request of a session that is not ours as unknown', () => {
    const session = ServeSession.begun();
    session.event('permission.asked', { id: 'per_1', sessionID: 'ses_other', permission: 'bash', patterns: [] });
    expect(session.host.requests).toEqual([]);
    expect(session.host.events.at(-1)).toMatchObject({ type: 'unknown' });
  });
});

describe('questions over a server', () => {
  const questions = [
    { question: 'Which colour?', options: [{ label: 'Red' }], multiple: true },
    { question: 'Why?', options: [] },
  ];

  it('answers all questions of a request together', () => {
    const session = ServeSession.begun();
    session.event('question.asked', { id: 'que_1', sessionID: 'ses_1', questions });
    session.sent();
    session.channel.answer('que_1/1', { outcome: 'answer', answer: 'because' });
    expect(session.sent()).toEqual([]);
    session.channel.answer('que_1/0', { outcome: 'answer', answer: ['Red', 'Blue'] });
    expect(session.sent()).toEqual([
      { method: 'POST', path: '/question/que_1/reply', body: { answers: [['Red', 'Blue'], ['because']] } },
    ]);
  });

  it('gives the reason of a declined question as its answer', () => {
    const session = ServeSession.begun();
    session.event('question.asked', { id: 'que_1', sessionID: 'ses_1', questions: questions.slice(1) });
    session.sent();
    session.channel.answer('que_1/0', { outcome: 'reject', feedback: 'ask later' });
    expect(session.sent()).toMatchObject([{ body: { answers: [['I decline to answer: ask later']] } }]);
  });

  it('looks for the question about a plan that the server does not announce', () => {
    const session = ServeSession.begun('kilo');
    const path = '.kilo/plans/p.md';
    session.tool('w', 'write', { status: 'completed', input: { filePath: path, content: '# Plan' }, output: 'ok' });
    session.tool('x', 'plan_exit', { status: 'completed', input: { path }, output: 'ok', metadata: { plan: path } });
    session.sent();
    session.host.runTimers();
    session.respond('/question', []);
    session.host.runTimers();
    const options = ['Start new session', 'Continue here', 'Keep refining'].map(label => ({ label }));
    const question = { question: 'Ready to implement?', questionKey: 'plan.followup.question', options };
    session.respond('/question', [{ id: 'que_1', sessionID: 'ses_1', questions: [question] }]);
    session.respond(`/file/content?path=${encodeURIComponent(path)}`, '', 404);
    expect(session.host.requests).toMatchObject([{ kind: 'plan', plan: '# Plan' }]);
    session.sent();
    session.channel.answer('que_1/0', { outcome: 'reject', feedback: 'more detail' });
    expect(session.sent()).toMatchObject([
      { path: '/session/ses_1/prompt_async', body: { parts: [{ text: 'more detail' }] } },
      { path: '/question/que_1/reply', body: { answers: [['Keep refining']] } },
    ]);
  });
});
