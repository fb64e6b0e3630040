import type { ThreadHistory } from './thread-history.ts';

/** The questions that a worker answers. */
export type HistoryMethod =
  | 'event'
  | 'eventText'
  | 'modelCall'
  | 'requestText'
  | 'timeline'
  | 'rowAt'
  | 'graph'
  | 'graphOverview'
  | 'graphNodeAt'
  | 'graphNeighbour'
  | 'graphSearch'
  | 'repl'
  | 'summary'
  | 'changes'
  | 'track'
  | 'moment';

/** A message to the worker: first the thread, then queries. */
export type HistoryRequest =
  | { readonly threadId: string }
  | { readonly id: number; readonly method: HistoryMethod; readonly argument: unknown };

/** How far a thread is read. */
export interface HistoryStatus {
  /** The newest event that was read. */
  readonly seq: number;
  /** Whether everything that was stored when it was opened is read. */
  readonly isComplete: boolean;
  readonly isConnected: boolean;
  /** Why nothing more is read. */
  readonly problem?: string;
}

/** A message from the worker: its status, or the answer to a query. */
export type HistoryReply =
  | { readonly status: HistoryStatus }
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly problem: string };

/** The argument of a query; null when the method takes none. */
export type HistoryArgument<Method extends HistoryMethod> =
  Parameters<ThreadHistory[Method]> extends [infer Argument] ? Argument : null;
export type HistoryAnswer<Method extends HistoryMethod> = ReturnType<ThreadHistory[Method]>;
