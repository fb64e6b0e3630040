import { fileURLToPath } from 'node:url';
import type { LiveAdapter, LiveAnswer, LiveChannel, LiveStart } from '../../../src/agents/cli/contract/live-channel.ts';
import { toList, toRecord, toText, type WireRecord } from '../../../src/agents/cli/shared/wire-value.ts';
import { type RecordedLine, RecordingHost, readRecording } from '../../support/recorded-channel.ts';

const fixtures = fileURLToPath(new URL('./fixtures', import.meta.url));

/** The rules that a server reports for an agent that asks about everything. */
export const askingAgents = [
  { name: 'build', mode: 'primary', permission: [{ permission: '*', pattern: '*', action: 'ask' }] },
];

export interface ServeRecording {
  readonly adapter: LiveAdapter;
  /** The folder of its recordings, `opencode@1.18.33`. */
  readonly folder: string;
  readonly scenario: string;
  /** Whether the second process of the recording is meant. */
  readonly isSecond?: boolean;
  readonly start?: Partial<LiveStart>;
}

export function fixturesOf(folder: string): string {
  return `${fixtures}/${folder}`;
}

/** Reads the requests, responses and events of a recording; what the processes print is left out. */
export function serveRecording({ folder, scenario, isSecond = false }: ServeRecording): RecordedLine[] {
  const file = `${fixtures}/${folder}/${scenario}.jsonl`;
  const from = readRecording(file, 'p2')[0]?.t ?? Number.POSITIVE_INFINITY;
  return readRecording(file, ['http', 'sse']).filter(({ t }) => t >= from === isSecond);
}

/** Replays a recording: prompts, answers, steered messages and interrupts of its client become commands. */
export function replayServe(options: ServeRecording) {
  const host = new RecordingHost();
  const start = { cwd: '$CWD', folder: '$TMP/session', environment: {}, ...options.start };
  const channel = options.adapter.channel(host, start);
  const server = new RecordedServer(host, channel, start);
  channel.open();
  server.answerOpening();
  const recorded: unknown[] = [];
  for (const { dir, proc, line } of serveRecording(options)) {
    const message = toRecord(JSON.parse(line)) ?? {};
    if (dir === 'in') {
      if (isProbe(message)) continue;
      recorded.push(normalise(message));
      drive(message, channel, host);
    } else if (proc === 'sse') server.receive(line);
    else server.respond(message);
    server.answerFiles();
  }
  channel.closed();
  return { host, recorded, sent: server.sent.map(normalise) };
}

/** Answers the requests of a channel with the responses of a recording. */
class RecordedServer {
  readonly #host: RecordingHost;
  readonly #channel: LiveChannel;
  readonly #start: Partial<LiveStart>;
  readonly #answered = new Set<unknown>();
  #lines = 0;

  constructor(host: RecordingHost, channel: LiveChannel, start: Partial<LiveStart>) {
    this.#host = host;
    this.#channel = channel;
    this.#start = start;
  }

  /** The messages of the channel, but those that check and resume a session, which the recording client had no use for. */
  get sent(): WireRecord[] {
    return this.#all.filter(message => message['method'] !== 'GET');
  }

  receive(line: string): void {
    this.#channel.receive(line, ++this.#lines);
  }

  /** Answers the requests that are not recorded: the check of the rules, and a session that is resumed. */
  answerOpening(): void {
    this.#settle('/agent', { status: 200, body: askingAgents });
    const { sessionId } = this.#start;
    if (sessionId !== undefined) this.#settle(`/session/${sessionId}`, { status: 200, body: { id: sessionId } });
    this.#answerCommands();
  }

  /** Answers requests for the content of a plan. */
  answerFiles(): void {
    for (const { path } of this.#all)
      if (String(path).startsWith('/file/content'))
        this.#settle(String(path), { status: 200, body: { content: '# Plan\n' } });
  }

  respond({ path, status, body }: WireRecord): void {
    this.#settle(String(path), { status: Number(status), body: parsed(String(body)) });
    this.#answerCommands();
  }

  /** Answers the request for slash commands, which the recording client did not send: the lines keep their numbers. */
  #answerCommands(): void {
    const request = this.#all.find(({ id, path }) => path === '/command' && !this.#answered.has(id));
    if (request === undefined) return;
    this.#answered.add(request['id']);
    this.#channel.receive(JSON.stringify({ response: { id: request['id'], status: 200, body: [] } }), this.#lines);
  }

  get #all(): WireRecord[] {
    return this.#host.sent.map(message => JSON.parse(message) as WireRecord);
  }

  #settle(path: string, { status, body }: { status: number; body: unknown }): void {
    const request = this.#all.find(message => message['path'] === path && !this.#answered.has(message['id']));
    if (request === undefined) return;
    this.#answered.add(request['id']);
    this.receive(JSON.stringify({ response: { id: request['id'], status, body } }));
  }
}

/** Performs the command that a recorded request corresponds to. */
function drive({ path, body }: WireRecord, channel: LiveChannel, host: RecordingHost): void {
  const [, kind, id, action] = /^\/(\w+)\/([^/]+)\/(\w+)$/.exec(String(path)) ?? [];
  const record = toRecord(body) ?? {};
  const prompts = host.ends.length;
  if (action === 'prompt_async') {
    const content = toList(record['parts'])
      .map(part => toText(toRecord(part)?.['text']) ?? '')
      .join('\n');
    const before = host.sent.length;
    channel.prompt({ runId: `run${prompts + 1}`, content, mode: toText(record['agent']) });
    if (host.sent.length === before) channel.steer({ id: `steer-${before}`, content });
  } else if (action === 'abort') channel.interrupt();
  else if (kind === 'permission') channel.answer(String(id), permissionAnswer(record));
  else if (kind === 'question')
    for (const { id: requestId, kind: asked } of host.requests)
      if (requestId.startsWith(`${id}/`)) channel.answer(requestId, questionAnswer(record, asked));
}

function permissionAnswer({ reply, message }: WireRecord): LiveAnswer {
  if (reply !== 'reject') return { outcome: 'approve' };
  return { outcome: 'reject', ...(typeof message === 'string' && { feedback: message }) };
}

function questionAnswer({ answers }: WireRecord, kind: string): LiveAnswer {
  if (answers === undefined) return { outcome: 'cancelled' };
  if (kind === 'plan') return { outcome: 'approve' };
  return { outcome: 'answer', answer: toList(toList(answers)[0]).map(String) };
}

/** Requests by which the recording client looked at the server. */
function isProbe({ method }: WireRecord): boolean {
  return method === 'GET';
}

/** Removes what the channel does in its own way: an approval is always given once, a rejection has a reason. */
function normalise({ method, path, body }: WireRecord): unknown {
  const record = toRecord(body);
  // A steered message names the agent that is at work.
  const { agent, ...rest } = record ?? {};
  if (record?.['reply'] === undefined) return { method, path, body: agent === 'plan' ? record : rest };
  const message = record['message'] === 'The user rejected this call.' ? undefined : record['message'];
  return { method, path, body: { reply: record['reply'] === 'reject' ? 'reject' : 'once', message } };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
