import { mkdirSync, writeFileSync } from 'node:fs';
import { eventReference } from 'singletree/events';

/** Writes the pages of docs/ that derive from code. */
mkdirSync('docs', { recursive: true });
writeFileSync('docs/events.md', eventReference());
