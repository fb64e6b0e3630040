import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { slashCommands } from '../completion/commands.ts';
import { keyTable } from './key-map.ts';

const guide = readFileSync(new URL('../../../docs/guides/chat.md', import.meta.url), 'utf8');

it('is in the guide of the chat', () => {
  expect(guide).toContain(keyTable());
});

it('stands beside every command in the guide', () => {
  expect(slashCommands.filter(({ name }) => !guide.includes(`\`/${name}`))).toEqual([]);
});
