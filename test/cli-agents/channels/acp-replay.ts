import { setImmediate } from 'node:timers/promises';
import type { LiveAdapter, LiveAnswer, LiveChannel, LiveStart } from '../../../src/agents/cli/contract/live-channel.ts';
import { listOf, recordOf, textOf, type WireRecord } from '../../../src/agents/cli/shared/wire-value.ts';
import { type RecordedLine, RecordingHost } from '../../support/recorded-channel.ts';

/** Records what a channel does to its host in one list, beside the lists of its parent. */
export class TranscriptHost extends RecordingHost {
  readonly transcript: unknown[] = [];

  override ready(session: Parameters<RecordingHost['ready']>[0]): void {
    super.ready(session);
    this.transcript.push({ ready: session });
  }

  override failed(problem: Parameters<RecordingHost['failed']>[0]): void {
    super.failed(problem);
    this.transcript.push({ failed: problem });
  }

  override emit(events: Parameters<RecordingHost['emit']>[0]): void {
    super.emit(events);
    this.transcript.push(...events);
  }

  override request(request: Parameters<RecordingHost['request']>[0]): void {
    super.request(request);
    this.transcript.push({ request });
  }

  override withdraw(id: string, reason: string): void {
    super.withdraw(id, reason);
    this.transcript.push({ withdraw: id, reason });
  }

  override steered(id: string, delivery: 'joined' | 'queued'): void {
    super.steered(id, delivery);
    this.transcript.push({ steered: id, delivery });
  }

  override turnEnded(end: Parameters<RecordingHost['turnEnded']>[0]): void {
    super.turnEnded(end);
    this.transcript.push({ turnEnded: end });
  }

  waiting(reason: string): void {
    this.transcript.push({ waiting: reason });
  }
}

/** Waits until the library has handled what it was given: it only uses microtasks. */
export async function settled(): Promise<void> {
  await setImmediate();
  await setImmediate();
}

/** Opens a channel and waits for its first message: its library has to be loaded. */
export async function openChannel(
  adapter: LiveAdapter,
  start: Partial<LiveStart> = {},
): Promise<{ channel: LiveChannel; host: TranscriptHost }> {
  const host = new TranscriptHost();
  const channel = adapter.channel(host, { cwd: '$CWD', environment: {}, folder: '$TMP/session', ...start });
  channel.open();
  while (host.sent.length === 0) await setImmediate();
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
  readonly host: TranscriptHost;
  /** Our messages and the recorded ones, without what may differ. */
  readonly sent: readonly unknown[];
  readonly recorded: readonly unknown[];
}

/** Requests of the recording client that the channel has no use for, or makes in another order. */
const probes: ReadonlySet<unknown> = new Set([
  'no/such',
  'session/list',
  'session/resume',
  'session/fork',
  'session/set_mode',
  'session/set_model',
  'session/set_config_option',
]);

/**
 * Feeds a recording to a channel: lines of the program are received, prompts, answers and interrupts of the recording
 * client become commands. Answers of the program are mapped to our requests by method and order.
 */
export async function replayAcp({ adapter, recording, start, mode }: AcpReplay): Promise<AcpReplayed> {
  const { channel, host } = await openChannel(adapter, start);
  const methods = new Map<unknown, string>();
  const counts = new Map<string, number>();
  const asked = new Map<unknown, number>();
  const recorded: unknown[] = [];
  let isOpen = false;
  let number = 0;
  let turns = 0;
  const drive = (message: WireRecord): boolean => {
    const { method, id } = message;
    const params = recordOf(message['params']) ?? {};
    if (method === 'session/prompt') {
      if (host.ends.length < turns || host.session === undefined) return false;
      turns++;
      channel.prompt({ runId: `run${turns}`, content: promptText(params), ...(mode !== undefined && { mode }) });
    } else if (method === 'session/cancel') channel.interrupt();
    else if (method === '_goose/unstable/session/steer') channel.steer({ id: 'steer', content: promptText(params) });
    else if (method === undefined) {
      const request = host.requests[asked.get(id) ?? -1];
      if (request === undefined) return false;
      channel.answer(request.id, answerOf(recordOf(message['result']), request.kind));
    }
    return true;
  };
  for (const { dir, line } of recording) {
    const message = parsed(line);
    if (dir === 'in') {
      if (message === undefined || probes.has(message['method'])) {
        if (message !== undefined) count(message, methods, counts);
        continue;
      }
      count(message, methods, counts);
      const isDriven = drive(message);
      if (isDriven) recorded.push(normalised(message));
      isOpen ||= isDriven;
    } else {
      const before = host.requests.length;
      const mapped = message === undefined ? line : answered(message, methods, host.sent);
      if (mapped !== undefined) channel.receive(mapped, ++number);
      await settled();
      if (message?.['method'] !== undefined && host.requests.length > before) asked.set(message['id'], before);
    }
    await settled();
  }
  await channel.closed();
  return { host, sent: host.sent.map(message => normalised(parsed(message) ?? {})), recorded };
}

/** Counts a request of the recording client: its answer belongs to our request of the same method and number. */
function count(message: WireRecord, methods: Map<unknown, string>, counts: Map<string, number>): void {
  const method = textOf(message['method']);
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
  const outcome = recordOf(result?.['outcome']);
  const answers = Object.values(recordOf(result?.['answers']) ?? {}).map(String);
  if (outcome?.['outcome'] === 'cancelled') return { outcome: 'cancelled' };
  const isRejected = /reject|cancel/.test(String(outcome?.['optionId']));
  if (isRejected) {
    const feedback = textOf(recordOf(outcome?.['_meta'])?.['reason']);
    return { outcome: 'reject', ...(feedback !== undefined && { feedback }) };
  }
  return kind === 'question' ? { outcome: 'answer', answer: answers } : { outcome: 'approve' };
}

/** Removes ids, names, and what an answer of the recording client allowed beyond once. */
function normalised(message: WireRecord): unknown {
  const { method } = message;
  if (method === 'initialize') return { method };
  if (method !== undefined) return { method, params: message['params'] };
  const result = recordOf(message['result']);
  const { _meta, ...outcome } = recordOf(result?.['outcome']) ?? {};
  const optionId = textOf(outcome['optionId'])?.replace(/_always(_\w+)?$/, '_once');
  if (result === undefined) return { id: message['id'], error: recordOf(message['error'])?.['code'] };
  const { _meta: _, ...rest } = result;
  return { id: message['id'], ...rest, outcome: { ...outcome, ...(optionId !== undefined && { optionId }) } };
}

function promptText(params: WireRecord): string {
  return listOf(params['prompt'])
    .map(part => textOf(recordOf(part)?.['text']) ?? '')
    .join('\n');
}

function parsed(line: string): WireRecord | undefined {
  try {
    return recordOf(JSON.parse(line));
  } catch {
    return undefined;
  }
}
