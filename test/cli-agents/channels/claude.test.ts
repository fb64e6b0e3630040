import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { checkOrder, parseEvent } from '../../../src/events/index.ts';
import { toLines } from '../captures.ts';
import { readRecording } from '../../support/recorded-channel.ts';
import { replayClaude } from './claude-replay.ts';

const fixtures = fileURLToPath(new URL('./fixtures', import.meta.url));

/** How the recorded processes were started, where that differs from a new session that asks. */
const starts: Readonly<Record<string, { mode?: string; sessionId?: string; fork?: boolean }>> = {
  'plan-approve-plain': { mode: 'plan' },
  'plan-reject': { mode: 'plan' },
  'resume-unknown': { sessionId: '00000000-0000-4000-8000-000000000000' },
  'resume p2': { sessionId: 'recorded' },
  'resume p3': { sessionId: 'recorded', fork: true },
  'kill-pending p2': { sessionId: 'recorded' },
};

const processes: Readonly<Record<string, readonly (string | undefined)[]>> = {
  resume: [undefined, 'p2', 'p3'],
  'kill-pending': [undefined, 'p2'],
};

const recordings = ['claude@2.1.325', 'claude@2.1.197'].flatMap(version =>
  readdirSync(join(fixtures, version))
    .filter(name => name.endsWith('.jsonl') && !name.endsWith('.expected.jsonl'))
    .flatMap(file => {
      const scenario = file.replace('.jsonl', '');
      return (processes[scenario] ?? [undefined]).map(proc => {
        const name = proc === undefined ? scenario : `${scenario} ${proc}`;
        return { name: `${version} ${name}`, version, scenario: name, file: join(fixtures, version, file), proc };
      });
    }),
);

describe.each(recordings)('the recording $name', ({ version, scenario, file, proc }) => {
  const { host, sent, recorded } = replayClaude(readRecording(file, proc), starts[scenario]);

  it('is answered as the recorded client did', () => {
    expect(sent.slice(0, recorded.length)).toEqual(recorded);
    expect(sent.length).toBe(recorded.length);
  });

  it('becomes these events, requests and ends of turns', async () => {
    const expected = join(fixtures, version, `${scenario.replace(' ', '-')}.expected.jsonl`);
    await expect(toLines(host.trace)).toMatchFileSnapshot(expected);
  });

  it('is a legal run', () => {
    expect(host.events.map(parseEvent)).toEqual(host.events);
    expect(checkOrder(host.events)).toEqual([]);
  });
});
