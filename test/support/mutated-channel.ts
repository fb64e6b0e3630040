import * as fc from 'fast-check';
import { expect } from 'vitest';
import { lawRuns } from './run-size.ts';
import type { LiveAdapter, LiveAnswer, LiveChannel } from '../../src/agents/cli/contract/live-channel.ts';
import { checkOrder, parseEvent } from '../../src/events/index.ts';
import { mutated, mutationSteps } from './mutated-lines.ts';
import { RecordingHost } from './recorded-channel.ts';

const answers: fc.Arbitrary<LiveAnswer> = fc.constantFrom<LiveAnswer>(
  { outcome: 'approve' },
  { outcome: 'approve', feedback: 'go on' },
  { outcome: 'approve', input: { command: 'true', plan: 'other' } },
  { outcome: 'reject' },
  { outcome: 'reject', feedback: 'not this' },
  { outcome: 'answer', answer: 'Blue' },
  { outcome: 'answer', answer: ['Red', 'Blue'] },
  { outcome: 'cancelled' },
);

/** What a person or the driver does after a line. */
const action = fc.constantFrom('answer', 'answer twice', 'wrong answer', 'steer', 'interrupt', 'prompt', 'timers', '');

export interface MutatedChannel {
  readonly adapter: LiveAdapter;
  /** The lines of the program in each recording, its answers to the handshake included. */
  readonly recordings: readonly (readonly string[])[];
  /** The ids of the requests that a message of ours answers. */
  readonly answered: (message: string) => readonly unknown[];
  /** The ids of the requests that a line of the program makes. */
  readonly asked: (line: string) => readonly unknown[];
  /** Whether a line is consumed without an event. */
  readonly isConsumed: (line: string) => boolean;
}

/**
 * Checks a channel over mutated, reordered, duplicated and cut recordings with any commands in between: it never
 * throws, keeps every line, answers only requests that were made, once each, and ends its turn when the program closes.
 */
export function checkMutatedChannel(options: MutatedChannel, count = 300): void {
  const actions = fc.array(fc.tuple(action, answers), { minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(fc.nat(options.recordings.length - 1), mutationSteps, actions, (which, steps, acts) =>
      run(options, mutated(options.recordings[which] as readonly string[], steps), acts),
    ),
    { numRuns: lawRuns(count) },
  );
}

function run(
  { adapter, answered, asked, isConsumed }: MutatedChannel,
  lines: readonly string[],
  acts: readonly (readonly [string, LiveAnswer])[],
): void {
  const host = new RecordingHost();
  const channel = adapter.channel(host, { cwd: '/project', folder: '/session', environment: {} });
  const state = { turns: 0, prompted: 0 };
  const requested: unknown[] = [];
  const replied: unknown[] = [];
  const collect = () => {
    for (const message of host.sent.splice(0)) replied.push(...answered(message));
  };
  channel.open();
  for (const [index, line] of lines.entries()) {
    requested.push(...asked(line));
    const before = host.trace.length;
    const isOpen = state.prompted > host.ends.length;
    channel.receive(line, index + 1);
    if (isOpen && line.trim() !== '' && !isObject(line))
      expect(host.trace.slice(before)).toMatchObject([{ emit: { type: 'unknown' } }]);
    else if (isOpen && isObject(line) && !isConsumed(line))
      expect(host.trace.length, line.slice(0, 300)).toBeGreaterThan(before);
    const isUsable = host.session !== undefined && host.problem === undefined;
    if (isUsable && state.prompted === host.ends.length) {
      state.prompted += 1;
      channel.prompt({ runId: `run${state.prompted}`, content: 'go' });
    } else act(channel, host, acts[index % acts.length] as readonly [string, LiveAnswer]);
    collect();
  }
  channel.closed();
  collect();
  expect(host.ends).toHaveLength(state.prompted);
  for (const id of replied) {
    const at = requested.findIndex(other => other === id);
    expect(at, `an answer to ${String(id)}, which was not asked`).toBeGreaterThanOrEqual(0);
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

function act(channel: LiveChannel, host: RecordingHost, [name, answer]: readonly [string, LiveAnswer]): void {
  const request = host.requests.at(-1);
  if (name.startsWith('answer') && request !== undefined) channel.answer(request.id, answer);
  if (name === 'answer twice' && request !== undefined) channel.answer(request.id, { outcome: 'approve' });
  if (name === 'wrong answer') channel.answer('nobody', answer);
  if (name === 'steer') channel.steer({ id: `steer-${host.trace.length}`, content: 'and this' });
  if (name === 'interrupt') channel.interrupt();
  if (name === 'timers') host.runTimers();
}

function isObject(line: string): boolean {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
