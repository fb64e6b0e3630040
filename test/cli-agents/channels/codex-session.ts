import { codexLive } from '../../../src/agents/cli/adapters/codex/live/adapter.ts';
import type { LiveStart } from '../../../src/agents/cli/contract/live-channel.ts';
import type { WireRecord } from '../../../src/agents/cli/shared/wire-value.ts';
import { RecordingHost } from '../../support/recorded-channel.ts';

const policy = {
  approvalPolicy: 'untrusted',
  approvalsReviewer: 'user',
  sandbox: { type: 'workspaceWrite' },
  model: 'gpt-5.5',
};

/** A channel of Codex whose program is played by the test. */
export class CodexSession {
  readonly host = new RecordingHost();
  readonly channel;
  #lines = 0;

  constructor(start: Partial<LiveStart> = {}) {
    this.channel = codexLive.channel(this.host, { cwd: '/project', folder: '/session', environment: {}, ...start });
    this.channel.open();
  }

  /** The messages to the program since the last call. */
  sent(): WireRecord[] {
    return this.host.sent.splice(0).map(line => JSON.parse(line) as WireRecord);
  }

  receive(message: object | string): void {
    this.channel.receive(typeof message === 'string' ? message : JSON.stringify(message), ++this.#lines);
  }

  /** Answers the newest call of the channel to this method. */
  answerCall(method: string, answer: object): void {
    const call = this.host.sent.map(line => JSON.parse(line) as WireRecord).findLast(sent => sent['method'] === method);
    this.receive({ id: call?.['id'], ...answer });
  }

  /** Opens the session. */
  handshake(opened: object = policy, method = 'thread/start'): this {
    this.answerCall('initialize', { result: {} });
    this.answerCall(method, { result: { thread: { id: 'main' }, ...opened } });
    return this;
  }

  /** Begins a turn that the program has started. */
  begin(runId = 'run', mode?: string): this {
    this.channel.prompt({ runId, content: 'go', mode });
    this.started(runId);
    return this;
  }

  started(runId = 'run', threadId = 'main'): void {
    const turn = { id: `turn-of-${runId}`, status: 'inProgress' };
    if (threadId === 'main') this.answerCall('turn/start', { result: { turn } });
    this.receive({ method: 'turn/started', params: { threadId, turn } });
  }

  completed(runId = 'run', { threadId = 'main', status = 'completed', error = null as object | null } = {}): void {
    this.receive({ method: 'turn/completed', params: { threadId, turn: { id: `turn-of-${runId}`, status, error } } });
  }

  item(phase: 'started' | 'completed', item: object, threadId = 'main'): void {
    this.receive({ method: `item/${phase}`, params: { threadId, turnId: 't', item } });
  }

  command(id: string, line: string, threadId = 'main'): void {
    const item = { type: 'commandExecution', id, command: `/bin/bash -lc '${line}'`, status: 'inProgress' };
    this.item('started', item, threadId);
  }

  ask(method: string, id: number, params: object, threadId = 'main'): void {
    this.receive({ method, id, params: { threadId, turnId: 't', ...params } });
  }

  askCommand(id: number, itemId: string, line: string, threadId = 'main'): void {
    const params = { itemId, command: `/bin/bash -lc '${line}'`, cwd: '/project' };
    this.ask('item/commandExecution/requestApproval', id, params, threadId);
  }
}
