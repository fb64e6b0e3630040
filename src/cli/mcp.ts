import type { Command } from 'commander';
import type { McpGrant } from '../server/mcp/mcp-access.ts';
import { listedCommand } from './command-list.ts';
import { addStoreOptions, folder, mcpAllowOption } from './command-options.ts';
import { type StoreOptions } from './settings/store-options.ts';

export interface McpOptions extends StoreOptions {
  readonly folder: string;
  readonly all?: boolean;
  readonly allow?: readonly McpGrant[];
}

/** Adds `singletree mcp`: an MCP server on standard input and output. */
export function addMcpCommand(program: Command): void {
  addStoreOptions(listedCommand(program, 'mcp'))
    .option('--folder <folder>', 'show the threads of this folder; agents that are run work in it', folder, '.')
    .option('--all', 'show the threads of every folder')
    .addOption(
      mcpAllowOption(
        '--allow <what>',
        'what clients may do beside reading: run agents, answer what agents ask (repeatable)',
      ),
    )
    .action(async (options: McpOptions) => (await import('./mcp/serve-stdio.ts')).serveMcp(options));
}
