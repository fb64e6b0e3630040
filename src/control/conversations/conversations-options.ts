import * as z from 'zod';
import type { Clock } from '../../agents/clock.ts';
import { optionsCheck } from '../../base/options/check-options.ts';
import { callback, clock, eventLog, having, name, signal } from '../../base/options/option-fields.ts';
import type { EventLog } from '../../log/event-log.ts';
import type { OnDiagnostic } from '../../base/diagnostics.ts';
import type { RunControl, RunHandle } from '../supervision/run-control.ts';
import type { OfferedAgents, SentMessage } from './sent-message.ts';

export interface ConversationsOptions {
  readonly log: EventLog;
  /** Starts and ends runs; a `new Supervisor({ log })` by default, which has no agents to resume runs with. */
  readonly control?: RunControl | undefined;
  /** The agents that answer; none by default. */
  readonly agents?: OfferedAgents | undefined;
  /** The folder with the snapshots of the coding agent; without it nothing can be undone. */
  readonly snapshots?: string | undefined;
  /** Whether the title of a conversation is made after its first turn, by the program or a model; by default it has the first words. */
  readonly titles?: 'model' | 'message' | undefined;
  /** Ends the delivery of waiting messages. */
  readonly signal?: AbortSignal | undefined;
  /** Times retries and the search for waiting messages; the machine's clock by default. */
  readonly clock?: Clock | undefined;
  /** Receives failures of deliveries, which are tried again; nobody by default. */
  readonly onDiagnostic?: OnDiagnostic | undefined;
}

/** Throws `invalid_argument` for options that are unknown, missing or invalid. */
export const checkConversationsOptions = optionsCheck<ConversationsOptions>('new Conversations')(() => ({
  log: eventLog(),
  control: having(['start', 'steer', 'answer', 'abort'], 'a `new Supervisor({ log })`').optional(),
  agents: having(['list', 'get'], 'an object with `list` and `get`').optional(),
  snapshots: name().optional(),
  titles: z.enum(['model', 'message']).optional(),
  signal: signal().optional(),
  clock: clock().optional(),
  onDiagnostic: callback().optional(),
}));

/** A change of a waiting message. */
export interface QueueChange {
  readonly content?: SentMessage['content'] | undefined;
  /** The waiting message to put it before; null puts it last. */
  readonly before?: string | null | undefined;
  /** Whether the queue is held while a person edits: nothing is delivered for a minute, or until it is released. */
  readonly isHeld?: boolean | undefined;
}

/** How lists show a thread. */
export interface ThreadLabels {
  readonly title?: string | undefined;
  /** Whether lists show it first. */
  readonly isPinned?: boolean | undefined;
  /** Whether lists hide it. */
  readonly isArchived?: boolean | undefined;
}

/** A waiting message that began a turn. */
export interface Delivered {
  readonly messageId: string;
  readonly run: RunHandle;
}
