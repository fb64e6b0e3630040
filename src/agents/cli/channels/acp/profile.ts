import type { ToolOutput } from '../../../../events/tools.ts';
import type { UsedTokens } from '../../../contract/host.ts';
import type { LiveStart } from '../../contract/live-channel.ts';
import type { LineContext } from '../../shared/line-context.ts';
import type { OpenCall } from '../../shared/open-calls.ts';
import { toRecord, type WireRecord } from '../../shared/wire-value.ts';
import type { AcpSteering, SteeringChannel } from './steering.ts';
import { readTokens } from './tokens.ts';

/** A call as its records describe it so far: the latest value of each field. */
export interface CallFields {
  readonly rawId: string;
  readonly title?: string | undefined;
  readonly kind?: string | undefined;
  readonly status?: string | undefined;
  readonly rawInput?: unknown;
  readonly rawOutput?: unknown;
  readonly content?: unknown;
  readonly locations?: unknown;
  readonly meta: WireRecord;
}

/** How the calls of one program are read. */
export interface CallRules {
  /** Whether a call that is announced has all its arguments. */
  readonly announcesWhole?: boolean;
  nameOf(call: CallFields): string | undefined;
  /** The arguments; `rawInput` when absent. */
  inputOf?(call: CallFields, name: string): WireRecord | undefined;
  /** The tool that runs the shell line in its argument `command`. */
  readonly shellTool?: string;
  /** The shell line that a call runs, for programs with other arguments. */
  commandOf?(input: WireRecord): string | undefined;
  /** Why the agent wants it. */
  reasonOf?(call: CallFields, input: WireRecord): string | undefined;
  /** Returns the progress of a running call; the text of its content when absent or undefined. */
  progressOf?(update: WireRecord): string | undefined;
  /** The outcome of an ended call; read from its content when absent or undefined. */
  outputOf?(call: CallFields, name: string): ToolOutput | undefined;
}

/** Attributes records to the runs of subagents. */
export interface SubagentRules {
  /** The run of a record that is not about a call seen before. */
  runOf(meta: WireRecord): string | undefined;
  /** Whether the run of a subagent has not ended. */
  isOpen(runId: string): boolean;
  called(rawId: string, call: OpenCall): void;
  /** Registers a piece of text of a run. */
  wrote?(runId: string, text: string): void;
  /** Returns the output of a call, which may end the run of a subagent. */
  answered(rawId: string, call: OpenCall, output: ToolOutput): ToolOutput;
  /** Handles progress of a call; returns whether it did. */
  progress(rawId: string, update: WireRecord): boolean;
  flush(): void;
}

/** A question inside a permission request. */
export interface AskedQuestion {
  readonly question: string;
  readonly options: readonly { readonly label: string; readonly description?: string }[];
  readonly multiple: boolean;
}

/** The way one program uses the protocol. `acpProfile` fills in the defaults. */
export interface AcpProfile {
  /** Its display name, for messages. */
  readonly name: string;
  /** Modes by name: `ask` is set and verified before the first prompt; `unsafe` ones run calls unasked. */
  readonly modes: { readonly ask?: string; readonly yolo?: string; readonly unsafe?: readonly string[] };
  /** Configuration options that decide whether it asks: set and verified like the mode. */
  readonly askOptions?: readonly { readonly id: string; readonly ask: unknown; readonly yolo: unknown }[];
  /** The model to set when the caller names none, for programs that start with another one. */
  readonly model?: (environment: LiveStart['environment']) => string | undefined;
  /** The name of a model, for programs whose ids say more. */
  readonly modelName?: (id: string) => string;
  /** How another model is chosen: as the session offers it, or only by the command line (`start`). */
  readonly switchModel: 'set_model' | 'config_option' | 'offered' | 'start';
  readonly calls: CallRules;
  /** Calls that start subagents whose calls would run unasked: refused, unless everything is allowed. */
  readonly refused?: ReadonlySet<string>;
  readonly subagents?: (context: LineContext) => SubagentRules;
  /** The id of the message that a record belongs to, by its `_meta`. */
  readonly messageIdOf?: (meta: WireRecord) => string | undefined;
  /** Returns the failure in a piece of text that the program wrote itself. */
  readonly failureOf?: (text: string) => string | undefined;
  /** Whether a piece of text may be a failure: it is one when the turn ends after it without usage. */
  readonly mayFail?: (text: string) => boolean;
  /** Pieces of text that are no text: returns the mode they report. */
  readonly modeIn?: (text: string) => string | undefined;
  /** The usage of a turn in the answer to its prompt; counted for the process when `countsProcess` is set. */
  readonly usageOf: (result: WireRecord) => UsedTokens | undefined;
  readonly countsProcess?: boolean;
  /** Whether it reports the result of a rejected call. */
  readonly reportsRejected: boolean;
  /** The option that approves a plan, and its text; undefined when the call asks for no plan. */
  readonly planOf?: (
    call: CallFields,
    options: readonly string[],
  ) => { plan: string | undefined; path?: string; optionId: string } | undefined;
  readonly questionsOf?: (call: CallFields) => readonly AskedQuestion[] | undefined;
  /** How a message joins the open turn. Default: it waits for the next prompt. */
  readonly steering?: (channel: SteeringChannel) => AcpSteering;
  /** Whether the history continues after the response to `session/load`, until `available_commands_update`. */
  readonly historyFollowsLoad?: boolean;
  readonly canFork?: boolean;
  /** Whether this is the name of a session that print mode started, and not its id. */
  readonly isSessionName?: (sessionId: string) => boolean;
  /** Notifications and requests that mean nothing to us. */
  readonly ignored?: ReadonlySet<string>;
  /** Reads a plan that the program keeps in a file; undefined when it must not be read. */
  readonly readPlan?: (path: string, session: SessionPlace) => string | undefined;
  /** How long the load of a session has to wait, because the program would lose it. */
  readonly loadDelayMs?: (session: SessionPlace) => number;
}

/** A session, and the variables that locate its files. */
export interface SessionPlace {
  readonly sessionId: string;
  readonly environment: LiveStart['environment'];
}

/** The profile of one program: how it differs from the defaults. */
export type OwnProfile = Pick<AcpProfile, 'name'> &
  Partial<Omit<AcpProfile, 'calls'>> & { readonly calls?: Partial<CallRules> };

/** The protocol has no tool names: its kinds serve as names, unless a program reports more. */
const usualCalls: CallRules = { nameOf: ({ kind }) => kind ?? 'other', shellTool: 'execute' };

/** Returns the profile of a program: its differences, merged with the defaults. */
export function acpProfile(own: OwnProfile): AcpProfile {
  return {
    modes: {},
    switchModel: 'offered',
    usageOf: result => readTokens(toRecord(result['usage'])),
    reportsRejected: true,
    ...own,
    calls: { ...usualCalls, ...own.calls },
  };
}
