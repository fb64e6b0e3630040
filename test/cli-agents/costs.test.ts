import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { cliAgent } from '../../src/agents/cli/agent/cli-agent.ts';
import { getCost } from '../../src/agents/model/prices/prices.ts';

const folder = mkdtempSync(join(tmpdir(), 'singletree-costs-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The costs of the usage that a program reports which prints these records. */
async function costs(agent: string, records: readonly object[], model?: string) {
  const executable = join(folder, agent);
  const lines = records.map(record => JSON.stringify(record)).join('\n');
  writeFileSync(executable, `#!/bin/sh\ncat <<'END'\n${lines}\nEND\n`);
  chmodSync(executable, 0o755);
  const run = cliAgent(agent, { executable, ...(model !== undefined && { model }) }).invoke({
    run: { runId: 'r', signal: new AbortController().signal },
    conversation: { messages: [{ role: 'user', content: 'go' }] },
  });
  const reported = [];
  for await (const event of run) if (event.type === 'usage') reported.push(event.cost);
  return reported;
}

const tokens = { inputTokens: 1_000, outputTokens: 100 };
const usage = { input_tokens: 1_000, output_tokens: 100 };
const thread = { type: 'thread.started', thread_id: 's' };
const turn = { type: 'turn.completed', usage };
const init = { type: 'system', subtype: 'init', session_id: 's', cwd: '/w', model: 'claude-sonnet-4-5' };
const result = { type: 'result', subtype: 'success', session_id: 's', usage };

describe('the cost of a run of an external agent', () => {
  it('comes from the prices of the model that was asked for, when none is reported', async () => {
    const expected = getCost({ provider: 'openai', model: 'gpt-5' }, tokens);
    expect(expected).toBeGreaterThan(0);
    expect(await costs('codex', [thread, turn], 'gpt-5')).toEqual([expected]);
    expect(await costs('codex', [thread, turn], 'openai/gpt-5')).toEqual([expected]);
  });

  it('comes from the prices of the model that its session names', async () => {
    const expected = getCost({ provider: 'anthropic', model: 'claude-sonnet-4-5' }, tokens);
    expect(expected).toBeGreaterThan(0);
    expect(await costs('claude', [init, result])).toEqual([expected]);
    expect(await costs('claude', [init, result], 'claude-opus-4-1')).toEqual([expected]);
  });

  it('is the one the program reports, also when that is nothing', async () => {
    expect(await costs('claude', [init, { ...result, total_cost_usd: 7 }])).toEqual([7]);
    expect(await costs('claude', [init, { ...result, total_cost_usd: 0 }])).toEqual([0]);
  });

  it('is not reported when the model or its price is not known', async () => {
    expect(await costs('codex', [thread, turn])).toEqual([undefined]);
    expect(await costs('codex', [thread, turn], 'no-such-model')).toEqual([undefined]);
  });
});
