import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cliAdapters } from 'singletree/agents';
import { configJsonSchema } from 'singletree/config';
import { agentPage } from './agent-page.ts';
import { apiIndex, apiPage, pageName } from './api-reference.ts';
import { agentMatrix } from './channel-section.ts';
import { eventReference } from './event-reference.ts';
import { eventTypes } from './event-types.ts';
import { bundledPackages, thirdPartyNotices } from './third-party-notices.ts';

/** Writes the pages of docs/ that are generated from the code, and the notices of licences. */
mkdirSync('docs/agents', { recursive: true });
writeFileSync('docs/events.md', eventReference());
writeFileSync('src/events/event-types.ts', eventTypes());
for (const adapter of Object.values(cliAdapters)) writeFileSync(`docs/agents/${adapter.id}.md`, agentPage(adapter));
writeFileSync('docs/agents/README.md', agentMatrix(Object.values(cliAdapters)));

const { exports: paths } = JSON.parse(readFileSync('package.json', 'utf8')) as { exports: Record<string, string> };
const pages = Object.entries(paths)
  .filter(([, file]) => file.endsWith('.js'))
  .map(([subpath, file]) => ({ subpath, page: apiPage(subpath, file.replace(/\.js$/, '.d.ts')) }));
mkdirSync('docs/reference', { recursive: true });
for (const { subpath, page } of pages) writeFileSync(`docs/reference/${pageName(subpath)}`, page);
writeFileSync('docs/reference/README.md', apiIndex(pages));
const schema = JSON.stringify(configJsonSchema(), undefined, 2);
writeFileSync('docs/reference/singletree.config.schema.json', `${schema}\n`);
writeFileSync('THIRD-PARTY-NOTICES.md', thirdPartyNotices(await bundledPackages()));
