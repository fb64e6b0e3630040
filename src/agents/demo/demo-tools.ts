import { appendFile, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { defineTool } from '../loop/tool.ts';
import type { Tool } from '../contract/agent.ts';
import type { PermissionRuleSet } from '../contract/permissions.ts';

/** Allows reads; asks about saving. */
export const demoPermissions: PermissionRuleSet = {
  default: 'ask',
  rules: [{ category: 'read', policy: 'allow' }],
};

/** Three small tools over one notes file in a folder. */
export function demoTools(folder: string): Tool[] {
  const file = join(folder, 'notes.md');
  return [
    defineTool({
      name: 'read_notes',
      description: 'Returns the notes that were saved so far.',
      category: 'read',
      input: z.object({}),
      execute: async () => {
        // There are none before the first is saved.
        const notes = await readFile(file, 'utf8').catch(() => '');
        return {
          context: notes || 'There are no notes yet.',
          result: { lines: notes.split('\n').filter(Boolean).length },
        };
      },
    }),
    defineTool({
      name: 'current_time',
      description: 'Returns the current date and time.',
      category: 'read',
      input: z.object({}),
      execute: () => ({ context: new Date().toISOString() }),
    }),
    defineTool({
      name: 'save_note',
      description: 'Adds one line to the notes.',
      category: 'edit',
      input: z.object({ text: z.string().min(1).max(500).describe('the line') }),
      execute: async ({ text }) => {
        await mkdir(folder, { recursive: true });
        await appendFile(file, `- ${text.replaceAll('\n', ' ')}\n`);
        return { context: `Saved to ${file}.`, result: { file } };
      },
    }),
  ];
}
