import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { kiloAdapter } from '../../../src/agents/cli/adapters/kilo/adapter.ts';
import { opencodeAdapter } from '../../../src/agents/cli/adapters/opencode/adapter.ts';
import type { LiveAdapter } from '../../../src/agents/cli/contract/live-channel.ts';
import { checkOrder, parseEvent } from '../../../src/events/index.ts';
import { transcriptOf } from '../../support/host-transcript.ts';
import { toLines } from '../captures.ts';
import { fixturesOf, replayServe, type ServeRecording } from './serve-replay.ts';

const programs = {
  opencode: { adapter: opencodeAdapter.live as LiveAdapter, folder: 'opencode@1.18.33' },
  kilo: { adapter: kiloAdapter.live as LiveAdapter, folder: 'kilo@7.7.9' },
};

const resumed = { opencode: 'ses_e1aa1b770ffeh3xe23JnW8eyNF', kilo: 'ses_e1aa11a4cffeGvpYtFcgMWyB0h' };

const shared = ['abort-steer', 'permission', 'question', 'reject-plain', 'resume', 'subagent'];
const ofOpencode = [...shared, 'error', 'interrupt', 'parallel-plain', 'plan', 'question-rejected'];

const sessions: [name: string, recording: ServeRecording][] = [
  ...ofOpencode.map(scenario => recordingOf('opencode', scenario)),
  ...shared.map(scenario => recordingOf('kilo', scenario)),
  ...(['opencode', 'kilo'] as const).map((program): [string, ServeRecording] => {
    const [name, recording] = recordingOf(program, 'resume');
    return [`${name} in a new process`, { ...recording, isSecond: true, start: { sessionId: resumed[program] } }];
  }),
];

function recordingOf(program: keyof typeof programs, scenario: string): [string, ServeRecording] {
  return [`${programs[program].folder}/${scenario}`, { ...programs[program], scenario }];
}

describe.each(sessions)('the recorded session %s', (name, recording) => {
  const { host, sent, recorded } = replayServe(recording);

  it('gets the requests that its client sent', () => {
    expect(sent).toEqual(recorded);
  });

  it('becomes this', async () => {
    const [, file] = name.split('/');
    const path = join(fixturesOf(recording.folder), `${file?.replaceAll(' ', '-')}.expected.jsonl`);
    await expect(toLines(transcriptOf(host))).toMatchFileSnapshot(path);
  });

  it('is legal and complete', () => {
    expect(host.events.map(parseEvent)).toEqual(host.events);
    expect(checkOrder(host.events)).toEqual([]);
    expect(host.events.filter(event => event.type === 'unknown')).toEqual([]);
  });
});
