import type { EventOf } from '../../events/vocabulary.ts';
import type { ContentPart } from '../../events/content.ts';
import type { McpServersConfig } from './mcp-server.ts';

/** A message that a user sends during a run. */
export interface UserMessage {
  readonly id: string;
  readonly content: string | readonly ContentPart[];
  /** The name of its author. */
  readonly by?: string;
}

/** The answer to a relay, as stored in the log. */
export type RelayAnswer = Omit<EventOf<'relay_resolved'>, 'type' | 'runId'>;

/** The source of answers to relays. */
export interface Answers {
  /** Resolves with the answer, also an earlier one; rejects when the signal aborts. */
  wait(relayId: string, signal: AbortSignal): Promise<RelayAnswer>;
  /** Closes a relay that its agent no longer waits for, with the reason; does nothing when it has an answer. */
  cancel?(relay: Pick<EventOf<'relay'>, 'id' | 'runId'>, reason: string): Promise<void>;
}

/** MCP servers for the session of an external program, by name. */
export type SessionMcpServers = McpServersConfig['mcpServers'];

/** A session of an external program that contains the first messages of a conversation. */
export interface Session {
  readonly id: string;
  /** The number of messages that the session contains. */
  readonly known: number;
  /** How many parts of its last message it contains, if a user wrote it: later parts may be joined. Default: all. */
  readonly knownParts?: number;
  /** Whether the session belongs to another thread: the run continues in a copy of it, or in a new one. */
  readonly fork?: boolean;
  /** The tokens that earlier runs of the session used according to the log, without those of subagents. */
  readonly used?: UsedTokens;
}

/** Counts of tokens, as in a `usage` event. */
export type UsedTokens = Pick<
  EventOf<'usage'>,
  'inputTokens' | 'outputTokens' | 'cacheReadTokens' | 'cacheWriteTokens' | 'reasoningTokens'
>;

/** Messages that wait until the run adds them. */
export interface Steering {
  /**
   * Returns the messages since the last call, oldest first. The run adds each with a `user` event that has its id; one
   * that it does not add is delivered after the run.
   */
  take(): readonly UserMessage[];
  /** Calls back whenever a message arrives, for agents that can take one at any time. Returns an unsubscribe function. */
  onMessage?(listener: () => void): () => void;
}

/** Stops the subagents of a run one by one. */
export interface ChildStops {
  /** Returns the signal that stops the subagent with this run id. */
  signalFor(runId: string): AbortSignal;
}
