import type { ToolOutput } from '../../events/tools.ts';
import type { RelayPart, ReplPart, ToolPart, ViewNode } from '../../projections/reading/view-node.ts';

/** A call of the reading view as the fold of a request shows it, whether it is of a tool or executes code. */
export interface ShownCall {
  readonly id: string;
  readonly toolName: string;
  /** The input of the call, as revised by a user when it was revised. */
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

const names = ['prompt', 'task', 'message', 'question', 'description'];

/** Returns the prompt of a subagent from the input of the call that started it: a prompt field, or the whole input. */
export function getPrompt(call: { readonly input: unknown } | undefined): unknown {
  const input = call?.input;
  if (typeof input !== 'object' || input === null) return input;
  const fields = input as Readonly<Record<string, unknown>>;
  const name = names.find(field => typeof fields[field] === 'string');
  return name === undefined ? input : fields[name];
}

/** Returns the structured result of a successful call, or the output sent to the model when it has none. */
export function getResult({ context, result }: Extract<ToolOutput, { context: unknown }>): unknown {
  return result === undefined ? context : result;
}

/** A report of a running tool, in the one form that protocols show. */
export interface Progress {
  readonly label: string;
  /** Never falls within a call. */
  readonly phaseIndex: number;
  /** At least `phaseIndex`. */
  readonly totalPhases: number;
  readonly milestone?: unknown;
}

/**
 * Reads what a tool reported. `{ label, phaseIndex, totalPhases, milestone }` is taken as it is, a text is the label,
 * anything else the milestone; a report without a phase is the next phase.
 */
export function readProgress(content: unknown, { toolName, phase }: { toolName: string; phase: number }): Progress {
  const fields: Record<string, unknown> = typeof content === 'object' && content !== null ? { ...content } : {};
  const { label, phaseIndex, totalPhases, milestone } = fields;
  const known = typeof label === 'string' || isCount(phaseIndex);
  const index = Math.max(phase, isCount(phaseIndex) ? phaseIndex : phase + 1);
  const reported = known ? milestone : content;
  return {
    label: typeof label === 'string' ? label : typeof content === 'string' ? content : toolName,
    phaseIndex: index,
    totalPhases: Math.max(index, isCount(totalPhases) ? totalPhases : index),
    ...(reported !== undefined && typeof content !== 'string' && { milestone: reported }),
  };
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
