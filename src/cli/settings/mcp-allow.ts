import { InvalidArgumentError, Option } from 'commander';
import { type McpGrant, mcpGrants } from '../../server/mcp/mcp-access.ts';

/** Creates the repeatable option that grants MCP clients more than reading. */
export function mcpAllowOption(flags: string, description: string): Option {
  return new Option(flags, description).argParser((value: string, before: readonly McpGrant[] | undefined) => {
    const grant = mcpGrants.find(each => each === value);
    if (grant === undefined) throw new InvalidArgumentError(`expected one of: ${mcpGrants.join(', ')}`);
    return [...(before ?? []), grant];
  });
}
