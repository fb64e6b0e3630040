import { mkdirSync, writeFileSync } from 'node:fs';
import { cliAdapters } from 'singletree/agents';
import { agentPage } from './agent-page.ts';
import { agentMatrix } from './channel-section.ts';
import { eventReference } from './event-reference.ts';

/** Writes the pages of docs/ that are generated from the code. */
mkdirSync('docs/agents', { recursive: true });
writeFileSync('docs/events.md', eventReference());
for (const adapter of Object.values(cliAdapters)) writeFileSync(`docs/agents/${adapter.id}.md`, agentPage(adapter));
writeFileSync('docs/agents/README.md', agentMatrix(Object.values(cliAdapters)));
