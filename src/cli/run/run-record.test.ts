import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import type { AgentEvent } from '../../events/vocabulary.ts';
import { RunRecord } from './run-record.ts';

const home = mkdtempSync(join(tmpdir(), 'singletree-record-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const ts = '2026-01-01T00:00:00.000Z';
const start: AgentEvent[] = [
  { type: 'harness_start', runId: 'r', agentId: 'pi', ts },
  { type: 'warning', runId: 'r', message: 'careful', ts },
  { type: 'tool_call', runId: 'r', id: '1', name: 'Read', input: { path: '/a' }, ts },
];
const end: AgentEvent = { type: 'tool_result', runId: 'r', id: '1', name: 'Read', output: { context: 'x' }, ts };
const lines = (values: readonly unknown[]) => values.map(value => `${JSON.stringify(value)}\n`).join('');
const warned = { type: 'warning', timestamp: ts, message: 'careful' };
const read = { type: 'read', timestamp: ts, path: '/a', isSuccess: true };

async function resume(folder: string): Promise<string[]> {
  const record = await RunRecord.open(folder, { isResumed: true });
  expect(await record.event(end)).toEqual([read]);
  await record.close();
  return ['log.jsonl', 'events.jsonl'].map(name => readFileSync(join(folder, name), 'utf8'));
}

it('continues the log and the activity of a resumed run', async () => {
  const folder = join(home, 'resumed');
  const record = await RunRecord.open(folder);
  for (const event of start) await record.event(event);
  await record.close();
  expect(await resume(folder)).toEqual([lines([...start, end]), lines([warned, read])]);
});

it('brings a record of an earlier version, with the log in events.jsonl, into the present form', async () => {
  const folder = mkdtempSync(join(home, 'old-'));
  const cut = '{"type":"te\n';
  writeFileSync(join(folder, 'events.jsonl'), `${lines(start)}${cut}`);
  expect(await resume(folder)).toEqual([`${lines(start)}${cut}${lines([end])}`, lines([warned, read])]);
});
