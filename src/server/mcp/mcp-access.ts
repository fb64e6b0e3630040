import type { Scope } from '../security/caller.ts';

/** What clients of an MCP server may do beside reading: run agents and steer them, or answer what agents ask. */
export const mcpGrants = ['run', 'answer'] as const;

export type McpGrant = (typeof mcpGrants)[number];

/** What one connection sees and may do. */
export interface McpAccess {
  readonly scope: Scope;
  readonly allow: readonly McpGrant[];
  /** Only the threads that were started in this folder, and the folder of new ones; all threads when absent. */
  readonly folder?: string | undefined;
  /** Identifies the connection: a run that was asked for through it is not approved through it. */
  readonly connection: string;
}
