import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { readAgentRecords } from '../../scripts/agent-records.ts';
import { consumedNotifications } from '../../src/agents/cli/adapters/codex/live/consumed-notifications.ts';
import { cliAdapters } from '../../src/agents/cli/adapters/cli-adapters.ts';
import { toRecord, toText } from '../../src/agents/cli/shared/wire-value.ts';
import type { AgentEvent } from '../../src/events/index.ts';
import { readRecording } from '../support/recorded-channel.ts';
import { captures, linesOf, replay } from './captures.ts';

type Rows = Readonly<Record<string, string>>;

const channels = fileURLToPath(new URL('./channels/fixtures', import.meta.url));
const wordsIn = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map(([, word]) => word as string);

/** Events that no row has to name: `unknown` is the rule for what no row describes, the others frame what a record becomes. */
const unnamed: ReadonlySet<string> = new Set(['unknown', 'session', 'step_start', 'harness_start', 'harness_end']);

/** The words by which a row can name a record: its type, and those of what it carries. */
function kindsIn(line: string): string[] {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return [];
  }
  const record = toRecord(value) ?? {};
  const event = toRecord(record['event']) ?? {};
  const item = toRecord(record['item']) ?? toRecord(toRecord(record['params'])?.['item']);
  const update = toRecord(toRecord(record['params'])?.['update']);
  const names = [record['method'], record['type'], event['type'], item?.['type'], update?.['sessionUpdate']];
  return names.flatMap(name => toText(name) ?? []);
}

/** The events that the records of a stream became and that no row of it names, as `record: event`. */
function unnamedEvents(rows: Rows, lines: readonly string[], events: readonly AgentEvent[]): string[] {
  const missing = new Set<string>();
  for (const { type, line } of events) {
    const kinds = kindsIn(lines[(line ?? 0) - 1] ?? '');
    if (unnamed.has(type) || kinds.length === 0) continue;
    const naming = Object.entries(rows).filter(([record]) => {
      const words = wordsIn(record);
      return words.length === 0 || words.some(word => kinds.includes(word));
    });
    if (!naming.some(([, becomes]) => wordsIn(becomes).includes(type))) missing.add(`${kinds.join(' ')}: ${type}`);
  }
  return [...missing];
}

describe('what is known of the records of external agents', () => {
  it('exists for every agent', () => {
    for (const id of Object.keys(cliAdapters)) expect(readAgentRecords(id)).toBeDefined();
  });

  it.each(captures())('names every event of $name', capture => {
    const { print } = readAgentRecords(capture.adapter.id);
    expect(unnamedEvents(print, linesOf(join(capture.folder, 'raw.jsonl')), replay(capture).events)).toEqual([]);
  });

  it.each(readdirSync(channels))('names every event of the channel of %s', version => {
    const adapter = cliAdapters[version.split('@')[0] as string]!;
    const { live } = readAgentRecords(adapter.id);
    const missing = readdirSync(join(channels, version))
      .filter(file => file.endsWith('.jsonl') && !file.endsWith('.expected.jsonl'))
      .flatMap(file => {
        const lines = readRecording(join(channels, version, file)).flatMap(({ dir, line }) =>
          dir === 'out' ? line : [],
        );
        const translator = adapter.translator({ runId: 'run' });
        return unnamedEvents(
          live,
          lines,
          lines.flatMap((line, index) => translator.translate(line, index + 1)),
        );
      });
    expect([...new Set(missing)]).toEqual([]);
  });

  it('lists as consumed what Codex consumes', () => {
    const [row] = Object.entries(readAgentRecords('codex').live).findLast(([, text]) => text === 'nothing: consumed')!;
    expect(wordsIn(row).filter(method => !consumedNotifications.has(method))).toEqual([]);
  });
});
