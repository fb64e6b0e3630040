import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { cliAdapters } from './adapters.ts';
import { agentPage } from './agent-page.ts';

describe('the pages of the external agents', () => {
  it.each(Object.values(cliAdapters))('docs/agents/$id.md is the one `npm run docs` writes', adapter => {
    const page = new URL(`../../../docs/agents/${adapter.id}.md`, import.meta.url);
    expect(readFileSync(page, 'utf8')).toBe(agentPage(adapter));
  });
});
