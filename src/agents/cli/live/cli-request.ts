import { toolTables } from '../../../projections/activity/tables/index.ts';
import { ruleFor } from '../../../projections/activity/tool-table.ts';
import { defined } from '../../../events/defined.ts';
import type { RequestPaths, ToolRequest } from '../../permissions/index.ts';
import type { WorkspaceFolder } from '../../workspace/index.ts';
import type { LiveRequest } from '../contract/live-channel.ts';

type Asked = Pick<Extract<LiveRequest, { kind: 'check' }>, 'tool' | 'category' | 'input' | 'command' | 'paths'>;
type Input = Readonly<Record<string, unknown>>;

/** The name under which rules can refer to the command line or the paths of any agent's call. */
const general = { command: 'command', path: 'path' } as const;

/**
 * Returns the request of an external agent in the terms of our rules: its shell line for the command matcher, its paths
 * as the workspace resolves them, both under the agent's own argument names and, for paths, also as `path`.
 */
export async function cliToolRequest(
  request: Asked,
  input: unknown,
  { agentId, folder }: { readonly agentId: string; readonly folder: WorkspaceFolder },
): Promise<ToolRequest> {
  const plain = plainRequest(agentId, request, input);
  const given = recordOf(input);
  const isRevised = input !== request.input;
  const named = (request.paths ?? []).map(path => ({ path, name: argumentWith(request.input, path) }));
  const paths: Record<string, RequestPaths[string]> = {};
  for (const { path, name } of named) {
    const written = isRevised && name !== undefined ? given[name] : path;
    if (typeof written !== 'string') continue;
    const resolved = await folder.resolve(written);
    for (const key of new Set([name ?? general.path, general.path])) paths[key] = [...(paths[key] ?? []), resolved];
  }
  return named.length === 0 ? plain : { ...plain, paths };
}

/** A request without its paths, as far as a stored relay describes it. */
export function plainRequest(agentId: string, asked: Omit<Asked, 'paths'>, input: unknown): ToolRequest {
  const { tool, command } = asked;
  const category = asked.category ?? (command === undefined ? categoryOf(agentId, tool, recordOf(input)) : 'execute');
  // The line of a command that the program does not show is unknown: every rule on commands guards it.
  if (command === undefined && category === 'execute')
    return { tool, input: { ...recordOf(input), [general.command]: undefined }, shell: true, category };
  if (command === undefined) return { tool, input, ...defined({ category }) };
  const name = argumentWith(asked.input, command);
  if (name !== undefined) return { tool, input, shell: name, ...defined({ category }) };
  // Without the argument that holds it, the line of a revised input is unknown: every rule on commands guards it.
  const line = input === asked.input ? command : undefined;
  return { tool, input: { ...recordOf(input), [general.command]: line }, shell: true, ...defined({ category }) };
}

/** The category of a call by what the agent's tool does; undefined when that is not known. */
function categoryOf(agentId: string, tool: string, input: Input): string | undefined {
  const table = Object.hasOwn(toolTables, agentId) ? toolTables[agentId] : undefined;
  const rule = table && ruleFor(table, tool);
  // A shell stays a shell, also when its line only reads files.
  if (rule?.activity.startsWith('`command`') === true) return 'execute';
  const types = new Set(rule?.operations(input, {})?.map(({ type }) => type));
  if (types.has('write')) return 'edit';
  return types.has('read') || types.has('search') || types.has('list') ? 'read' : undefined;
}

function argumentWith(input: Input, value: string): string | undefined {
  return Object.keys(input).find(name => input[name] === value);
}

function recordOf(input: unknown): Input {
  return typeof input === 'object' && input !== null && !Array.isArray(input) ? (input as Input) : {};
}
