import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cliAdapters } from 'singletree/agents';
import { configJsonSchema } from 'singletree/config';
import { describe, expect, it } from 'vitest';
import { agentPage } from '../scripts/agent-page.ts';
import { readAgentRecords } from '../scripts/agent-records.ts';
import { pageName } from '../scripts/api-reference.ts';
import { agentMatrix } from '../scripts/channel-section.ts';
import { eventReference } from '../scripts/event-reference.ts';
import { eventTypes } from '../scripts/event-types.ts';
import { bundledPackages, thirdPartyNotices } from '../scripts/third-party-notices.ts';

const page = (path: string) => readFileSync(new URL(`../docs/${path}`, import.meta.url), 'utf8');
const root = fileURLToPath(new URL('..', import.meta.url));
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { exports: Record<string, string> };
const adapters = Object.values(cliAdapters);
const pageOf = (id: string, changed = {}) => agentPage({ ...cliAdapters[id]!, ...changed });

describe('the generated pages of docs/', () => {
  it('contain the event reference that `npm run docs` writes', () => {
    expect(page('events.md')).toBe(eventReference());
  });

  it('stand beside the interfaces of events that `npm run docs` writes', () => {
    expect(page('../src/events/event-types.ts')).toBe(eventTypes());
  });

  it('contain the JSON Schema of the configuration that `npm run docs` writes', () => {
    expect(JSON.parse(page('reference/singletree.config.schema.json'))).toEqual(configJsonSchema());
  });

  it('contain the comparison of live channels that `npm run docs` writes', () => {
    expect(page('agents/README.md')).toBe(agentMatrix(adapters));
  });

  it.each(adapters)('contain the page of $id that `npm run docs` writes', adapter => {
    expect(page(`agents/${adapter.id}.md`)).toBe(agentPage(adapter));
  });

  it('contain the comparison of all agents that `npm run docs` writes', () => {
    expect(page('agents/README.md')).toBe(agentMatrix(adapters));
  });

  it.each(Object.entries(manifest.exports).filter(([, file]) => file.endsWith('.js')))(
    'contain every name that %s exports, with its contract',
    async (subpath, file) => {
      const reference = page(`reference/${pageName(subpath)}`);
      const names = Object.keys((await import(join(root, file))) as object);
      expect(names.filter(name => !reference.includes(`\n## ${name}\n\n`))).toEqual([]);
      expect(names.filter(name => reference.includes(`\n## ${name}\n\n\`\`\``))).toEqual([]);
      expect(page('reference/README.md')).toContain(`](${pageName(subpath)})`);
    },
  );

  it('list every difference between the events of both channels', () => {
    for (const { id, isLiveOnly } of adapters)
      if (isLiveOnly !== true)
        for (const [field, difference] of Object.entries(readAgentRecords(id).differences))
          expect(agentMatrix(adapters)).toContain(`| ${id} | ${field} | ${difference} |`);
  });

  it('show the command lines that a run uses', () => {
    expect(pageOf('antigravity')).toContain('\nagy --output-format stream-json');
    expect(pageOf('goose')).toContain('\nGOOSE_MODE=auto goose run ');
  });

  it('list the recorded versions of an agent', () => {
    expect(pageOf('codex')).toContain(' Its streams were recorded with 0.166.0 and 0.125.0.\n');
    expect(pageOf('codex', { versions: [] })).toContain(' No stream of it was recorded');
  });

  it.each(adapters)('describe lines of $id that are not JSON', adapter => {
    expect(agentPage(adapter)).toContain('A line that is not JSON becomes `unknown`, unless it is in the table.');
    expect(adapter.translator({ runId: 'r' }).translate('not JSON')).toMatchObject([
      { type: 'unknown', raw: 'not JSON' },
    ]);
  });
});

describe('the notices of licences', () => {
  it('name every package whose code is in the published files, as `npm run docs` writes them', async () => {
    const packages = await bundledPackages();
    expect([...packages.keys()]).toEqual(expect.arrayContaining(['diff', 'gpt-tokenizer', 'marked', 'react', 'shiki']));
    expect(page('../THIRD-PARTY-NOTICES.md')).toBe(thirdPartyNotices(packages));
  }, 60_000);
});
