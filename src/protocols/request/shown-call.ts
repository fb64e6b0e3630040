import type { ToolOutput } from '../../events/tools.ts';
import type { RelayPart, ReplPart, ToolPart, ViewNode } from '../../projections/reading/view-node.ts';

/** A call of the reading view as the fold of a request shows it, whether it is of a tool or executes code. */
export interface ShownCall {
  readonly id: string;
  readonly toolName: string;
  /** What it was called with: as a person revised it, when one did. */
  readonly input: unknown;
  readonly output: ToolOutput | undefined;
  /** Whether it can still get an output. */
  readonly isOpen: boolean;
  readonly relays: readonly RelayPart[];
  readonly runs: readonly ViewNode[];
}

/** Returns a call as the fold shows it; undefined for a piece of one whose call is not in the log. */
export function showCall(part: ToolPart | ReplPart): ShownCall | undefined {
  const { id, runs } = part;
  if (part.kind === 'tool') {
    if (!('input' in part)) return undefined;
    const { name: toolName, input, output, status, relays } = part;
    const isOpen = status === 'preparing' || status === 'waiting' || status === 'running';
    const revised = relays.findLast(({ answer }) => answer?.outcome === 'revise')?.answer?.input;
    return { id, toolName, input: revised ?? input ?? null, output, isOpen, relays, runs };
  }
  const { code, output } = part;
  if (code === undefined) return undefined;
  const call = { id, toolName: 'repl', input: { code }, isOpen: false, relays: [], runs };
  if (output === undefined) return { ...call, output: undefined };
  const { error, stdout, done } = output;
  return { ...call, output: error === undefined ? { context: stdout, result: { stdout, done } } : { error } };
}
