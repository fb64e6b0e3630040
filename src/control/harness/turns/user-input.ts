import type { UserMessage } from '../../../agents/contract/host.ts';
import type { ContentPart } from '../../../events/content.ts';
import { newId } from '../../../events/ids.ts';
import type { RequestContext } from '../tools/request-context.ts';
import type { RunTrace } from '../../../events/trace-context.ts';

/** A message of a person. */
export interface UserInput {
  readonly content: string | readonly ContentPart[];
  readonly requestContext?: RequestContext | undefined;
  /** The requested trace of its run. */
  readonly trace?: Partial<RunTrace> | undefined;
  /** Its message id; a new one by default. */
  readonly id?: string;
  /** Whether it waits in the log: another process may have delivered it, or a person withdrawn it. */
  readonly isStored?: boolean;
}

/** A message that is being sent. */
export interface PendingSend {
  /** Resolves with the run that receives it; empty when none does. */
  readonly runId: () => Promise<string>;
  /** Resolves when its turn is over; for an injected message when that turn has started. */
  readonly done: Promise<void>;
}

/** Converts input to a message for a run. */
export function messageOf({ content, id = newId() }: UserInput): UserMessage {
  return { id, content };
}
