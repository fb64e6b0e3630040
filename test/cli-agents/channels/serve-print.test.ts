import { describe, expect, it } from 'vitest';
import { kiloAdapter } from '../../../src/agents/cli/adapters/kilo/adapter.ts';
import { opencodeAdapter } from '../../../src/agents/cli/adapters/opencode/adapter.ts';
import { opencodeTranslator } from '../../../src/agents/cli/adapters/opencode/translate.ts';
import type { LiveAdapter } from '../../../src/agents/cli/contract/live-channel.ts';
import { toRecord, toText } from '../../../src/agents/cli/shared/wire-value.ts';
import type { AgentEvent } from '../../../src/events/index.ts';
import { replayServe, type ServeRecording, serveRecording } from './serve-replay.ts';

const recordings: ServeRecording[] = [
  ...['permission', 'parallel-plain', 'plan', 'question', 'error', 'subagent'].map(scenario => ({
    adapter: opencodeAdapter.live as LiveAdapter,
    folder: 'opencode@1.18.33',
    scenario,
  })),
  ...['permission', 'question', 'subagent'].map(scenario => ({
    adapter: kiloAdapter.live as LiveAdapter,
    folder: 'kilo@7.7.9',
    scenario,
  })),
];

/** The kinds of parts that `run --format json` prints, when they are complete. */
const printed: Readonly<Record<string, string>> = {
  'step-start': 'step_start',
  'step-finish': 'step_finish',
  text: 'text',
  reasoning: 'reasoning',
  tool: 'tool_use',
};

/** The records that print mode prints for the session of a recording. */
function printedRecords(recording: ServeRecording): string[] {
  const people = new Set<unknown>();
  let session: unknown;
  return serveRecording(recording).flatMap(({ proc, line }) => {
    const event = toRecord(JSON.parse(line)) ?? {};
    const properties = toRecord(event['properties']) ?? {};
    const [info, part] = [toRecord(properties['info']), toRecord(properties['part'])];
    if (proc !== 'sse') return [];
    if (event['type'] === 'session.created') session ??= info?.['id'];
    if (info?.['role'] === 'user') people.add(info['id']);
    const sessionID = toText(properties['sessionID']) ?? toText(part?.['sessionID']);
    if (sessionID !== session) return [];
    if (event['type'] === 'session.error')
      return [JSON.stringify({ type: 'error', sessionID, error: properties['error'] })];
    if (event['type'] !== 'message.part.updated' || part === undefined || people.has(part['messageID'])) return [];
    const type = printed[String(part['type'])];
    const status = toRecord(part['state'])?.['status'];
    const isComplete =
      type === 'tool_use'
        ? status === 'completed' || status === 'error'
        : type?.startsWith('step') === true || toRecord(part['time'])?.['end'] !== undefined;
    return type === undefined || !isComplete ? [] : [JSON.stringify({ type, sessionID, part })];
  });
}

/** The events of the main run without what the table of differences names: fragments are joined, calls stand before their results. */
function comparable(events: readonly AgentEvent[]): object[] {
  const calls = new Map<string, object>();
  const texts = new Map<string, string>();
  return events.flatMap((emitted): object[] => {
    const event = { ...emitted };
    delete event.line;
    if (event.runId !== 'run1') return [];
    if (event.type === 'tool_call') calls.set(event.id, event);
    if (event.type === 'text') texts.set(event.id, (texts.get(event.id) ?? '') + event.content);
    if (event.type === 'tool_call' || (event.type === 'text' && event.final !== true)) return [];
    if (event.type === 'tool_result') return [calls.get(event.id) ?? {}, event];
    return [event.type === 'text' ? { ...event, content: texts.get(event.id) } : event];
  });
}

describe.each(recordings)('the recorded session $folder/$scenario', recording => {
  it('has the events that print mode has', () => {
    const { host } = replayServe(recording);
    const translator = opencodeTranslator({ runId: 'run1' });
    const lines = printedRecords(recording);
    const events = [...lines.flatMap(line => translator.translate(line)), ...translator.flush()];
    expect(lines.length).toBeGreaterThan(0);
    expect(comparable(host.events)).toEqual(comparable(events));
  });
});
