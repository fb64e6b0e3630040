import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkOrder, parseEvent } from '../../../src/events/index.ts';
import { transcriptOf } from '../../support/host-transcript.ts';
import type { Replayed } from '../../support/recorded-channel.ts';
import { toLines } from '../captures.ts';
import { codexFixtures, codexRecording, replayCodex } from './codex-replay.ts';

/** What differs from a plain replay, by scenario. */
const scenarios: Readonly<Record<string, () => Replayed>> = {
  ...Object.fromEntries(
    [
      'always',
      'always-execpolicy',
      'always-files',
      'approve',
      'cancel',
      'codemode',
      'decline',
      'error',
      'error-retry',
      'interrupt-text',
      'interrupt-tool',
      'mcp-approval',
      'parallel-approvals',
      'question-default-mode',
      'question-default-mode-feature',
      'steer',
      'steer-text',
      'subagent-v2',
      'text-two-turns',
    ].map(name => [name, () => replayCodex({ recording: codexRecording(name) })]),
  ),
  'decline-with-steer': () => replayCodex({ recording: codexRecording('decline-with-steer'), steersReason: true }),
  'turn-overrides': () => replayCodex({ recording: codexRecording('turn-overrides'), start: { yolo: true } }),
  'policy-never': () => replayCodex({ recording: codexRecording('policy-never'), start: { yolo: true } }),
  resume: () =>
    replayCodex({
      recording: codexRecording('resume', 'p2').slice(0, forkAt),
      start: { sessionId: '01a1e537-c2db-7b50-8ca0-51fa795b4b95' },
    }),
  fork: () => {
    const all = codexRecording('resume', 'p2');
    const handshake = all.slice(
      0,
      all.findIndex(({ line }) => line.includes('"thread/resume"')),
    );
    const rest = all.slice(
      forkAt,
      all.findIndex(({ line }) => line.includes('"thread/list"')),
    );
    return replayCodex({
      recording: [...handshake, ...rest],
      start: { sessionId: '01a1e537-c2db-7b50-8ca0-51fa795b4b95', fork: true },
    });
  },
};

const forkAt = codexRecording('resume', 'p2').findIndex(({ line }) => line.includes('"thread/fork"'));

describe.each(Object.entries(scenarios))('the recorded session %s of Codex', (name, replay) => {
  const { host, sent, recorded } = replay();

  it('gets the messages that its client sent', () => {
    expect(sent).toEqual(recorded);
  });

  it('becomes this', async () => {
    await expect(toLines(transcriptOf(host))).toMatchFileSnapshot(join(codexFixtures, `${name}.expected.jsonl`));
  });

  it('is legal and complete', () => {
    expect(host.events.map(parseEvent)).toEqual(host.events);
    expect(checkOrder(host.events)).toEqual([]);
    expect(host.ends).toHaveLength(recorded.filter(message => JSON.stringify(message).includes('"turn/start"')).length);
    expect(host.events.filter(event => event.type === 'unknown')).toEqual([]);
  });
});
