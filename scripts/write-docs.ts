import { mkdirSync, writeFileSync } from 'node:fs';
import { agentPage, cliAdapters } from 'singletree/agents';
import { eventReference } from 'singletree/events';

/** Writes the pages of docs/ that derive from code. */
mkdirSync('docs/agents', { recursive: true });
writeFileSync('docs/events.md', eventReference());
for (const adapter of Object.values(cliAdapters)) writeFileSync(`docs/agents/${adapter.id}.md`, agentPage(adapter));
