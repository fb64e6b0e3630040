import type { Tool as McpTool } from '@modelcontextprotocol/client';
import * as z from 'zod';
import type { ToolReturn } from '../contract/tool-values.ts';
import type { Tool, ToolCall } from '../contract/agent.ts';
import { toolNames } from './tool-names.ts';

const longestDescription = 2_000;

export interface McpToolsOptions {
  /** The part of the tool names that identifies the server. */
  readonly segment: string;
  readonly call: (tool: McpTool, input: unknown, context: ToolCall) => Promise<ToolReturn>;
}

/** Converts the tools of a server to our tools. The server validates inputs; here an input only has to be an object. */
export function describeMcpTools(tools: readonly McpTool[], { segment, call }: McpToolsOptions): readonly Tool[] {
  const byName = new Map(tools.toReversed().map(tool => [tool.name, tool]));
  const names = toolNames(segment, [...byName.keys()]);
  return [...byName.values()].toReversed().map(tool => ({
    name: names.get(tool.name) as string,
    description: described(tool),
    input: z.looseObject({}),
    inputJsonSchema: schemaOf(tool),
    category: 'mcp',
    execute: (input, context) => call(tool, input, context),
  }));
}

function described({ name, title, description }: McpTool): string {
  const text = description?.trim() || title || name;
  return text.length <= longestDescription ? text : `${text.slice(0, longestDescription)}…`;
}

function schemaOf({ inputSchema }: McpTool): Record<string, unknown> {
  const { $schema: _, ...schema } = inputSchema;
  return schema;
}
