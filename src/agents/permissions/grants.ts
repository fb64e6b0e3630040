import type { Grant, ToolRequest } from '../contract/permissions.ts';
import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { readStrictly } from '../../projections/shell/strict-line.ts';
import { commandArgument, getCommandLine } from './tool-request.ts';

/** How long an approval is remembered. */
export type Remember = 'once' | 'thread' | 'category';

const text = z.string().min(1);

/** A grant of a user, as plain data: a whole category, a whole tool, or one exact shell command. */
export const grant = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('category'), category: text }),
  z.strictObject({ kind: z.literal('tool'), tool: text }),
  z.strictObject({
    kind: z.literal('command'),
    tool: text,
    command: text.describe('the identity of the command line: its words, or its exact text'),
    rest: z.record(z.string(), z.unknown()).describe('the other arguments of the call that was approved'),
  }),
]);

/** Arguments that do not affect the command. */
const incidental: ReadonlySet<string> = new Set(['description', 'timeout', 'timeoutMs', 'timeout_ms']);

/**
 * Returns the grant of an approval for later calls; undefined when it was for this call only. For the thread, a shell
 * call is granted as exactly this command with the same other arguments, any other call as its tool. A call without a
 * category that is approved for its category is granted for the thread.
 */
export function grantFor(request: ToolRequest, remember: Remember): Grant | undefined {
  if (remember === 'once') return undefined;
  if (remember === 'category' && request.category !== undefined)
    return { kind: 'category', category: request.category };
  if (commandArgument(request) === undefined) return { kind: 'tool', tool: request.tool };
  const line = getCommandLine(request);
  if (line === undefined || line === '') return undefined;
  return { kind: 'command', tool: request.tool, command: commandIdentity(line), rest: otherArguments(request) };
}

/** Whether a grant covers a call. */
export function grantCovers(grant: Grant, request: ToolRequest): boolean {
  if (grant.kind === 'category') return grant.category === request.category;
  if (grant.tool !== request.tool) return false;
  if (grant.kind === 'tool') return commandArgument(request) === undefined;
  const line = getCommandLine(request);
  if (line === undefined || commandIdentity(line) !== grant.command) return false;
  return isDeepStrictEqual(otherArguments(request), grant.rest);
}

function otherArguments(request: ToolRequest): Record<string, unknown> {
  const command = commandArgument(request);
  const entries = Object.entries((request.input ?? {}) as Record<string, unknown>);
  return Object.fromEntries(
    entries.filter(([name, value]) => name !== command && value !== undefined && !incidental.has(name)),
  );
}

/**
 * Returns a text that two command lines share only when they run the same words in the same way. Ignores spacing and
 * quotes in lists and pipelines of simple commands without expansions and redirects; other lines must be identical.
 */
function commandIdentity(line: string): string {
  const tokens = readStrictly(line)?.tokens;
  return tokens === undefined || tokens.length === 0 ? `text ${line}` : `words ${JSON.stringify(tokens)}`;
}
