import type { ContentPart, EventOf, ToolOutput } from '../events/index.ts';

interface Placed {
  /** The seq of its first event: unique in the thread and stable. */
  readonly seq: number;
  /** The step of its run it was made in; absent before the first. */
  readonly step?: number;
}

export interface UserItem extends Placed {
  readonly kind: 'user';
  readonly content: string | readonly ContentPart[];
}

interface Prose<Kind extends string> extends Placed {
  readonly kind: Kind;
  readonly id: string;
  readonly content: string;
}

/** Streamed text or reasoning, its fragments joined. */
export type ProseItem = Prose<'text'> | Prose<'reasoning'>;

/** What was asked of a person, and the answer once there is one. */
export interface RelayItem extends Placed {
  readonly kind: 'relay';
  readonly id: string;
  readonly runId: string;
  readonly relay: EventOf<'relay'>;
  readonly resolved?: EventOf<'relay_resolved'>;
}

/** A tool call, with everything that came of it. */
export interface ToolItem extends Placed {
  readonly kind: 'tool';
  readonly id: string;
  readonly name: string;
  /** The arguments as far as the model has written them. */
  readonly inputText: string;
  readonly call?: { readonly input: unknown };
  readonly started: boolean;
  /** What the tool reported, newest last; only the latest reports are kept. */
  readonly progress: readonly unknown[];
  readonly output?: ToolOutput;
  /** The relay the call waits or waited for. */
  readonly relay?: RelayItem;
}

/** Code that was executed. */
export interface ReplItem extends Placed {
  readonly kind: 'repl';
  readonly id: string;
  readonly code: string;
  readonly printed: string;
  readonly ended: boolean;
  readonly error?: string;
}

export interface TasksItem extends Placed {
  readonly kind: 'tasks';
  readonly tasks: EventOf<'tasks'>['tasks'];
}

/** One line about the run. */
export interface NoticeItem extends Placed {
  readonly kind: 'notice';
  readonly level: 'info' | 'warning' | 'error';
  readonly message: string;
}

/** What a run put into the thread, in the order it began. */
export type Item = UserItem | ProseItem | RelayItem | ToolItem | ReplItem | TasksItem | NoticeItem;

/** An item that can stand between the runs. */
export type LooseItem = UserItem | TasksItem | NoticeItem;

export type RunStatus = 'running' | NonNullable<EventOf<'harness_end'>['reason']>;

/** One run and its items. */
export interface Run {
  readonly runId: string;
  /** The seq of its first event. */
  readonly seq: number;
  readonly agentId?: string;
  readonly model?: string;
  readonly parentId?: string;
  readonly status: RunStatus;
  /** The newest step. */
  readonly step?: number;
  /** Whether it tells when a tool starts: then a call that was not started did not run. */
  readonly tellsStart: boolean;
  readonly items: readonly Item[];
}

/** Tokens of the whole thread, subagents included. */
export interface UsageTotal {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Absent when no cost was reported. */
  readonly cost?: number;
}
