import { describe, expect, it } from 'vitest';
import { piLive } from '../../../src/agents/cli/adapters/pi/live/adapter.ts';
import { dialogs, gateFile } from '../../../src/agents/cli/adapters/pi/live/gate.ts';
import type { LiveStart } from '../../../src/agents/cli/contract/live-channel.ts';
import type { WireRecord } from '../../../src/agents/cli/shared/wire-value.ts';
import { RecordingHost } from '../../support/recorded-channel.ts';
import { state, status } from './pi-replay.ts';

/** A channel of Pi whose program is played by the test. */
class Session {
  readonly host = new RecordingHost();
  readonly channel;
  #lines = 0;

  constructor(start: Partial<LiveStart> = {}) {
    this.channel = piLive.channel(this.host, { cwd: '/project', environment: {}, folder: '/session', ...start });
    this.channel.open();
  }

  receive(...records: object[]): this {
    for (const record of records) this.channel.receive(JSON.stringify(record), ++this.#lines);
    return this;
  }

  /** The messages to the program since the last call. */
  sent(): WireRecord[] {
    return this.host.sent.splice(0).map(line => JSON.parse(line) as WireRecord);
  }

  /** Answers the newest command of this type. */
  respond(type: string, fields: object = { success: true }): this {
    const command = this.host.sent.map(line => JSON.parse(line) as WireRecord).findLast(sent => sent['type'] === type);
    return this.receive({ type: 'response', command: type, id: command?.['id'], ...fields });
  }

  opened(): this {
    return this.receive(status()).respond('get_state', { success: true, data: state });
  }

  begin(runId = 'run', content = 'go'): this {
    this.channel.prompt({ runId, content });
    return this.respond('prompt').receive({ type: 'agent_start' }, { type: 'turn_start' });
  }
}

const open = () => {
  const session = new Session().opened().begin();
  session.sent();
  return session;
};

const dialog = (id: string, title: string, request: object) => ({
  type: 'extension_ui_request',
  id,
  method: 'editor',
  title,
  prefill: JSON.stringify(request),
});
const permission = (id: string, toolCallId: string, input: object = { command: 'make' }, tool = 'bash') =>
  dialog(id, dialogs.permission, { toolCallId, tool, input });
const settled = { type: 'agent_settled' };

describe('the session of Pi', () => {
  it('opens when the extension that asks has reported itself', () => {
    expect(new Session().opened().host.session).toEqual({ sessionId: 'session-1', model: 'fake-model' });
  });

  it.each([[[]], [[status(false)]]])('fails when it has not: %j', records => {
    const session = new Session().receive(...records).respond('get_state', { success: true, data: state });
    expect(session.host.trace).toMatchObject([{ failed: { code: 'policy_not_accepted' } }]);
  });

  it('does not know the session to resume when the program ends at once', () => {
    const session = new Session({ sessionId: 'gone' });
    session.channel.closed();
    expect(session.host.trace).toMatchObject([{ failed: { code: 'session_unknown' } }]);
  });

  it('loads the extension from the folder of the session', () => {
    const { args, files } = piLive.command({
      cwd: '/p',
      environment: {},
      folder: '/session',
      sessionId: 's',
      fork: true,
    });
    expect(args).toEqual(['--mode', 'rpc', '--extension', `/session/${gateFile}`, '--fork', 's']);
    expect(files?.[gateFile]).toContain('const asks = true;');
    expect(piLive.command({ cwd: '/p', environment: {}, folder: '/s', yolo: true }).files?.[gateFile]).toContain(
      'const asks = false;',
    );
  });

  it('switches the model before the prompt', () => {
    const session = new Session({ model: 'one' }).opened();
    session.sent();
    session.channel.prompt({ runId: 'run', content: 'go', model: 'other/two' });
    expect(session.sent()).toMatchObject([{ type: 'set_model', provider: 'other', modelId: 'two' }]);
    session.receive({ type: 'response', command: 'set_model', id: 'singletree-3', success: true });
    expect(session.sent()).toMatchObject([{ type: 'prompt', message: 'go' }]);
  });

  it('reports the commands of extensions, templates and skills, and runs without them when Pi cannot list them', () => {
    const session = new Session().opened();
    const commands = [
      { name: 'fix-tests', description: 'Fix failing tests', source: 'prompt' },
      { name: 'skill:search', source: 'skill' },
    ];
    session.respond('get_commands', { success: true, data: { commands } }).begin();
    const reported = [{ name: 'fix-tests', description: 'Fix failing tests' }, { name: 'skill:search' }];
    expect(session.host.events[0]).toMatchObject({ type: 'session', commands: reported });
    const older = new Session().opened().respond('get_commands', { success: false, error: 'Unknown command' }).begin();
    expect(older.host.events[0]).toMatchObject({ type: 'session', sessionId: 'session-1' });
    expect(older.host.events[0]).not.toHaveProperty('commands');
  });

  it('fails the turn whose model or prompt the program refuses', () => {
    const session = new Session().opened();
    session.channel.prompt({ runId: 'run', content: 'go', model: 'two' });
    session.respond('set_model', { success: false, error: 'Model not found' });
    session.channel.prompt({ runId: 'run2', content: 'go' });
    session.respond('prompt', { success: false, error: 'No API key' });
    expect(session.host.ends).toEqual([{ reason: 'error' }, { reason: 'error' }]);
    expect(session.host.events.filter(event => event.type === 'error' && event.fatal)).toMatchObject([
      { message: 'Pi cannot use the model "two": Model not found' },
      { message: 'Pi did not accept the prompt: No API key' },
    ]);
  });
});

describe('a request of Pi', () => {
  it('carries the exact input, the command or the path, and can be revised', () => {
    const session = open().receive(permission('d1', 'c1'), permission('d2', 'c2', { path: 'a.txt' }, 'write'));
    expect(session.host.requests).toMatchObject([
      { toolCallId: 'run/c1', command: 'make', canRevise: true },
      { toolCallId: 'run/c2', paths: ['a.txt'], canRevise: true },
    ]);
    session.channel.answer('request-2', { outcome: 'approve', input: { path: 'b.txt' } });
    session.channel.answer('request-1', { outcome: 'reject', feedback: 'not now' });
    session.channel.answer('request-1', { outcome: 'approve' });
    expect(session.sent()).toEqual([
      {
        type: 'extension_ui_response',
        id: 'd2',
        value: JSON.stringify({ decision: 'approve', input: { path: 'b.txt' } }),
      },
      { type: 'extension_ui_response', id: 'd1', value: JSON.stringify({ decision: 'reject', reason: 'not now' }) },
    ]);
  });

  it('is cancelled when it is not understood, so that the program blocks the call', () => {
    const session = open().receive(
      { ...permission('d1', 'c1'), prefill: 'no JSON' },
      dialog('d2', dialogs.permission, { tool: 'bash', input: {} }),
      { type: 'extension_ui_request', id: 'd3', method: 'select' },
    );
    expect(session.sent()).toEqual(
      ['d1', 'd2', 'd3'].map(id => ({ type: 'extension_ui_response', id, cancelled: true })),
    );
    expect(session.host.requests).toEqual([]);
    expect(session.host.events.filter(({ type }) => type === 'unknown')).toHaveLength(3);
  });

  it('is cancelled between turns', () => {
    const session = new Session().opened();
    session.sent();
    session.receive(permission('d1', 'c1'));
    expect(session.sent()).toMatchObject([{ id: 'd1', cancelled: true }]);
  });

  it('becomes a question when the model or another extension asks one', () => {
    const question = { toolCallId: 'c1', question: 'Which?', options: ['a', 'b'], multiple: true };
    const session = open().receive(
      dialog('d1', dialogs.question, question),
      { type: 'extension_ui_request', id: 'd2', method: 'confirm', title: 'Sure?', message: 'Really' },
      { type: 'extension_ui_request', id: 'd3', method: 'input', title: 'Name?' },
      { type: 'extension_ui_request', id: 'd4', method: 'notify', message: 'done' },
    );
    expect(session.host.requests).toMatchObject([
      { kind: 'question', question: 'Which?', selectionMode: 'multi_select', toolCallId: 'run/c1' },
      { kind: 'question', question: 'Sure?\nReally', options: [{ label: 'yes' }, { label: 'no' }] },
      { kind: 'question', question: 'Name?' },
    ]);
    session.channel.answer('request-1', { outcome: 'answer', answer: ['a', 'b'] });
    session.channel.answer('request-2', { outcome: 'answer', answer: 'yes' });
    session.channel.answer('request-3', { outcome: 'reject' });
    expect(session.sent()).toEqual([
      { type: 'extension_ui_response', id: 'd1', value: JSON.stringify({ answer: ['a', 'b'] }) },
      { type: 'extension_ui_response', id: 'd2', confirmed: true },
      { type: 'extension_ui_response', id: 'd3', cancelled: true },
    ]);
  });
});

describe('an interrupt of Pi', () => {
  it('cancels the open dialog, which would hold up the end, after the abort', () => {
    const session = open().receive(permission('d1', 'c1'));
    session.channel.interrupt();
    expect(session.sent()).toMatchObject([{ type: 'abort' }, { id: 'd1', cancelled: true }]);
    expect(session.host.withdrawn).toMatchObject([{ id: 'request-1' }]);
    session.receive(permission('d2', 'c2'));
    expect(session.sent()).toMatchObject([{ id: 'd2', cancelled: true }]);
    session.receive(settled);
    expect(session.host.ends).toEqual([{ reason: 'aborted' }]);
  });

  it('waits for a run that has not started', () => {
    const session = new Session().opened();
    session.channel.prompt({ runId: 'run', content: 'go' });
    session.channel.interrupt();
    session.respond('prompt');
    session.sent();
    session.receive({ type: 'agent_start' });
    expect(session.sent()).toMatchObject([{ type: 'abort' }]);
  });

  it('ends the turn with the answer to it when nothing ran any more', () => {
    const session = open();
    session.channel.interrupt();
    session.respond('abort');
    expect(session.host.ends).toEqual([{ reason: 'aborted' }]);
  });

  it.each([
    [true, { unsent: ['m1'], steerings: [] }],
    [false, { unsent: undefined, steerings: [{ id: 'm1', delivery: 'joined' }] }],
  ])('takes back messages of the queue where the program can (%s)', (success, { unsent, steerings }) => {
    const session = open();
    session.channel.steer({ id: 'm1', content: 'and that' });
    session.respond('steer');
    session.channel.interrupt();
    session.respond('clear_queue', { success });
    session.receive(settled);
    expect(session.host.ends).toEqual([{ reason: 'aborted', ...(unsent && { unsent }) }]);
    expect(session.host.steerings).toEqual(steerings);
  });
});

describe('the end of a turn of Pi', () => {
  const ended = (stopReason: string, fields: object = {}) => ({
    type: 'agent_end',
    messages: [{ role: 'assistant', stopReason }],
    ...fields,
  });

  it('is when the program has settled, in versions that report it', () => {
    const session = open().receive(ended('error', { willRetry: true }), ended('stop', { willRetry: false }));
    session.host.runTimers();
    expect(session.host.ends).toEqual([]);
    expect(session.receive(settled).host.ends).toEqual([{ reason: 'complete' }]);
  });

  it('is when an older version has ended and tries nothing again', () => {
    const session = open().receive(ended('error'));
    expect(session.host.ends).toEqual([]);
    session.receive({ type: 'auto_retry_start', attempt: 1, maxAttempts: 3, errorMessage: '500' });
    session.host.runTimers();
    expect(session.host.ends).toEqual([]);
    session.receive({ type: 'agent_start' }, ended('stop'));
    expect(session.host.ends).toEqual([{ reason: 'complete' }]);
  });

  it('waits in an older version for a compaction that tries again', () => {
    const session = open().receive(ended('error'), { type: 'compaction_start' });
    session.host.runTimers();
    session.receive({ type: 'compaction_end', willRetry: false });
    expect(session.host.ends).toEqual([]);
    session.host.runTimers();
    expect(session.host.ends).toHaveLength(1);
  });

  it('is at once for a command of an extension that starts no run', () => {
    const session = new Session().opened();
    session.channel.prompt({ runId: 'run', content: '/hello' });
    session.respond('prompt').respond('get_state', { success: true, data: { isStreaming: false } });
    expect(session.host.ends).toEqual([{ reason: 'complete' }]);
  });

  it('is when the program closes', () => {
    const session = open().receive(permission('d1', 'c1'));
    session.channel.closed();
    expect(session.host.withdrawn).toMatchObject([{ id: 'request-1' }]);
    expect(session.host.ends).toEqual([{ reason: 'error' }]);
  });

  it('has other ids in each process of a run', () => {
    const said = {
      type: 'message_end',
      message: { role: 'assistant', content: [{ type: 'text', text: 'hi' }], stopReason: 'stop' },
    };
    const ids = [
      {},
      { sessionId: 's', folder: '/tmp/session-aaaaaa' },
      { sessionId: 's', folder: '/tmp/session-bbbbbb' },
    ]
      .map(start => new Session(start).opened().begin().receive(said).host.events)
      .flatMap(events => events.flatMap(event => (event.type === 'text' ? [event.id] : [])));
    expect(ids).toEqual(['run/m0/0', 'run/aaaaaa-m0/0', 'run/bbbbbb-m0/0']);
  });

  it('keeps the ids of several turns of a run apart, and counts steps anew', () => {
    const session = open();
    const said = {
      type: 'message_end',
      message: { role: 'assistant', content: [{ type: 'text', text: 'hi' }], stopReason: 'stop' },
    };
    session.receive(said, settled).begin().receive(said, settled);
    const ids = session.host.events.flatMap(event => (event.type === 'text' ? [event.id] : []));
    expect(new Set(ids).size).toBe(2);
    expect(session.host.events.filter(({ type }) => type === 'step_start')).toMatchObject([{ step: 0 }, { step: 0 }]);
  });
});
