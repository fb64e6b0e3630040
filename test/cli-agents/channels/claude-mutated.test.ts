import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, it } from 'vitest';
import { claudeLive } from '../../../src/agents/cli/adapters/claude/live/adapter.ts';
import { toRecord } from '../../../src/agents/cli/shared/wire-value.ts';
import { checkMutatedChannel } from '../../support/mutated-channel.ts';
import { readRecording } from '../../support/recorded-channel.ts';

const fixtures = fileURLToPath(new URL('./fixtures', import.meta.url));

const recordings = ['claude@2.1.325', 'claude@2.1.197'].flatMap(version =>
  readdirSync(join(fixtures, version))
    .filter(file => file.endsWith('.jsonl') && !file.endsWith('.expected.jsonl') && file !== 'resume-unknown.jsonl')
    .map(file => readRecording(join(fixtures, version, file)))
    .map(lines => lines.flatMap(({ dir, line }) => (dir === 'out' ? [asOurs(line)] : []))),
);

/** The first request is ours, whatever the recorded client called it; its hook is ours, too. */
function asOurs(line: string): string {
  const record = toRecord(JSON.parse(line));
  const response = toRecord(record?.['response']);
  if (toRecord(response?.['response'])?.['commands'] !== undefined)
    return JSON.stringify({ ...record, response: { ...response, request_id: 'singletree-1' } });
  return line.replace('"callback_id":"hook_0"', '"callback_id":"singletree-check"');
}

const quiet: ReadonlySet<unknown> = new Set([
  'control_response',
  'control_cancel_request',
  'command_lifecycle',
  'keep_alive',
  'user',
  'result',
  'stream_event',
  'assistant',
  'control_request',
]);

/** Records that are consumed by a rule, or whose content decides. */
function isConsumed(line: string): boolean {
  const record = toRecord(JSON.parse(line)) ?? {};
  return quiet.has(record['type']) || ['init', 'status', 'task_started'].includes(String(record['subtype']));
}

function requestOf(line: string): unknown[] {
  try {
    const record = toRecord(JSON.parse(line));
    return record?.['type'] === 'control_request' ? [record['request_id']] : [];
  } catch {
    return [];
  }
}

describe('the channel of Claude Code, over mutated recordings', () => {
  it('never throws, loses a line, answers a wrong request or leaves a turn open', () => {
    const options = {
      adapter: claudeLive,
      recordings,
      answered: (message: string) => {
        const record = toRecord(JSON.parse(message));
        return record?.['type'] === 'control_response' ? [toRecord(record['response'])?.['request_id']] : [];
      },
      asked: requestOf,
      isConsumed,
    };
    checkMutatedChannel(options, 150);
  });
});
