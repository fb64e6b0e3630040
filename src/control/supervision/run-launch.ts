import type { Agent, UserMessage } from '../../agents/agent.ts';
import { defined } from '../../events/defined.ts';
import type { ContentPart } from '../../events/index.ts';
import type { OpenRun } from './open-runs.ts';
import type { EndNote, StartOptions } from './run-control.ts';

/** A run to start. */
export interface NewRun {
  readonly agent: Agent;
  readonly parentId: string;
  readonly model: string | undefined;
  readonly note?: EndNote | undefined;
  readonly metadata?: StartOptions['metadata'] | undefined;
  /** The newest event of the thread, when no event requests the run. */
  readonly startAfter?: number;
}

/** A run to start or resume. */
export interface RunLaunch {
  readonly threadId: string;
  readonly open: OpenRun;
  readonly agent: Agent | undefined;
  readonly note: EndNote | undefined;
  readonly isNew: boolean;
}

/** Joins messages to one, with its author when all have the same; undefined when they are empty. */
export function joinMessages(
  messages: readonly UserMessage[],
): { readonly content: ContentPart[]; readonly by?: string } | undefined {
  const content = messages.flatMap(message => partsOf(message.content));
  const [by, ...others] = new Set(messages.map(message => message.by));
  return content.length === 0 ? undefined : { content, ...(others.length === 0 && defined({ by })) };
}

function partsOf(content: string | readonly ContentPart[]): readonly ContentPart[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

/** Thrown when a run that is to be launched has ended. */
export const finished: Error = new Error('The run is over.');

/** Rethrows every error except `finished`. */
export function ignoreFinished(error: unknown): undefined {
  if (error !== finished) throw error;
}
