import { readdirSync } from 'node:fs';
import { describe, it } from 'vitest';
import { piLive } from '../../../src/agents/cli/adapters/pi/live/adapter.ts';
import { toRecord, type WireRecord } from '../../../src/agents/cli/shared/wire-value.ts';
import { checkMutatedChannel } from '../../support/mutated-channel.ts';
import { piFixtures, piRecording, piVersions, state, status } from './pi-replay.ts';

const opened = { id: 'singletree-1', type: 'response', command: 'get_state', success: true, data: state };

const recordings = piVersions.flatMap(version =>
  readdirSync(piFixtures(version))
    .filter(file => file.endsWith('.jsonl') && !file.endsWith('.expected.jsonl'))
    .map(file => piRecording(version, file.slice(0, -'.jsonl'.length)))
    .map(lines => [
      ...[status(), opened].map(record => JSON.stringify(record)),
      ...lines.flatMap(({ dir, line }) => (dir === 'out' ? [line] : [])).slice(2),
    ]),
);

/** Records that become an event, or none because they repeat others or a command waits for them. */
const telling: ReadonlySet<unknown> = new Set(['turn_start', 'tool_execution_end', 'auto_retry_start']);

describe('the channel of Pi, over mutated recordings', () => {
  it('never throws, loses a line, answers a wrong request or leaves a turn open', () => {
    checkMutatedChannel({
      adapter: piLive,
      recordings,
      answered: message => {
        const record = JSON.parse(message) as WireRecord;
        return record['type'] === 'extension_ui_response' ? [record['id']] : [];
      },
      asked: line => {
        const record = parsed(line);
        return record?.['type'] === 'extension_ui_request' && record['id'] !== undefined ? [record['id']] : [];
      },
      isConsumed: line => !telling.has(parsed(line)?.['type']),
    });
  });
});

function parsed(line: string): WireRecord | undefined {
  try {
    return toRecord(JSON.parse(line));
  } catch {
    return undefined;
  }
}
