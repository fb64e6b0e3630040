import type { LoggedEvent } from '../../events/vocabulary.ts';
import { type ThreadView } from '../../terminal/session/run-screen.ts';
import { ThreadPrinter } from '../threads/thread-printer.ts';
import { standardOutput } from '../../control/standard-output.ts';

/** How the answer to a message ended: the reason of its run, or `unread` when the active run ended without it. */
export type AnswerEnd = NonNullable<Extract<LoggedEvent, { type: 'harness_end' }>['reason']> | 'unread' | 'stopped';

export interface SentInto {
  readonly messageId: string;
  /** The run that was active when it was sent; absent when it starts one. */
  readonly activeRunId?: string;
  /** Whether another process starts a run for a message that the active run did not read. */
  readonly isDeliveredLater?: boolean;
}

/** Prints the events that follow those of a view, until the run that answers a message has ended; as JSON without a view. */
export async function followAnswer(
  events: AsyncIterable<LoggedEvent>,
  { messageId, activeRunId, isDeliveredLater = false }: SentInto,
  view: ThreadView | undefined,
): Promise<AnswerEnd> {
  const printer = view && new ThreadPrinter({ view, cwd: process.cwd(), isFollowed: true });
  let answering: string | undefined;
  let cause: string | undefined;
  try {
    for await (const event of events) {
      if (!(await (printer?.take(event) ?? standardOutput.writeJson(event)))) return 'stopped';
      if (event.type === 'user' && event.id === messageId) {
        if (event.runId === activeRunId) answering = activeRunId;
        else cause = `${event.runId}:user`;
      }
      if (event.type === 'harness_start' && cause !== undefined && event.parentId === cause) answering = event.runId;
      if (event.type !== 'harness_end') continue;
      if (event.runId === answering) return event.reason ?? 'complete';
      if (event.runId === activeRunId && cause === undefined && !isDeliveredLater) return 'unread';
    }
    return 'stopped';
  } finally {
    await printer?.close();
  }
}
