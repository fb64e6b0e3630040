import type { AgentEvent, EventOf } from '../../events/vocabulary.ts';
import type { ContentPart } from '../../events/content.ts';
import type { ToolOutput } from '../../events/tools.ts';
import type { RunStatus } from '../../graph/conversation/record.ts';
import type { RelayEntry } from '../relay-book.ts';
import type { PagedList } from './paged-list.ts';

/** The status of a call; `unknown` means that it was started and its outcome was lost, `skipped` that it never ran. */
export type CallStatus = 'preparing' | 'waiting' | 'running' | 'done' | 'failed' | 'denied' | 'skipped' | 'unknown';

/** The position of a part in the log. */
interface Placed {
  /** The seq of its first event, when it is from a log. */
  readonly seq?: number;
}

interface Prose<Kind extends string> extends Placed {
  readonly kind: Kind;
  readonly id: string;
  readonly text: string;
}

/** Streamed text or reasoning, its fragments joined. */
export type ProsePart = Prose<'text'> | Prose<'reasoning'>;

/** A user message, or one that steered a running agent. */
export interface UserPart extends Placed {
  readonly kind: 'user';
  readonly id: string;
  /** The id that its sender chose. */
  readonly messageId?: string;
  /** When it was sent, as ISO 8601. */
  readonly ts?: string;
  readonly content: string | readonly ContentPart[];
  /** The author: the name of a person, or of the subagent whose words were passed on. */
  readonly by?: string;
  /** Whether a program wrote it, not a person. */
  readonly automatic?: boolean;
}

/** A relay to a person, with its answer and status. */
export interface RelayPart extends Placed, Pick<RelayEntry, 'id' | 'relay' | 'answer' | 'status' | 'reason'> {
  readonly kind: 'relay';
}

/** A tool call with its progress, results, relays and runs. */
export interface ToolPart extends Placed {
  readonly kind: 'tool';
  readonly id: string;
  readonly name: string;
  readonly status: CallStatus;
  /** When it began and when its result came, as ISO 8601. */
  readonly startedAt?: string;
  readonly endedAt?: string;
  /** Absent while the model writes it, and for a result without a call. */
  readonly input?: unknown;
  /** The arguments as far as the model has written them. */
  readonly inputText: string;
  /** The progress reports of the tool, oldest first; only the newest 200. */
  readonly progress: readonly unknown[];
  readonly output?: ToolOutput;
  /** The results after the first one. */
  readonly laterOutputs: readonly ToolOutput[];
  readonly relays: readonly RelayPart[];
  /** The runs it started, in order. */
  readonly runs: readonly ViewNode[];
  /** Whether the part is folded, without its progress, results and runs. */
  readonly collapsed: boolean;
}

/** Code that was executed. */
export interface ReplPart extends Placed {
  readonly kind: 'repl';
  readonly id: string;
  /** Absent for output without its input. */
  readonly code?: string;
  readonly iteration?: number;
  /** The printed output, in order; `output` has all of it when the execution has ended. */
  readonly printed: readonly { readonly stream: 'stdout' | 'stderr'; readonly text: string }[];
  readonly output?: EventOf<'repl_output'>;
  readonly runs: readonly ViewNode[];
}

/** A run that another one started without a call. */
export interface RunPart extends Placed {
  readonly kind: 'run';
  readonly id: string;
  readonly runs: readonly ViewNode[];
}

/** Any other event, as it is in the log: an error, a warning, tasks, a file, a changed mode … */
export interface FactPart extends Placed {
  readonly kind: 'fact';
  readonly id: string;
  readonly event: AgentEvent;
}

export type ViewPart = ProsePart | UserPart | RelayPart | ToolPart | ReplPart | RunPart | FactPart;

/** One message as a person reads it, or a summary of several. */
export interface ViewNode {
  readonly id: string;
  readonly role: 'user' | 'assistant' | 'system' | 'summary';
  /** Its text, without reasoning. */
  readonly text: string;
  readonly toolCalls: readonly ToolPart[];
  /** Everything in it, in the order in which it began. */
  readonly parts: readonly ViewPart[];
  /** The same parts, for reading some of them without making the rest. */
  readonly partList: PagedList<ViewPart>;
  /** The alternatives to it, itself included, in the order in which they came. */
  readonly siblings: { readonly index: number; readonly count: number; readonly ids: readonly string[] };
  /** Folded: its parts are not here. A summary is folded unless its source is shown. */
  readonly collapsed: boolean;
  readonly runId?: string;
  readonly agentId?: string;
  readonly model?: string;
  readonly status?: RunStatus;
  /** When its run began and ended, as far as that is known. */
  readonly startedAt?: string;
  readonly endedAt?: string;
  /** The kind of memory that the message produces; its text is not addressed to a person. */
  readonly memory?: 'observation' | 'reflection' | 'title';
  /** The message of a person that it answers: it can be tried again. */
  readonly answers?: string;
  /** The messages that a summary covers, in whole or in part. */
  readonly covers?: readonly string[];
}
