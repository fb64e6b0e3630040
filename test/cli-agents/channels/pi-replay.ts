import { fileURLToPath } from 'node:url';
import { piLive } from '../../../src/agents/cli/adapters/pi/live/adapter.ts';
import { gateStatus, statusKey } from '../../../src/agents/cli/adapters/pi/live/gate.ts';
import type { LiveAnswer, LiveStart } from '../../../src/agents/cli/contract/live-channel.ts';
import { toRecord, toText, type WireRecord } from '../../../src/agents/cli/shared/wire-value.ts';
import { type RecordedLine, type Replayed, readRecording, replayChannel } from '../../support/recorded-channel.ts';

/** The recorded versions. */
export const piVersions = ['0.73.1', '0.87.1'] as const;

export function piFixtures(version: string): string {
  return fileURLToPath(new URL(`./fixtures/pi@${version}`, import.meta.url));
}

/** Reads the recording of a scenario, with the handshake that its client did not need. */
export function piRecording(version: string, scenario: string, options: { proc?: string; asks?: boolean } = {}) {
  const handshake = [
    { dir: 'out', message: status(options.asks ?? true) },
    { dir: 'in', message: { id: 'open', type: 'get_state' } },
    { dir: 'out', message: { id: 'open', type: 'response', command: 'get_state', success: true, data: state } },
    { dir: 'in', message: { id: 'commands', type: 'get_commands' } },
    {
      dir: 'out',
      message: {
        id: 'commands',
        type: 'response',
        command: 'get_commands',
        success: true,
        data: listedCommands(version),
      },
    },
  ] as const;
  return [
    ...handshake.map(({ dir, message }): RecordedLine => ({ dir, t: 0, line: JSON.stringify(message) })),
    ...readRecording(`${piFixtures(version)}/${scenario}.jsonl`, options.proc),
  ];
}

export const state = { sessionId: 'session-1', model: { provider: 'fake', id: 'fake-model' }, isStreaming: false };

/** Returns the commands that this version reported when its client asked for them. */
function listedCommands(version: string): unknown {
  const lines = readRecording(`${piFixtures(version)}/text-two-turns.jsonl`).map(({ line }) => parsed(line));
  return lines.find(record => record?.['type'] === 'response' && record['command'] === 'get_commands')?.['data'];
}

/** The status with which the extension reports that it runs. */
export function status(asks = true): WireRecord {
  return { type: 'extension_ui_request', id: 's', method: 'setStatus', statusKey, statusText: gateStatus(asks) };
}

interface PiReplay {
  readonly recording: readonly RecordedLine[];
  readonly start?: Partial<LiveStart>;
}

/** Replays a recording: prompts, answers, steered messages and interrupts of its client become commands. */
export function replayPi({ recording, start = {} }: PiReplay): Replayed {
  const dialogs = recording.flatMap(({ dir, line }) => {
    const record = dir === 'out' ? parsed(line) : undefined;
    return record?.['type'] === 'extension_ui_request' && record['method'] !== 'setStatus' ? [record['id']] : [];
  });
  const probes = new Set<unknown>(
    recording.flatMap(({ dir, line }) => (dir === 'in' && isProbe(parsed(line)) ? [parsed(line)?.['id'] ?? ''] : [])),
  );
  let turns = 0;
  const replayed = replayChannel({
    adapter: piLive,
    start,
    recording: recording.filter(({ line }) => parsed(line)?.['type'] !== 'response' || !probes.has(idOf(parsed(line)))),
    closes: false,
    ids: {
      idOf: message => (toRecord(message)?.['type'] === 'extension_ui_response' ? undefined : idOf(message)),
      withId: (message, ours) => {
        const id = toRecord(message)?.['type'] === 'response' ? idOf(message) : undefined;
        return id === undefined ? message : { ...toRecord(message), id: ours(id) };
      },
    },
    skip: isProbe,
    drive: (message, channel, host) => {
      const record = toRecord(message) ?? {};
      const text = toText(record['message']) ?? '';
      if (record['type'] === 'steer' || record['streamingBehavior'] === 'steer')
        channel.steer({ id: `steer-${String(record['id'])}`, content: text });
      else if (record['type'] === 'prompt') {
        host.runTimers();
        turns += 1;
        channel.prompt({ runId: `run${turns}`, content: text });
      } else if (record['type'] === 'abort') channel.interrupt();
      else if (record['type'] === 'extension_ui_response') {
        const request = host.requests[dialogs.findIndex(id => id === record['id'])];
        if (request !== undefined) channel.answer(request.id, answerOf(record, request.kind));
      }
    },
    normalise,
  });
  replayed.host.runTimers();
  replayed.channel.closed();
  return replayed;
}

const driven: ReadonlySet<unknown> = new Set([
  'prompt',
  'steer',
  'abort',
  'extension_ui_response',
  'get_state',
  'get_commands',
]);

/** What the recording client did only to look at it, or in a way that the channel has no use for. */
function isProbe(message: unknown): boolean {
  const record = toRecord(message);
  if (!driven.has(record?.['type']) || record?.['message'] === 'PLAIN while running') return true;
  return (
    ['get_state', 'get_commands'].includes(String(record?.['type'])) &&
    !['open', 'commands'].includes(String(record?.['id']))
  );
}

function answerOf(response: WireRecord, kind: string): LiveAnswer {
  if (response['cancelled'] === true) return { outcome: 'cancelled' };
  const value = toText(response['value']) ?? '';
  if (kind === 'question') return { outcome: 'answer', answer: value };
  const { decision, reason, input } = parsed(value) ?? {};
  if (decision === 'reject') return { outcome: 'reject', feedback: toText(reason) ?? '' };
  const revised = toRecord(input);
  return { outcome: 'approve', ...(revised !== undefined && { input: revised }) };
}

/** Removes the ids of our commands and what the recorded client sent in the value of an answer beside ours. */
function normalise(message: unknown): unknown {
  const record = toRecord(message);
  if (record?.['type'] !== 'extension_ui_response') {
    const { id: _id, streamingBehavior, ...command } = record ?? {};
    return streamingBehavior === 'steer' ? { ...command, type: 'steer' } : command;
  }
  const value = parsed(toText(record['value']) ?? '');
  if (value === undefined) return record;
  const { decision, reason, input } = value;
  return { id: record['id'], decision: decision === 'always' ? 'approve' : decision, reason, input };
}

function idOf(message: unknown): string | undefined {
  return toText(toRecord(message)?.['id']);
}

function parsed(line: string): WireRecord | undefined {
  try {
    return toRecord(JSON.parse(line));
  } catch {
    return undefined;
  }
}
