import type { Tool as McpTool } from '@modelcontextprotocol/client';
import * as z from 'zod';
import type { ToolReturn } from '../contract/tool-values.ts';
import type { Tool, ToolCall } from '../contract/agent.ts';
import { createHash } from 'node:crypto';

const longestDescription = 2_000;

interface McpToolsOptions {
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
    inputJsonSchema: getSchema(tool),
    category: 'mcp',
    execute: (input, context) => call(tool, input, context),
  }));
}

function described({ name, title, description }: McpTool): string {
  const text = description?.trim() || title || name;
  return text.length <= longestDescription ? text : `${text.slice(0, longestDescription)}…`;
}

function getSchema({ inputSchema }: McpTool): Record<string, unknown> {
  const { $schema: _, ...schema } = inputSchema;
  return schema;
}

const longest = 64;
const longestSegment = 24;

/** Returns the part of the tool names that identifies each server, unique within the list. */
export function serverSegments(servers: readonly string[]): ReadonlyMap<string, string> {
  const clean = (name: string) => allowed(name).replaceAll(/_{2,}/g, '_').replaceAll(/^_|_$/g, '') || 'server';
  return uniqueNames(servers, clean, longestSegment);
}

/** Returns `mcp__<server>__<tool>` for each tool, valid for every provider; independent of the order of the tools. */
export function toolNames(segment: string, tools: readonly string[]): ReadonlyMap<string, string> {
  return uniqueNames(tools, tool => `mcp__${segment}__${allowed(tool)}`, longest);
}

function allowed(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_-]/g, '_');
}

/** Names that need no change stay; the others, when too long or taken, get a unique suffix. */
function uniqueNames(
  originals: readonly string[],
  clean: (original: string) => string,
  max: number,
): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const taken = new Set<string>();
  const isChanged = (original: string) => !clean(original).endsWith(original) || clean(original).length > max;
  const sorted = [...new Set(originals)].toSorted();
  for (const original of [...sorted.filter(name => !isChanged(name)), ...sorted.filter(isChanged)]) {
    const cleaned = clean(original);
    let name = cleaned.length > max ? marked(cleaned, original, max) : cleaned;
    for (let number = 1; taken.has(name); number++) name = marked(cleaned, `${original} ${number}`, max);
    taken.add(name);
    names.set(original, name);
  }
  return names;
}

function marked(cleaned: string, original: string, max: number): string {
  const mark = createHash('sha256').update(original).digest('hex').slice(0, 8);
  return `${cleaned.slice(0, max - mark.length - 1)}_${mark}`;
}
