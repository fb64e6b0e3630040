import type { LiveAdapter, LiveAnswer, LiveChannel, LiveStart } from '../../../src/agents/cli/contract/live-channel.ts';
import { toList, toRecord, toText, type WireRecord } from '../../../src/agents/cli/shared/wire-value.ts';
import { type RecordedLine, RecordingHost } from '../../support/recorded-channel.ts';

/** Opens a channel. */
export function openChannel(
  adapter: LiveAdapter,
  start: Partial<LiveStart> = {},
): { channel: LiveChannel; host: RecordingHost } {
  const host = new RecordingHost();
  const channel = adapter.channel(host, { cwd: '$CWD', environment: {}, folder: '$TMP/session', ...start });
  channel.open();
  return { channel, host };
}

export interface AcpReplay {
  readonly adapter: LiveAdapter;
  readonly recording: readonly RecordedLine[];
  readonly start?: Partial<LiveStart>;
  /** The mode of the turns. */
  readonly mode?: string;
}

export interface AcpReplayed {
  readonly host: RecordingHost;
  /** Our messages and the recorded ones, without what may differ. */
  readonly sent: readonly unknown[];
  readonly recorded: readonly unknown[];
}

/** Requests of the recording client that the channel has no use for. */
const probes: ReadonlySet<unknown> = new Set(['no/such', 'session/list', 'session/resume', 'session/fork']);

/**
 * Feeds a recording to a channel: lines of the program are received, prompts, answers and interrupts of the recording
 * client become commands. Answers of the program are mapped to our requests by method and order.
 */
export function replayAcp({ adapter, recording, start, mode }: AcpReplay): AcpReplayed {
  const { channel, host } = openChannel(adapter, start);
  const methods = new Map<unknown, string>();
  const counts = new Map<string, number>();
  const asked = new Map<unknown, number>();
  const asks = new Map<unknown, unknown>();
  const recorded: unknown[] = [];
  let number = 0;
  let turns = 0;
  const drive = (message: WireRecord): boolean => {
    const { method, id } = message;
    const params = toRecord(message['params']) ?? {};
    if (method === 'session/prompt') {
      if (host.ends.length < turns || params['sessionId'] !== host.session?.sessionId) return false;
      turns++;
      channel.prompt({ runId: `run${turns}`, content: promptText(params), ...(mode !== undefined && { mode }) });
    } else if (method === 'session/cancel') channel.interrupt();
    else if (method === '_goose/unstable/session/steer') {
      if (params['expectedRunId'] === undefined) return false;
      channel.steer({ id: 'steer', content: promptText(params) });
    } else if (method === undefined) {
      const request = host.requests[asked.get(id) ?? -1];
      if (request !== undefined) channel.answer(request.id, answerOf(toRecord(message['result']), request.kind));
    }
    return true;
  };
  for (const { dir, line } of recording) {
    const message = parsed(line);
    if (dir === 'in') {
      if (message === undefined) continue;
      if (probes.has(message['method'])) {
        methods.set(message['id'], 'none');
        continue;
      }
      // The recording client answered the request for queued messages as unknown; the channel has none.
      if ('error' in message && asks.get(message['id']) !== 'craft/drainMidTurnQueue')
        recorded.push(normalised(message));
      else if ('error' in message)
        recorded.push(normalised({ id: message['id'], result: { messages: [], hasQueuedPrompt: false } }));
      else if (!drive(message)) methods.set(message['id'], 'none');
      else {
        count(message, methods, counts);
        recorded.push(normalised(message));
      }
    } else {
      const before = host.requests.length;
      if (message?.['method'] !== undefined) asks.set(message['id'], message['method']);
      const mapped = message === undefined ? line : answered(message, methods, host.sent);
      if (mapped !== undefined) channel.receive(mapped, ++number);
      if (message?.['method'] !== undefined && host.requests.length > before) asked.set(message['id'], before);
    }
  }
  channel.closed();
  return { host, sent: host.sent.map(message => normalised(parsed(message) ?? {})), recorded };
}

/** Counts a request of the recording client: its answer belongs to our request of the same method and number. */
function count(message: WireRecord, methods: Map<unknown, string>, counts: Map<string, number>): void {
  const method = toText(message['method']);
  if (method === undefined || message['id'] === undefined) return;
  const index = counts.get(method) ?? 0;
  counts.set(method, index + 1);
  methods.set(message['id'], `${method}#${index}`);
}

/** The line of the program with our id; undefined when it answers a request that we did not make. */
function answered(message: WireRecord, methods: Map<unknown, string>, sent: readonly string[]): string | undefined {
  if (message['method'] !== undefined) return JSON.stringify(message);
  const [method, index] = methods.get(message['id'])?.split('#') ?? [];
  if (method === undefined) return JSON.stringify(message);
  const ours = sent.map(parsed).filter(each => each?.['method'] === method)[Number(index)];
  return ours === undefined ? undefined : JSON.stringify({ ...message, id: ours['id'] });
}

function answerOf(result: WireRecord | undefined, kind: string): LiveAnswer {
  const outcome = toRecord(result?.['outcome']);
  const answers = Object.values(toRecord(result?.['answers']) ?? {}).map(String);
  if (outcome?.['outcome'] === 'cancelled') return { outcome: 'cancelled' };
  const isRejected = /reject|cancel/.test(String(outcome?.['optionId']));
  if (isRejected) {
    const feedback = toText(toRecord(outcome?.['_meta'])?.['reason']);
    return { outcome: 'reject', ...(feedback !== undefined && { feedback }) };
  }
  return kind === 'question' ? { outcome: 'answer', answer: answers } : { outcome: 'approve' };
}

/** Removes ids, names, and what an answer of the recording client allowed beyond once. */
function normalised(message: WireRecord): unknown {
  const { method } = message;
  if (method === 'initialize') return { method };
  if (method !== undefined) return { method, params: message['params'] };
  const result = toRecord(message['result']);
  const { _meta, ...outcome } = toRecord(result?.['outcome']) ?? {};
  const optionId = toText(outcome['optionId'])?.replace(/_always(_\w+)?$/, '_once');
  if (result === undefined) return { id: message['id'], error: toRecord(message['error'])?.['code'] };
  const { _meta: _, ...rest } = result;
  return { id: message['id'], ...rest, outcome: { ...outcome, ...(optionId !== undefined && { optionId }) } };
}

function promptText(params: WireRecord): string {
  return toList(params['prompt'])
    .map(part => toText(toRecord(part)?.['text']) ?? '')
    .join('\n');
}

function parsed(line: string): WireRecord | undefined {
  try {
    return toRecord(JSON.parse(line));
  } catch {
    return undefined;
  }
}
