import { describe, expect, it } from 'vitest';
import { cliAdapters } from '../../src/agents/cli/adapters/cli-adapters.ts';
import { RunTranslation } from '../../src/agents/cli/agent/run-translation.ts';
import type { CliAdapter } from '../../src/agents/cli/contract/cli-adapter.ts';

/** The end of a run that prints records and lines of stderr. */
function ending(agent: string, records: readonly unknown[], stderr: readonly string[] = []) {
  const adapter = cliAdapters[agent] as CliAdapter;
  const translator = adapter.translator({ runId: 'r' });
  const run = new RunTranslation({ runId: 'r', adapter, translator, now: () => '2026-01-01T00:00:00Z' });
  run.start();
  for (const [index, record] of records.entries()) run.line('stdout', JSON.stringify(record), index + 1);
  for (const line of stderr) run.line('stderr', line, records.length + 1);
  return run.end({ exitCode: 0 });
}

const used = (error?: string) => ({
  type: 'tool_use',
  sessionID: 's',
  part: { tool: 'bash', callID: 'c', state: { status: error === undefined ? 'completed' : 'error', input: {}, error } },
});
const rejected = 'The user rejected permission to use this specific tool call.';
const said = { type: 'text', sessionID: 's', part: { id: 'p', text: 'I could not.' } };
const requested = '! permission requested: bash (echo hi); auto-rejecting';

describe('a run that was denied something', () => {
  it('fails when nothing follows the denial', () => {
    const message = `OpenCode ended because bash was denied: ${rejected}`;
    expect(ending('opencode', [used(rejected)], [requested])).toMatchObject([
      { type: 'error', message, code: 'permission_denied', fatal: true },
      { type: 'harness_end', reason: 'error' },
    ]);
  });

  it('fails when the denial is only on stderr', () => {
    expect(ending('opencode', [{ type: 'step_start', sessionID: 's', part: {} }], [requested])).toMatchObject([
      { code: 'permission_denied' },
      { reason: 'error' },
    ]);
  });

  it('completes when the agent answers, or does something else', () => {
    expect(ending('opencode', [used(rejected), said], [requested])).toMatchObject([{ reason: 'complete' }]);
    const other = { ...used(), part: { ...used().part, callID: 'd' } };
    expect(ending('opencode', [used(rejected), other])).toMatchObject([{ reason: 'complete' }]);
  });
});
