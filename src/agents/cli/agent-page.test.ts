import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { cliAdapters } from './adapters.ts';
import { antigravityAdapter } from './antigravity/adapter.ts';
import { agentPage } from './agent-page.ts';
import { codexAdapter } from './codex/adapter.ts';
import { gooseAdapter } from './goose/adapter.ts';

describe('the pages of the external agents', () => {
  it.each(Object.values(cliAdapters))('in docs/agents: that of $id is the one `npm run docs` writes', adapter => {
    const page = new URL(`../../../docs/agents/${adapter.id}.md`, import.meta.url);
    expect(readFileSync(page, 'utf8')).toBe(agentPage(adapter));
  });

  it('show the command lines that are run', () => {
    expect(agentPage(antigravityAdapter)).toContain('\nagy --output-format stream-json');
    expect(agentPage(gooseAdapter)).toContain('\nGOOSE_MODE=auto goose run ');
  });

  it('say which versions were recorded, or that none was', () => {
    expect(agentPage(codexAdapter)).toContain(' Its streams were recorded with 0.166.0 and 0.125.0.\n');
    expect(agentPage({ ...codexAdapter, versions: [] })).toContain(' No stream of it was recorded');
  });

  it.each(Object.values(cliAdapters))('say the truth about lines of $id that are not JSON', adapter => {
    expect(agentPage(adapter)).toContain('A line that is not JSON becomes `unknown`, unless it is in the table.');
    expect(adapter.translator({ runId: 'r' }).translate('not JSON')).toMatchObject([
      { type: 'unknown', raw: 'not JSON' },
    ]);
  });
});
