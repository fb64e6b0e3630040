import { defined } from '../../events/defined.ts';
import type { ContentPart, EventOf, LoggedEvent } from '../../events/index.ts';
import { type EventLog, followUpPrefix } from '../../log/index.ts';

export interface SteerRequest {
  readonly runId: string;
  /** The id of the message: its note is removed when a run adds it. */
  readonly id: string;
  readonly content: string | readonly ContentPart[];
  /** The person or program that sent it. */
  readonly by?: string;
  /** Notes the message in the thread, so that it is delivered later when the run ends without adding it. */
  readonly note: unknown;
  /** Rejects with `once_conflict`, without any effect, when this key was used in the thread before. */
  readonly once?: string | undefined;
}

/** Sends a message into a run of any process: its owner adds it at the next safe point, once. */
export async function requestSteering(log: EventLog, threadId: string, request: SteerRequest): Promise<void> {
  const { runId, id, content, by, note, once } = request;
  const parts = typeof content === 'string' ? content : [...content];
  const metadata = { [followUpPrefix + id]: note };
  await log.append(threadId, [{ type: 'steer_requested', runId, id, content: parts, ...defined({ by }) }], {
    metadata,
    ...defined({ once }),
  });
}

/** Metadata that removes the note of a message that a run added. */
export function noSteerNote(id: string): Record<string, unknown> {
  return { [followUpPrefix + id]: null };
}

/** The requested messages of a run that are not added yet, from the events of its thread. */
export class UnreadRequests {
  readonly #runId: string;
  readonly #unread = new Map<string, EventOf<'steer_requested'>>();

  constructor(runId: string) {
    this.#runId = runId;
  }

  take(event: LoggedEvent): void {
    if (event.type === 'steer_requested' && event.runId === this.#runId) this.#unread.set(event.id, event);
    if (event.type === 'user' && event.id !== undefined) this.#unread.delete(event.id);
  }

  get all(): readonly EventOf<'steer_requested'>[] {
    return [...this.#unread.values()];
  }
}
