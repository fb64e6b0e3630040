import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkOrder, parseEvent } from '../../../src/events/index.ts';
import { transcriptOf } from '../../support/host-transcript.ts';
import type { Replayed } from '../../support/recorded-channel.ts';
import { toLines } from '../captures.ts';
import { piFixtures, piRecording, piVersions, replayPi } from './pi-replay.ts';

type Replay = (version: string) => Replayed;

const plain = [
  'always',
  'approve',
  'cancel-ui',
  'error',
  'interrupt-text',
  'interrupt-tool',
  'parallel',
  'question',
  'reject',
  'retry',
  'retry-many',
  'revise',
  'steer',
  'steer-text',
  'text-two-turns',
];

const scenarios: Readonly<Record<string, Replay>> = {
  ...Object.fromEntries(
    plain.map((name): [string, Replay] => [name, version => replayPi({ recording: piRecording(version, name) })]),
  ),
  'no-gate': version =>
    replayPi({ recording: piRecording(version, 'no-gate', { asks: false }), start: { yolo: true } }),
  'client-dies': version => replayPi({ recording: piRecording(version, 'client-dies') }),
  'interrupt-pending': version => replayPi({ recording: piRecording(version, 'interrupt-pending') }),
  resume: version =>
    replayPi({ recording: piRecording(version, 'resume', { proc: 'p2' }), start: { sessionId: 'session-1' } }),
};

const recorded = piVersions.flatMap(version =>
  Object.entries(scenarios)
    .filter(([name]) => existsSync(join(piFixtures(version), `${name}.jsonl`)))
    .map(([name, replay]) => ({ version, name, replay })),
);

describe.each(recorded)('the recorded session $name of Pi $version', ({ version, name, replay }) => {
  const { host, sent, recorded: expected } = replay(version);

  it('gets the messages that its client sent', () => {
    expect(sent).toEqual(expected);
  });

  it('becomes this', async () => {
    const file = join(piFixtures(version), `${name}.expected.jsonl`);
    await expect(toLines(transcriptOf(host))).toMatchFileSnapshot(file);
  });

  it('is legal and complete', () => {
    expect(host.events.map(parseEvent)).toEqual(host.events);
    expect(checkOrder(host.events)).toEqual([]);
    expect(host.ends).toHaveLength(expected.filter(message => JSON.stringify(message).includes('"prompt"')).length);
    expect(host.events.filter(event => event.type === 'unknown')).toEqual([]);
  });
});
