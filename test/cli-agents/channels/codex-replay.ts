import { fileURLToPath } from 'node:url';
import { codexLive } from '../../../src/agents/cli/adapters/codex/live/adapter.ts';
import type { LiveAnswer, LiveChannel, LiveStart } from '../../../src/agents/cli/contract/live-channel.ts';
import { toList, toRecord, toText, type WireRecord } from '../../../src/agents/cli/shared/wire-value.ts';
import {
  type RecordedLine,
  type RecordingHost,
  type Replayed,
  readRecording,
  replayChannel,
} from '../../support/recorded-channel.ts';

export const codexFixtures = fileURLToPath(new URL('./fixtures/codex@0.166.0', import.meta.url));

/** Reads the recording of a scenario. */
export function codexRecording(scenario: string, proc?: string): RecordedLine[] {
  return readRecording(`${codexFixtures}/${scenario}.jsonl`, proc);
}

/** Requests of the recording client that the channel has no use for. */
const probes: ReadonlySet<unknown> = new Set(['no/such', 'model/list', 'thread/list']);

interface CodexReplay {
  readonly recording: readonly RecordedLine[];
  readonly start?: Partial<LiveStart>;
  /** Turns the words that the recording client steered before it declined into the reason of the rejection. */
  readonly steersReason?: boolean;
}

/** Replays a recording: prompts, answers, steered messages and interrupts of its client become commands. */
export function replayCodex({ recording, start = {}, steersReason = false }: CodexReplay): Replayed {
  const asked = recording.flatMap(({ dir, line }) => {
    const message = dir === 'out' ? parsed(line) : undefined;
    return message?.['method'] !== undefined && message['id'] !== undefined ? [message['id']] : [];
  });
  let turns = 0;
  let reason: string | undefined;
  return replayChannel({
    adapter: codexLive,
    start,
    recording,
    ids: {
      idOf: message => (toRecord(message)?.['method'] === undefined ? undefined : idOf(toRecord(message)?.['id'])),
      withId: (message, ours) => {
        const record = toRecord(message);
        const id = idOf(record?.['id']);
        return record === undefined || id === undefined || record['method'] !== undefined
          ? message
          : { ...record, id: ours(id) };
      },
    },
    skip: message => isProbe(message),
    drive: (message, channel, host) => {
      const record = toRecord(message) ?? {};
      const params = toRecord(record['params']) ?? {};
      if (record['method'] === 'turn/start') {
        turns += 1;
        const model = toText(params['model']);
        channel.prompt({ runId: `run${turns}`, content: inputText(params), model });
      } else if (record['method'] === 'turn/steer') {
        if (steersReason) {
          reason = inputText(params);
          answerNext(channel, host, { outcome: 'reject', feedback: reason });
        } else channel.steer({ id: `steer-${String(record['id'])}`, content: inputText(params) });
      } else if (record['method'] === 'turn/interrupt') channel.interrupt();
      else if (record['method'] === undefined && reason === undefined) {
        const request = host.requests[asked.findIndex(id => id === record['id'])];
        if (request !== undefined) channel.answer(request.id, answerOf(toRecord(record['result'])));
      }
    },
    normalise,
  });
}

/** What a recorded answer means; answers that allow more than once are given as one that allows once. */
function answerOf(result: WireRecord | undefined): LiveAnswer {
  const answers = toRecord(result?.['answers']);
  const [given] = Object.values(answers ?? {});
  if (given !== undefined) return { outcome: 'answer', answer: toList(toRecord(given)?.['answers']).map(String) };
  const decision = result?.['decision'] ?? result?.['action'];
  const isRejected = decision === 'decline' || decision === 'cancel';
  return isRejected ? { outcome: 'reject' } : { outcome: 'approve' };
}

function answerNext(channel: LiveChannel, host: RecordingHost, answer: LiveAnswer): void {
  const request = host.requests.at(-1);
  if (request !== undefined) channel.answer(request.id, answer);
}

/** Removes what the channel sends in its own way: its name, settings of the recording client, ids of its messages. */
function normalise(message: unknown): unknown {
  const record = toRecord(message);
  if (record === undefined) return message;
  const method = record['method'];
  if (method === 'initialize') return { method };
  const result = toRecord(record['result']);
  if (method === undefined) {
    const { decision, ...rest } = result ?? {};
    return { id: record['id'], ...(decision === undefined ? { result: rest } : { decision: once(decision) }) };
  }
  const { clientUserMessageId: _id, effort: _effort, ...params } = toRecord(record['params']) ?? {};
  for (const name of [
    'approvalPolicy',
    'approvalsReviewer',
    'sandbox',
    'sandboxPolicy',
    'excludeTurns',
    'collaborationMode',
    'cwd',
  ])
    delete (params as Record<string, unknown>)[name];
  const input = toList(params['input']).map(part => {
    const { text, ...rest } = toRecord(part) ?? {};
    return { ...rest, text: typeof text === 'string' ? text.replace(/^I rejected [^:]+: /, '') : text };
  });
  return { method, params: { ...params, ...(input.length > 0 && { input }) } };
}

function once(decision: unknown): unknown {
  if (decision === 'decline' || decision === 'cancel') return 'decline';
  return 'accept';
}

function isProbe(message: unknown): boolean {
  const record = toRecord(message);
  if (record === undefined || probes.has(record['method'])) return true;
  const params = toRecord(record['params']) ?? {};
  // A message after the end of its turn.
  if (record['method'] === 'turn/steer' && inputText(params) === 'late') return true;
  return record['method'] === 'turn/start' && params['input'] === undefined;
}

function inputText(params: WireRecord): string {
  return toList(params['input'])
    .map(part => toText(toRecord(part)?.['text']) ?? '')
    .join('\n');
}

function idOf(value: unknown): string | number | undefined {
  return typeof value === 'string' || typeof value === 'number' ? value : undefined;
}

function parsed(line: string): WireRecord | undefined {
  try {
    return toRecord(JSON.parse(line));
  } catch {
    return undefined;
  }
}
