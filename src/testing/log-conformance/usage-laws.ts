import assert from 'node:assert/strict';
import type { AgentEvent } from '../../events/vocabulary.ts';
import type { EventLog } from '../../log/event-log.ts';
import type { UsageQuery } from '../../log/derived/usage-totals.ts';
import { readUsage } from '../../log/derived/log-queries.ts';
import { type Law, refuses } from './suite.ts';
import { defined } from '../../base/defined.ts';

const start = (runId: string, agentId: string, model?: string): AgentEvent => ({
  type: 'harness_start',
  runId,
  agentId,
  ...defined({ model }),
});
const used = (runId: string, inputTokens: number, more: Partial<AgentEvent & { type: 'usage' }> = {}): AgentEvent => ({
  type: 'usage',
  runId,
  inputTokens,
  outputTokens: 1,
  ...more,
});

async function fill(log: EventLog): Promise<void> {
  await log.createThread({ id: 'a', resourceId: 'one' });
  await log.createThread({ id: 'b', resourceId: 'two' });
  await log.append('a', [
    { ...start('r1', 'coder', 'large'), ts: '2026-01-01T10:00:00.000Z' },
    { ...used('r1', 10, { cacheReadTokens: 4, cost: 0.5 }), ts: '2026-01-01T10:00:00.000Z' },
    { ...used('r1', 20, { model: 'small' }), ts: '2026-01-02T10:00:00.000Z' },
  ]);
  await log.append('b', [
    { ...start('r2', 'writer', 'large'), ts: '2026-01-02T10:00:00.000Z' },
    { ...used('r2', 40, { cost: 0.25 }), ts: '2026-01-02T10:00:00.000Z' },
  ]);
}

/** Registers the tests of `usage`. */
export function usageLaws(law: Law): void {
  law('adds up what model calls used, in all', async ({ log }) => {
    assert.deepEqual(await readUsage(log), [{ inputTokens: 0, outputTokens: 0, modelCalls: 0 }]);
    await fill(log);
    assert.deepEqual(await readUsage(log), [
      { inputTokens: 70, outputTokens: 3, cacheReadTokens: 4, cost: 0.75, modelCalls: 3 },
    ]);
  });

  law('counts imported calls apart', async ({ log }) => {
    await fill(log);
    await log.createThread({ id: 'c', resourceId: 'one', imported: true });
    const calls = [
      { ...start('r3', 'claude', 'large'), ts: '2025-12-31T10:00:00.000Z' },
      { ...used('r3', 7), ts: '2025-12-31T10:00:00.000Z' },
      { ...used('r3', 8), ts: '2026-01-01T10:00:00.000Z' },
    ];
    await log.append('c', calls, { imported: true });
    assert.equal((await readUsage(log))[0]?.inputTokens, 70);
    assert.deepEqual(await readUsage(log, { by: ['day'], imported: true }), [
      { day: '2025-12-31', inputTokens: 7, outputTokens: 1, modelCalls: 1 },
      { day: '2026-01-01', inputTokens: 8, outputTokens: 1, modelCalls: 1 },
    ]);
    const asked = { imported: true, from: '2026-01-01', resourceId: 'one' };
    assert.equal((await readUsage(log, asked))[0]?.inputTokens, 8);
    assert.equal((await readUsage(log, { ...asked, resourceId: 'two' }))[0]?.inputTokens, 0);
  });

  law('keeps days, agents and models apart', async ({ log }) => {
    await fill(log);
    assert.deepEqual(await readUsage(log, { by: ['day'] }), [
      { day: '2026-01-01', inputTokens: 10, outputTokens: 1, cacheReadTokens: 4, cost: 0.5, modelCalls: 1 },
      { day: '2026-01-02', inputTokens: 60, outputTokens: 2, cost: 0.25, modelCalls: 2 },
    ]);
    assert.deepEqual(await readUsage(log, { by: ['agent', 'model'] }), [
      {
        agentId: 'coder',
        modelId: 'large',
        inputTokens: 10,
        outputTokens: 1,
        cacheReadTokens: 4,
        cost: 0.5,
        modelCalls: 1,
      },
      { agentId: 'coder', modelId: 'small', inputTokens: 20, outputTokens: 1, modelCalls: 1 },
      { agentId: 'writer', modelId: 'large', inputTokens: 40, outputTokens: 1, cost: 0.25, modelCalls: 1 },
    ]);
  });

  law('keeps threads apart', async ({ log }) => {
    await fill(log);
    await log.append(
      'b',
      [used('r2', 5)].map(event => ({ ...event, ts: '2026-01-03T10:00:00.000Z' })),
    );
    assert.deepEqual(await readUsage(log, { by: ['thread'], to: '2026-01-02' }), [
      { threadId: 'a', inputTokens: 30, outputTokens: 2, cacheReadTokens: 4, cost: 0.5, modelCalls: 2 },
      { threadId: 'b', inputTokens: 40, outputTokens: 1, cost: 0.25, modelCalls: 1 },
    ]);
    assert.deepEqual(
      (await readUsage(log, { by: ['thread'] })).map(({ inputTokens }) => inputTokens),
      [30, 45],
    );
  });

  law('adds up the calls of tools that ended, with failures and times', async ({ log }) => {
    await fill(log);
    const timeOf = (second: number) => `2026-01-03T10:00:0${second}.000Z`;
    const call = (runId: string, id: string, name: string, second: number): AgentEvent => ({
      type: 'tool_call',
      runId,
      id,
      name,
      input: {},
      ts: timeOf(second),
    });
    const begin = (runId: string, id: string, name: string, second: number): AgentEvent => ({
      type: 'tool_start',
      runId,
      id,
      name,
      ts: timeOf(second),
    });
    const end = (runId: string, id: string, name: string, second: number, isFailed = false): AgentEvent => ({
      type: 'tool_result',
      runId,
      id,
      name,
      output: isFailed ? { error: 'no' } : { context: 'yes' },
      ts: timeOf(second),
    });
    await log.append('a', [call('r1', 'c1', 'read', 1), begin('r1', 'c1', 'read', 2), call('r1', 'c2', 'bash', 2)]);
    // The results of these calls are appended after an outline was stored, or in another process.
    await readUsage(log);
    await log.append('a', [end('r1', 'c2', 'bash', 3, true), call('r1', 'c3', 'bash', 3), end('r1', 'c1', 'read', 5)]);
    await log.append('a', [end('r1', 'c1', 'read', 6)]);
    await log.append('b', [call('r2', 'c1', 'read', 1), end('r2', 'c1', 'read', 1)]);
    const none = { inputTokens: 0, outputTokens: 0, modelCalls: 0 };
    assert.deepEqual(await readUsage(log, { by: ['tool'] }), [
      { tool: 'bash', ...none, toolCalls: 1, failedCalls: 1, toolMs: 1_000 },
      { tool: 'read', ...none, toolCalls: 2, failedCalls: 0, toolMs: 3_000 },
    ]);
    assert.deepEqual(await readUsage(log, { by: ['thread', 'tool', 'agent'], resourceId: 'two' }), [
      { agentId: 'writer', threadId: 'b', tool: 'read', ...none, toolCalls: 1, failedCalls: 0, toolMs: 0 },
    ]);
    assert.deepEqual(await readUsage(log, { by: ['tool'], to: '2026-01-02' }), []);
    assert.equal((await readUsage(log))[0]?.modelCalls, 3);
  });

  law('adds up days and resources that are named', async ({ log }) => {
    await fill(log);
    const input = async (query: UsageQuery) => (await readUsage(log, query))[0]?.inputTokens;
    assert.equal(await input({ from: '2026-01-02' }), 60);
    assert.equal(await input({ to: '2026-01-01' }), 10);
    assert.equal(await input({ from: '2026-01-02', to: '2026-01-02', resourceId: 'one' }), 20);
    assert.equal(await input({ resourceId: 'nobody' }), 0);
  });

  law('counts a call once, also in a branch, and imported ones not at all', async ({ log }) => {
    await fill(log);
    await log.branch('b', 2, { id: 'child' });
    await log.append('child', [used('r2', 100)]);
    await log.createThread({ id: 'copy', imported: true });
    await log.append('copy', [start('r3', 'coder'), used('r3', 1_000)], { imported: true });
    assert.equal((await readUsage(log))[0]?.inputTokens, 170);
    assert.equal(
      (await readUsage(log, { by: ['agent'] })).find(({ agentId }) => agentId === 'writer')?.inputTokens,
      140,
    );
  });

  law('keeps the totals of deleted threads', async ({ log }) => {
    if (log.usage === undefined) return;
    await fill(log);
    await log.deleteThread('a');
    assert.equal((await readUsage(log))[0]?.inputTokens, 70);
  });

  law('refuses a query that is not valid', async ({ log }) => {
    for (const query of [{ from: 'today' }, { by: ['week'] }, { by: 'day' }, { day: '2026-01-01' }])
      await refuses('invalid_argument', readUsage(log, query as unknown as UsageQuery));
  });
}
