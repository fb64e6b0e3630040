import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { clineLive } from '../../../src/agents/cli/adapters/cline/live/adapter.ts';
import { copilotLive } from '../../../src/agents/cli/adapters/copilot/live.ts';
import { geminiLive } from '../../../src/agents/cli/adapters/gemini/live.ts';
import { gooseLive } from '../../../src/agents/cli/adapters/goose/live/adapter.ts';
import { qwenLive } from '../../../src/agents/cli/adapters/qwen/live.ts';
import type { LiveAdapter, LiveStart } from '../../../src/agents/cli/contract/live-channel.ts';
import { checkOrder, parseEvent } from '../../../src/events/index.ts';
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

interface Scene {
  readonly proc?: string;
  readonly start?: Partial<LiveStart>;
  readonly mode?: string;
}

const scenes: Readonly<Record<string, Scene>> = {};

const recordings = Object.keys(programs).flatMap(program =>
  readdirSync(join(fixtures, program))
    .filter(file => file.endsWith('.jsonl') && !file.endsWith('.expected.jsonl'))
    .map(file => `${program}/${file.replace('.jsonl', '')}`),
);

describe.each(recordings)('the recorded session %s', name => {
  const { proc, ...scene } = scenes[name] ?? {};
  let replayed: AcpReplayed;

  beforeAll(async () => {
    const adapter = programs[name.split('/')[0] as string] as LiveAdapter;
    replayed = await replayAcp({ adapter, recording: readRecording(join(fixtures, `${name}.jsonl`), proc), ...scene });
  });

  it('gets the messages that its client sent', () => {
    expect(replayed.sent).toEqual(replayed.recorded);
  });

  it('becomes this', async () => {
    const file = join(fixtures, `${name}.expected.jsonl`);
    await expect(toLines(replayed.host.transcript)).toMatchFileSnapshot(file);
    expect(existsSync(file)).toBe(true);
  });

  it('is legal', () => {
    const { events } = replayed.host;
    expect(events.map(parseEvent)).toEqual(events);
    expect(checkOrder(events)).toEqual([]);
  });
});
