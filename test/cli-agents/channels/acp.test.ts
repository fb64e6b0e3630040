import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { clineLive } from '../../../src/agents/cli/adapters/cline/live.ts';
import { copilotLive } from '../../../src/agents/cli/adapters/copilot/live.ts';
import { geminiLive } from '../../../src/agents/cli/adapters/gemini/live.ts';
import { gooseLive } from '../../../src/agents/cli/adapters/goose/live.ts';
import { qwenLive } from '../../../src/agents/cli/adapters/qwen/live.ts';
import type { LiveAdapter, LiveStart } from '../../../src/agents/cli/contract/live-channel.ts';
import { checkOrder, parseEvent } from '../../../src/events/index.ts';
import { transcriptOf } from '../../support/host-transcript.ts';
import { readRecording } from '../../support/recorded-channel.ts';
import { toLines } from '../captures.ts';
import { type AcpReplayed, replayAcp } from './acp-replay.ts';

const fixtures = fileURLToPath(new URL('./fixtures', import.meta.url));

const programs: Readonly<Record<string, LiveAdapter>> = {
  'goose@1.52.0': gooseLive,
  'cline@3.0.65': clineLive,
  'gemini@0.61.0': geminiLive,
  'copilot@1.0.102': copilotLive,
  'qwen@0.24.4': qwenLive,
};

/** How a recording is replayed, where that is not plain. */
interface Scene {
  readonly proc?: string;
  readonly start?: Partial<LiveStart>;
  readonly mode?: string;
  /** The request of the recording client that is beyond what the channel does, and ends the replay. */
  readonly until?: string;
  /** Whether the channel rejects what the recording client allowed. */
  readonly isRefused?: boolean;
}

const resumed = (sessionId: string): Scene => ({ proc: 'p2', start: { sessionId }, until: '"session/resume"' });
const plan = 'https://agentclientprotocol.com/protocol/session-modes#plan';

const scenes: Readonly<Record<string, Scene>> = {
  'goose@1.52.0/defaults': { start: { yolo: true } },
  'goose@1.52.0/subagent': { isRefused: true },
  'goose@1.52.0/resume': resumed('20261116_1'),
  'cline@3.0.65/subagent': { isRefused: true },
  'cline@3.0.65/resume': resumed('1794847819616_3Z2tA_cli'),
  'cline@3.0.65/handoff-load': { start: { sessionId: '1794852042982_h7f83', model: 'fake-model' } },
  'gemini@0.61.0/plan-exit': { start: { mode: 'plan' }, mode: 'plan' },
  'gemini@0.61.0/load-written': { start: { sessionId: '859778db-bde9-4a86-b876-5c71eac6fc24' } },
  'gemini@0.61.0/load-same-minute': { start: { sessionId: 'd2195a86-e155-410f-b81a-acaf92834876' } },
  'copilot@1.0.102/plan-exit': { start: { mode: plan }, mode: plan },
  'copilot@1.0.102/resume': resumed('5c3903f8-be0b-4c6b-95e3-bfc2b9d15e4d'),
  'qwen@0.24.4/plan-exit': { start: { mode: 'plan' }, mode: 'plan' },
  'qwen@0.24.4/question-answers': { until: '"answers":{"Which colour?"' },
  'qwen@0.24.4/resume': resumed('7acf9b1e-2fa2-49b0-ac75-587e68fb9563'),
};

const recordings = Object.keys(programs).flatMap(program =>
  readdirSync(join(fixtures, program))
    .filter(file => file.endsWith('.jsonl') && !file.endsWith('.expected.jsonl'))
    .map(file => `${program}/${file.replace('.jsonl', '')}`),
);

/** Replays a recording, up to the request that ends it. */
function replay(name: string): AcpReplayed {
  const { proc, until, start = {}, mode } = scenes[name] ?? {};
  const adapter = programs[name.split('/')[0] as string] as LiveAdapter;
  const lines = readRecording(join(fixtures, `${name}.jsonl`), proc);
  const end = until === undefined ? -1 : lines.findIndex(({ line }) => line.includes(until));
  const recording = end < 0 ? lines : lines.slice(0, end);
  return replayAcp({ adapter, recording, start, ...(mode !== undefined && { mode }) });
}

describe.each(recordings)('the recorded session %s', name => {
  let replayed: AcpReplayed;

  beforeAll(() => {
    replayed = replay(name);
  });

  it('gets the messages that its client sent', () => {
    const { sent, recorded } = replayed;
    const isRefused = scenes[name]?.isRefused === true;
    expect(sent).toEqual(
      isRefused ? JSON.parse(JSON.stringify(recorded).replaceAll('allow_once', 'reject_once')) : recorded,
    );
  });

  it('becomes this', async () => {
    const file = join(fixtures, `${name}.expected.jsonl`);
    await expect(toLines(transcriptOf(replayed.host))).toMatchFileSnapshot(file);
  });

  it('is legal', () => {
    const { events } = replayed.host;
    expect(events.map(parseEvent)).toEqual(events);
    expect(checkOrder(events)).toEqual([]);
  });
});
