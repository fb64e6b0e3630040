import type { ToolOutput } from '../../events/tools.ts';
import type { Operation } from './activity.ts';

/** The context of a tool call when its operations are emitted. */
export interface CallContext {
  /** The folder the agent works in, when it is known. */
  readonly cwd?: string | undefined;
  /** The folder its shell is in, when it is known. */
  readonly shellCwd?: string | undefined;
  /** The output of the tool; undefined when the run ended without one. */
  readonly output?: ToolOutput | undefined;
}

export type ToolInput = Readonly<Record<string, unknown>>;

/** Maps the calls of one tool to operations. */
export interface ToolRule {
  /** The activity it becomes, for the reference page. */
  readonly activity: string;
  /** The operations of a call, none when the tool is consumed; undefined when its input is not understood. */
  operations(input: ToolInput, context: CallContext): readonly Operation[] | undefined;
  /** The shell line of a call, for a tool that runs one. */
  command?(input: ToolInput): string | undefined;
}

/** The rules for the tools of one agent; a tool without a rule is `unknown`. */
export interface ToolTable {
  readonly rules: Readonly<Record<string, ToolRule>>;
  /** Returns the name of a tool in the table; the name itself when absent. */
  readonly nameOf?: (name: string) => string;
  /**
   * Where a relative path of a shell command is: known for every command, known until a command leaves the folder, or
   * never known.
   */
  readonly shell: 'fresh' | 'persistent' | 'unknown';
  /**
   * Whether the record of a call represents it when it is not understood, because the record of its result does not
   * name the tool. Default: the record of the result does.
   */
  readonly isNamedOnlyByCall?: (name: string) => boolean;
  /** Whether reasoning is `unknown`, once for each part of it. Default: it is consumed. */
  readonly isReasoningUnknown?: boolean;
}

/** The rule for a tool; undefined when the table does not know it. */
export function ruleFor({ rules, nameOf }: ToolTable, name: string): ToolRule | undefined {
  const key = nameOf === undefined ? name : nameOf(name);
  return Object.hasOwn(rules, key) ? rules[key] : undefined;
}
