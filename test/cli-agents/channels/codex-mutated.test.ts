import { readdirSync } from 'node:fs';
import { describe, it } from 'vitest';
import { codexLive } from '../../../src/agents/cli/adapters/codex/live/adapter.ts';
import { consumedNotifications } from '../../../src/agents/cli/adapters/codex/live/consumed-notifications.ts';
import { toList, toRecord, type WireRecord } from '../../../src/agents/cli/shared/wire-value.ts';
import { checkMutatedChannel } from '../../support/mutated-channel.ts';
import { codexFixtures, codexRecording } from './codex-replay.ts';

const recordings = readdirSync(codexFixtures)
  .filter(file => file.endsWith('.jsonl') && !file.endsWith('.expected.jsonl'))
  .map(file => codexRecording(file.slice(0, -'.jsonl'.length)))
  .map(lines => lines.flatMap(({ dir, line }) => (dir === 'out' ? [line] : [])));

/** Items and reports that are used without an event of their own. */
const quietItems: ReadonlySet<unknown> = new Set([
  'userMessage',
  'contextCompaction',
  'agentMessage',
  'reasoning',
  'plan',
  'subAgentActivity',
]);
const quiet: ReadonlySet<unknown> = new Set([
  'thread/tokenUsage/updated',
  'mcpServer/startupStatus/updated',
  'serverRequest/resolved',
  'item/commandExecution/outputDelta',
  'item/agentMessage/delta',
  'item/reasoning/summaryTextDelta',
  'turn/completed',
  'error',
]);

function isQuiet(line: string): boolean {
  const record = toRecord(JSON.parse(line)) ?? {};
  const { method } = record;
  if (typeof method !== 'string') return true;
  if (consumedNotifications.has(method) || quiet.has(method)) return true;
  const item = toRecord(toRecord(record['params'])?.['item']);
  // An item of an unknown type is reported when it is completed.
  return method === 'item/started' || (method === 'item/completed' && quietItems.has(item?.['type']));
}

describe('the channel of Codex, over mutated recordings', () => {
  it('never throws, loses a line, answers a wrong request or leaves a turn open', () => {
    checkMutatedChannel({
      adapter: codexLive,
      recordings,
      answered: message => {
        const record = JSON.parse(message) as WireRecord;
        return record['method'] === undefined ? [record['id']] : [];
      },
      asked: line => requestsOf(line),
      isConsumed: isQuiet,
    });
  });
});

function requestsOf(line: string): unknown[] {
  try {
    const record = toRecord(JSON.parse(line));
    return record?.['method'] !== undefined && record['id'] !== undefined ? [record['id']] : toList(undefined).slice();
  } catch {
    return [];
  }
}
