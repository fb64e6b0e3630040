import { kiloAdapter } from '../../../src/agents/cli/adapters/kilo/adapter.ts';
import { opencodeAdapter } from '../../../src/agents/cli/adapters/opencode/adapter.ts';
import type { LiveAdapter, LiveStart } from '../../../src/agents/cli/contract/live-channel.ts';
import { toRecord, type WireRecord } from '../../../src/agents/cli/shared/wire-value.ts';
import { RecordingHost } from '../../support/recorded-channel.ts';
import { askingAgents } from './serve-replay.ts';

const adapters = { opencode: opencodeAdapter.live as LiveAdapter, kilo: kiloAdapter.live as LiveAdapter };

/** A channel over a server whose messages a test writes. */
export class ServeSession {
  readonly host = new RecordingHost();
  readonly channel;
  /** The slash commands that the server reports when a session is open. */
  commands: readonly object[] = [];
  #lines = 0;
  #messages = 0;

  constructor(program: keyof typeof adapters = 'opencode', start: Partial<LiveStart> = {}) {
    const settings = { cwd: '/project', folder: '/session', environment: {}, ...start };
    this.channel = adapters[program].channel(this.host, settings);
    this.channel.open();
  }

  /** A session that is open, with a turn whose answer has begun. */
  static begun(program?: keyof typeof adapters): ServeSession {
    const session = new ServeSession(program);
    session.respond('/agent', askingAgents);
    session.respond('/session', { id: 'ses_1' });
    session.channel.prompt({ runId: 'run', content: 'go' });
    session.respond('/session/ses_1/prompt_async', '', 204);
    session.personMessage('go');
    session.answerBegins();
    return session;
  }

  /** The messages to the server since the last call, without their ids. */
  sent(): WireRecord[] {
    return this.host.sent.splice(0).map(message => {
      const { id: _, ...rest } = JSON.parse(message) as Record<string, unknown>;
      return rest;
    });
  }

  /** Answers the newest request with this path. */
  respond(path: string, body: unknown, status = 200): void {
    const request = this.host.sent
      .map(message => toRecord(JSON.parse(message)))
      .findLast(sent => sent?.['path'] === path);
    this.line({ response: { id: request?.['id'] ?? -1, status, body } });
    if (path !== '/command' && this.host.session === undefined && this.#isRequested('/command'))
      this.respond('/command', this.commands);
  }

  #isRequested(path: string): boolean {
    return this.host.sent.some(message => toRecord(JSON.parse(message))?.['path'] === path);
  }

  event(type: string, properties: object): void {
    this.line({ id: `evt_${this.#lines + 1}`, type, properties });
  }

  line(message: object): void {
    this.channel.receive(JSON.stringify(message), ++this.#lines);
  }

  /** A message of a person appears; returns its id. */
  personMessage(text: string): string {
    const id = `msg_${++this.#messages}`;
    this.event('message.updated', { info: { id, role: 'user', sessionID: 'ses_1' } });
    this.event('message.part.updated', {
      part: { id: `prt_${id}`, messageID: id, sessionID: 'ses_1', type: 'text', text },
    });
    return id;
  }

  /** An answer to the newest message of a person begins; returns its id. */
  answerBegins(parentID = `msg_${this.#messages}`): string {
    const id = `answer_${parentID}`;
    this.event('message.updated', {
      info: { id, role: 'assistant', sessionID: 'ses_1', parentID, time: { created: 1 } },
    });
    return id;
  }

  answerEnds(id = `answer_msg_${this.#messages}`): void {
    this.event('message.updated', {
      info: { id, role: 'assistant', sessionID: 'ses_1', time: { created: 1, completed: 2 } },
    });
  }

  tool(callID: string, tool: string, state: object): void {
    const messageID = `answer_msg_${this.#messages}`;
    const part = { id: `prt_${callID}`, messageID, sessionID: 'ses_1', type: 'tool', tool, callID, state };
    this.event('message.part.updated', { part });
  }

  /** A running command, and the request for it. */
  asks(callID: string, command: string, permission = 'bash'): void {
    this.tool(callID, 'bash', { status: 'running', input: { command } });
    this.event('permission.asked', {
      id: `per_${callID}_${permission}`,
      sessionID: 'ses_1',
      permission,
      patterns: [command],
      metadata: { command },
      tool: { messageID: `answer_msg_${this.#messages}`, callID },
    });
  }

  idle(): void {
    this.event('session.status', { sessionID: 'ses_1', status: { type: 'idle' } });
    this.event('session.idle', { sessionID: 'ses_1' });
  }
}
