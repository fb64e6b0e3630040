import { describe, expect, it } from 'vitest';
import { claudeLive } from '../../../src/agents/cli/adapters/claude/live/adapter.ts';
import { RecordingHost } from '../../support/recorded-channel.ts';
import { CodexSession } from './codex-session.ts';

/** A channel of Claude Code whose program is played by the test. */
function openClaude() {
  const host = new RecordingHost();
  const channel = claudeLive.channel(host, { cwd: '/project', folder: '/session', environment: {} });
  let lines = 0;
  const receive = (record: object) => channel.receive(JSON.stringify(record), ++lines);
  channel.open();
  const { request_id } = JSON.parse(host.sent[0] as string) as { request_id: string };
  receive({ type: 'control_response', response: { subtype: 'success', request_id, response: {} } });
  channel.prompt({ runId: 'run', content: 'go' });
  receive({ type: 'system', subtype: 'init', session_id: 's', cwd: '/project', permissionMode: 'default' });
  return { host, channel, receive };
}

const use = (id: string, name: string, input: object) => ({
  type: 'assistant',
  session_id: 's',
  message: { id: `m-${id}`, content: [{ type: 'tool_use', id, name, input }] },
});

const result = (id: string) => ({
  type: 'user',
  session_id: 's',
  message: { content: [{ type: 'tool_result', tool_use_id: id, content: 'ok' }] },
});

const mode = (permissionMode: string) => ({ type: 'system', subtype: 'status', session_id: 's', permissionMode });

describe('a turn of Claude Code that changes to a mode in which it does not ask', () => {
  it('is stopped, is in the log to its end, has its unasked calls marked, and fails once', () => {
    const { host, receive } = openClaude();
    receive(mode('acceptEdits'));
    receive(mode('acceptEdits'));
    receive(use('t1', 'Edit', { file_path: '/project/a', old_string: 'a', new_string: 'b' }));
    receive(result('t1'));
    const text = [{ type: 'text', text: 'Edited.' }];
    receive({ type: 'assistant', session_id: 's', message: { id: 'm2', content: text } });
    expect(host.problem).toBeUndefined();
    receive({ type: 'result', subtype: 'error_during_execution', is_error: true, session_id: 's', usage: {} });
    receive({ type: 'keep_alive' });
    const shown = host.trace.flatMap(call => {
      if ('emit' in call) {
        const { type, code, name, content } = call.emit as Record<string, unknown>;
        return type === 'session' || type === 'step_start' || type === 'usage' ? [] : [[type, code ?? name ?? content]];
      }
      return 'failed' in call
        ? [['failed', (call.failed as { code: string }).code]]
        : 'turnEnded' in call
          ? [call]
          : [];
    });
    expect(shown).toEqual([
      ['tool_call', 'Edit'],
      ['warning', 'unasked'],
      ['tool_result', 'Edit'],
      ['text', 'Edited.'],
      ['failed', 'unsafe_mode'],
      { turnEnded: { reason: 'error' } },
    ]);
    expect(host.events.find(event => event.type === 'warning')).toMatchObject({
      message: 'Claude Code ran Edit without asking, in the permission mode "acceptEdits".',
    });
    expect(host.sent.filter(line => line.includes('"interrupt"'))).toHaveLength(1);
  });

  it('refuses what it still asks', () => {
    const { host, receive } = openClaude();
    receive(mode('acceptEdits'));
    receive(use('t1', 'Bash', { command: 'rm a' }));
    const request = { subtype: 'can_use_tool', tool_name: 'Bash', tool_use_id: 't1', input: { command: 'rm a' } };
    receive({ type: 'control_request', request_id: 'r1', request });
    expect(host.requests).toEqual([]);
    expect(JSON.parse(host.sent.at(-1) as string)).toMatchObject({
      response: { request_id: 'r1', response: { behavior: 'deny' } },
    });
    receive(result('t1'));
    expect(host.events.filter(event => event.type === 'warning')).toEqual([]);
  });

  it('fails also when the program reports no end, or closes its output', () => {
    for (const end of ['time', 'close']) {
      const { host, channel, receive } = openClaude();
      receive(mode('bypassPermissions'));
      if (end === 'time') host.runTimers();
      channel.closed();
      expect(host.trace.filter(call => 'failed' in call)).toMatchObject([{ failed: { code: 'unsafe_mode' } }]);
      expect(host.ends).toHaveLength(1);
    }
  });
});

describe('a turn of Codex that changes to a policy that does not ask', () => {
  const settings = (approvalPolicy: string) => ({
    method: 'thread/settings/updated',
    params: {
      threadId: 'main',
      threadSettings: { approvalPolicy, approvalsReviewer: 'user', sandboxPolicy: { type: 'workspaceWrite' } },
    },
  });

  it('is stopped, is in the log to its end, has its unasked calls marked, and fails once', () => {
    const session = new CodexSession().handshake().begin();
    session.receive(settings('untrusted'));
    session.receive(settings('never'));
    session.receive(settings('never'));
    expect(session.sent().filter(({ method }) => method === 'turn/interrupt')).toHaveLength(1);
    session.command('c1', 'touch a');
    const done = { type: 'commandExecution', id: 'c1', command: `/bin/bash -lc 'touch a'`, status: 'completed' };
    session.item('completed', { ...done, exitCode: 0, aggregatedOutput: '' });
    session.completed('run', { status: 'interrupted' });
    const { host } = session;
    expect(host.events.map(({ type }) => type)).toEqual([
      'session',
      'step_start',
      'tool_call',
      'warning',
      'tool_start',
      'tool_result',
    ]);
    expect(host.events[3]).toMatchObject({ code: 'unasked', message: 'Codex ran command_execution without asking.' });
    expect(host.trace.slice(-2)).toMatchObject([
      { failed: { code: 'policy_not_accepted' } },
      { turnEnded: { reason: 'error' } },
    ]);
    expect(host.trace.filter(call => 'failed' in call)).toHaveLength(1);
  });

  it('fails with the refusal of the policy, and takes no session for unknown because of it', () => {
    const session = new CodexSession({ sessionId: 'old' });
    session.answerCall('initialize', { result: {} });
    const message = 'invalid value for `approval_policy`: `untrusted` is not in the allowed set';
    session.answerCall('thread/resume', { error: { code: -32600, message } });
    expect(session.host.trace).toEqual([
      {
        failed: { message: `Codex refused the policy to ask before it acts: ${message}`, code: 'policy_not_accepted' },
      },
    ]);
  });

  it('takes a late report of a closed request as no news', () => {
    const session = new CodexSession().handshake().begin();
    session.receive({ method: 'serverRequest/resolved', params: { threadId: 'main', requestId: 7 } });
    expect(session.host.events.filter(({ type }) => type === 'unknown')).toEqual([]);
    session.completed();
    session.receive({ method: 'serverRequest/resolved', params: { threadId: 'main', requestId: 7 } });
    session.begin('next');
    expect(session.host.events.filter(({ type }) => type === 'unknown')).toEqual([]);
  });
});
