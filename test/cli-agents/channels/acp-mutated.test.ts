import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lawRuns } from '../../support/run-size.ts';
import { clineLive } from '../../../src/agents/cli/adapters/cline/live.ts';
import { copilotLive } from '../../../src/agents/cli/adapters/copilot/live.ts';
import { geminiLive } from '../../../src/agents/cli/adapters/gemini/live.ts';
import { gooseLive } from '../../../src/agents/cli/adapters/goose/live.ts';
import { qwenLive } from '../../../src/agents/cli/adapters/qwen/live.ts';
import type { LiveAdapter, LiveAnswer, LiveChannel } from '../../../src/agents/cli/contract/live-channel.ts';
import { toRecord, type WireRecord } from '../../../src/agents/cli/shared/wire-value.ts';
import { checkOrder, parseEvent } from '../../../src/events/index.ts';
import { mutated, mutationSteps } from '../../support/mutated-lines.ts';
import { type RecordingHost, readRecording } from '../../support/recorded-channel.ts';
import { openChannel } from './acp-replay.ts';

const fixtures = fileURLToPath(new URL('./fixtures', import.meta.url));

const programs: Readonly<Record<string, LiveAdapter>> = {
  'goose@1.52.0': gooseLive,
  'cline@3.0.65': clineLive,
  'gemini@0.61.0': geminiLive,
  'copilot@1.0.102': copilotLive,
  'qwen@0.24.4': qwenLive,
};

const answers = fc.constantFrom<LiveAnswer>(
  { outcome: 'approve' },
  { outcome: 'approve', input: { command: 'true' } },
  { outcome: 'reject' },
  { outcome: 'reject', feedback: 'not this' },
  { outcome: 'answer', answer: 'Blue' },
  { outcome: 'answer', answer: ['Red', 'Blue'] },
  { outcome: 'cancelled' },
);
const action = fc.constantFrom('answer', 'answer twice', 'wrong answer', 'steer', 'interrupt', 'timers', '');
const actions = fc.array(fc.tuple(action, answers), { minLength: 1, maxLength: 40 });

/** Records that become no event: those of the records table that say so. */
const silent = new Set([
  'user_message_chunk',
  'available_commands_update',
  'current_mode_update',
  'config_option_update',
  'session_info_update',
  'usage_update',
]);

describe.each(Object.entries(programs))('the channel of %s over mutated messages', (program, adapter) => {
  const recordings = readdirSync(join(fixtures, program))
    .filter(file => !file.endsWith('.expected.jsonl'))
    .map(file =>
      readRecording(join(fixtures, program, file)).flatMap(({ dir, line }) =>
        dir === 'out' && line.length < 20_000 ? [line] : [],
      ),
    )
    .filter(lines => lines.length > 3);

  it('never throws or hangs, keeps every line and answers only what was asked', () => {
    expect(recordings.length).toBeGreaterThan(3);
    const cases = fc.property(fc.nat(recordings.length - 1), mutationSteps, actions, (which, steps, acts) =>
      run(adapter, mutated(recordings[which] as string[], steps), acts),
    );
    fc.assert(cases, { numRuns: lawRuns(100) });
  });
});

function run(adapter: LiveAdapter, lines: readonly string[], acts: readonly (readonly [string, LiveAnswer])[]): void {
  const { channel, host } = openChannel(adapter);
  const requested: unknown[] = [];
  let prompted = 0;
  for (const [index, line] of lines.entries()) {
    const message = parsed(line);
    if (message?.['method'] !== undefined && message['id'] !== undefined) requested.push(message['id']);
    const before = host.trace.length + host.sent.length;
    const isOpen = prompted > host.ends.length;
    channel.receive(line, index + 1);
    if (isOpen && line.trim() !== '' && !isSilent(message))
      expect(host.trace.length + host.sent.length, line).toBeGreaterThan(before);
    if (host.session !== undefined && prompted === host.ends.length) {
      prompted++;
      channel.prompt({ runId: `run${prompted}`, content: 'go' });
    } else act(channel, host, acts[index % acts.length] as readonly [string, LiveAnswer]);
  }
  channel.closed();
  expect(host.ends).toHaveLength(prompted);
  for (const message of host.sent.map(parsed)) {
    if (message?.['method'] !== undefined) continue;
    const at = requested.indexOf(message?.['id']);
    expect(at, `an answer to ${String(message?.['id'])}, which was not asked`).toBeGreaterThanOrEqual(0);
    requested.splice(at, 1);
  }
  for (const event of host.events) parseEvent(event);
  expect(checkOrder(host.events)).toEqual([]);
  const calls = host.trace.length;
  channel.receive(lines[0] ?? '', 0);
  channel.prompt({ runId: 'late', content: 'go' });
  channel.interrupt();
  expect(host.trace).toHaveLength(calls);
}

/** Whether a message is consumed by a rule: notes about the session, pieces of calls, and answers. */
function isSilent(message: WireRecord | undefined): boolean {
  if (message === undefined) return false;
  if (message['method'] === undefined || message['id'] !== undefined) return message['jsonrpc'] === '2.0';
  const update = toRecord(toRecord(message['params'])?.['update']);
  const kind = update?.['sessionUpdate'];
  if (message['method'] !== 'session/update') return true;
  // A piece of text may be empty, doubtful or a mode; a record of a call may repeat what is known.
  return silent.has(String(kind)) || /^(agent_|tool_call)/.test(String(kind));
}

function act(channel: LiveChannel, host: RecordingHost, [name, answer]: readonly [string, LiveAnswer]): void {
  const request = host.requests.at(-1);
  if (name.startsWith('answer') && request !== undefined) channel.answer(request.id, answer);
  if (name === 'answer twice' && request !== undefined) channel.answer(request.id, { outcome: 'approve' });
  if (name === 'wrong answer') channel.answer('nobody', answer);
  if (name === 'steer') channel.steer({ id: `steer-${host.trace.length}`, content: 'and this' });
  if (name === 'interrupt') channel.interrupt();
  if (name === 'timers') host.runTimers();
}

function parsed(line: string): WireRecord | undefined {
  try {
    return toRecord(JSON.parse(line));
  } catch {
    return undefined;
  }
}
