import { stat } from 'node:fs/promises';
import { isAbsolute, relative } from 'node:path';
import { acpTools } from '../../../projections/activity/tables/acp.ts';
import { toolTables } from '../../../projections/activity/tables/tool-tables.ts';
import { ruleFor, type ToolRule } from '../../../projections/activity/tool-table.ts';
import { defined } from '../../../base/defined.ts';
import type { ToolRequest, RequestPath } from '../../contract/permissions.ts';
import { readPathFields } from '../../permissions/path-fields.ts';
import type { WorkspaceFolder } from '../../workspace/workspace-folder.ts';
import type { LiveRequest } from '../contract/live-channel.ts';

type Asked = Pick<Extract<LiveRequest, { kind: 'check' }>, 'tool' | 'category' | 'input' | 'command' | 'paths'>;
type Input = Readonly<Record<string, unknown>>;

/** The name under which rules can refer to the command line or the paths of any agent's call. */
const general = { command: 'command', path: 'path' } as const;

/**
 * Returns the request of an external agent in the terms of our rules: its shell line for the command matcher, and its
 * paths as the workspace resolves them, under the agent's own argument names and as `path`. They are those that the
 * program reports and those in the arguments; a call whose paths are not understood for certain says so.
 */
export async function cliToolRequest(
  request: Asked,
  input: unknown,
  { agentId, folder }: { readonly agentId: string; readonly folder: WorkspaceFolder },
): Promise<ToolRequest> {
  const plain = plainRequest(agentId, request, input);
  const given = toRecord(input);
  const isRevised = input !== request.input;
  const { found, isUnclear } = readPathFields(input);
  const reported = (request.paths ?? []).flatMap(path => {
    const name = argumentWith(request.input, path);
    const written = isRevised && name !== undefined ? given[name] : path;
    return typeof written === 'string' ? [{ name: name ?? general.path, path: written }] : [];
  });
  const named = [...reported, ...found];
  const use = fileUse(agentId, request, plain);
  if (named.length === 0 && use === 'folder') named.push({ name: general.path, path: '.' });
  const resolved = new Map<string, RequestPath>();
  const paths: Record<string, RequestPath[]> = {};
  for (const { name, path } of named) {
    const each = resolved.get(path) ?? (await resolvedPath(folder, path));
    resolved.set(path, each);
    for (const key of new Set([name, general.path])) paths[key] = [...new Set([...(paths[key] ?? []), each])];
  }
  const isUnknown = isUnclear || named.length === 0 || [...resolved.values()].some(each => each.resolved.length === 0);
  return {
    ...plain,
    ...(named.length > 0 && { paths }),
    ...(use !== 'none' && isUnknown && { hasUnknownPaths: true }),
  };
}

/** Resolves a path of a call; a folder includes its contents, and one above the workspace is not understood. */
async function resolvedPath(folder: WorkspaceFolder, path: string): Promise<RequestPath> {
  const resolved = await folder.resolve(path);
  const target = resolved.resolved.find(each => isAbsolute(each));
  if (target === undefined || (await stat(target).catch(() => undefined))?.isDirectory() !== true) return resolved;
  const isAbove = target !== folder.root && !relative(target, folder.root).startsWith('..');
  return { ...resolved, reachesBelow: true, ...(isAbove && { resolved: [] }) };
}

/**
 * Which files a call may use: none that rules over paths could guard, as a command or a subagent, whose own calls are
 * decided; those below a folder, the working directory when it names none; or any.
 */
function fileUse(agentId: string, { paths, tool }: Asked, { category, input }: ToolRequest): 'none' | 'folder' | 'any' {
  if (category === 'execute' || category === 'network' || paths?.length === 0) return 'none';
  const rule = toolRule(agentId, tool);
  if (/^(none|`(orchestration|skill)`)/.test(rule?.activity ?? '')) return 'none';
  const [operation, another] = rule?.operations(toRecord(input), {}) ?? [];
  const isBelow = operation?.type === 'search' || operation?.type === 'list';
  return isBelow && another === undefined ? 'folder' : 'any';
}

/** A request without its paths, as far as a stored relay describes it. */
export function plainRequest(agentId: string, asked: Omit<Asked, 'paths'>, input: unknown): ToolRequest {
  const { tool, command } = asked;
  const category = asked.category ?? (command === undefined ? findCategory(agentId, tool, toRecord(input)) : 'execute');
  // The line of a command that the program does not show is unknown: every rule on commands guards it.
  if (command === undefined && category === 'execute')
    return { tool, input: { ...toRecord(input), [general.command]: undefined }, shell: true, category };
  if (command === undefined) return { tool, input, ...defined({ category }) };
  const name = argumentWith(asked.input, command);
  if (name !== undefined) return { tool, input, shell: name, ...defined({ category }) };
  // Without the argument that holds it, the line of a revised input is unknown: every rule on commands guards it.
  const line = input === asked.input ? command : undefined;
  return { tool, input: { ...toRecord(input), [general.command]: line }, shell: true, ...defined({ category }) };
}

/** Returns the category of a call by the agent's tool; undefined for an unknown tool. */
function findCategory(agentId: string, tool: string, input: Input): string | undefined {
  const rule = toolRule(agentId, tool);
  // A shell stays a shell, also when its line only reads files.
  if (rule?.activity.startsWith('`command`') === true) return 'execute';
  const types = new Set(rule?.operations(input, {})?.map(({ type }) => type));
  if (types.has('write')) return 'edit';
  return types.has('read') || types.has('search') || types.has('list') ? 'read' : undefined;
}

/**
 * Returns the rule of a tool. A program without a tool table uses the Agent Client Protocol, whose call kinds are
 * its tools.
 */
function toolRule(agentId: string, tool: string): ToolRule | undefined {
  const own = Object.hasOwn(toolTables, agentId) ? toolTables[agentId] : undefined;
  return ruleFor(own ?? acpTools, tool);
}

function argumentWith(input: Input, value: string): string | undefined {
  return Object.keys(input).find(name => input[name] === value);
}

function toRecord(input: unknown): Input {
  return typeof input === 'object' && input !== null && !Array.isArray(input) ? (input as Input) : {};
}
