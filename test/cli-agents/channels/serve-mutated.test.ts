import { readdirSync } from 'node:fs';
import { describe, it } from 'vitest';
import { kiloAdapter } from '../../../src/agents/cli/adapters/kilo/adapter.ts';
import { opencodeAdapter } from '../../../src/agents/cli/adapters/opencode/adapter.ts';
import { isConsumedEvent } from '../../../src/agents/cli/adapters/opencode/live/consumed-events.ts';
import type { LiveAdapter } from '../../../src/agents/cli/contract/live-channel.ts';
import { readServeResponse } from '../../../src/agents/cli/contract/serve-message.ts';
import { toRecord, toText } from '../../../src/agents/cli/shared/wire-value.ts';
import { checkMutatedChannel } from '../../support/mutated-channel.ts';
import { askingAgents, fixturesOf, serveRecording } from './serve-replay.ts';

/** Events that are understood, and do not always become an event. */
const understood: ReadonlySet<string> = new Set([
  'message.part.delta',
  'message.part.updated',
  'message.updated',
  'permission.asked',
  'permission.replied',
  'question.asked',
  'question.rejected',
  'question.replied',
  'session.created',
  'session.error',
  'session.idle',
  'session.status',
]);

describe.each([
  ['OpenCode', opencodeAdapter, 'opencode@1.18.33'],
  ['Kilo Code', kiloAdapter, 'kilo@7.7.9'],
] as const)('the channel of %s, over mutated recordings', (_name, adapter, folder) => {
  it('never throws, loses a line, answers a wrong request or leaves a turn open', () => {
    const live = adapter.live as LiveAdapter;
    const recordings = readdirSync(fixturesOf(folder))
      .filter(file => file.endsWith('.jsonl') && !file.endsWith('.expected.jsonl'))
      .map(file => linesOf(live, folder, file.slice(0, -'.jsonl'.length)));
    checkMutatedChannel({ adapter: live, recordings, answered: answeredBy, asked: askedBy, isConsumed: isQuiet }, 60);
  });
});

/** The lines of a recording, with the responses to the requests by which a channel opens its session and sends prompts. */
function linesOf(adapter: LiveAdapter, folder: string, scenario: string): string[] {
  const recorded = serveRecording({ adapter, folder, scenario }).filter(({ dir }) => dir === 'out');
  const created = recorded.find(({ proc, line }) => proc === 'http' && line.includes('"path":"/session"'));
  const session: unknown = JSON.parse(toText(parsed(created?.line ?? '{}')?.['body']) ?? '{}');
  const opening = [askingAgents, session].map((body, index) => response(index + 1, 200, body));
  const events = recorded.flatMap(({ proc, line }) => (proc === 'sse' ? [line] : []));
  return [...opening, response(3, 204, ''), ...events.slice(0, 150), response(4, 200, true), ...events.slice(150)];
}

function response(id: number, status: number, body: unknown): string {
  return JSON.stringify({ response: { id, status, body } });
}

function answeredBy(message: string): unknown[] {
  const path = toText(toRecord(JSON.parse(message))?.['path']);
  const [, id] = /^\/(?:permission|question)\/(.+)\/(?:reply|reject)$/s.exec(path ?? '') ?? [];
  return id === undefined ? [] : [id];
}

function askedBy(line: string): unknown[] {
  const event = parsed(line);
  const type = event?.['type'];
  const id = toRecord(event?.['properties'])?.['id'];
  return type === 'permission.asked' || type === 'question.asked' ? [id] : [];
}

function isQuiet(line: string): boolean {
  const event = parsed(line);
  const type = toText(event?.['type']) ?? '';
  if (readServeResponse(event) !== undefined || isConsumedEvent(type)) return true;
  return understood.has(type) && toRecord(event?.['properties']) !== undefined;
}

function parsed(line: string) {
  try {
    return toRecord(JSON.parse(line));
  } catch {
    return undefined;
  }
}
