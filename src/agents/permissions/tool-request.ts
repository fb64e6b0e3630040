import type { ToolRequest, RequestPath } from '../contract/permissions.ts';

/** The name of the argument with the command line; absent when the tool is not a shell. */
export function commandArgument({ shell }: ToolRequest): string | undefined {
  if (shell === undefined || shell === false) return undefined;
  return shell === true ? 'command' : shell;
}

/** The command line of a shell call, with a list of arguments joined to one; absent when it cannot be read. */
export function getCommandLine(request: ToolRequest): string | undefined {
  const name = commandArgument(request);
  const [value, another] = name === undefined ? [] : argumentsAt(request.input, name);
  if (another !== undefined) return undefined;
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.length > 0 && value.every(word => typeof word === 'string'))
    return value.map(word => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
  return undefined;
}

/** The values that a name or a dotted path may mean: the argument of exactly that name, and the nested one. */
export function argumentsAt(input: unknown, path: string): unknown[] {
  const found: unknown[] = [];
  const direct = own(input, path);
  if (direct !== undefined) found.push(direct);
  if (path.includes('.')) {
    const nested = path.split('.').reduce<unknown>(own, input);
    if (nested !== undefined) found.push(nested);
  }
  return found;
}

/** The workspace paths of an argument; absent when it has none. */
export function pathsAt({ paths }: ToolRequest, name: string): readonly RequestPath[] | undefined {
  return paths !== undefined && Object.hasOwn(paths, name) ? paths[name] : undefined;
}

/** The text that a glob is compared with: a string itself, anything else as JSON; absent when it has none. */
export function textOfArgument(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

function own(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
  return (value as Record<string, unknown>)[key];
}

/** The category of tools that change only the conversation, such as questions, which need no approval. */
export const conversationCategory = 'conversation';
