import { resumeCommand } from '../../control/conversations/conversation-reader.ts';
import { findInterruptedRun } from '../../control/supervision/open-runs.ts';
import type { EventLog, Thread } from '../../log/event-log.ts';

/** The threads whose run no live process owns, each with the command that resumes it. */
export type InterruptedThreads = ReadonlyMap<string, string>;

/** Finds the threads among some whose run no live process owns. */
export async function findInterrupted(log: EventLog, threads: readonly Thread[]): Promise<InterruptedThreads> {
  const found = new Map<string, string>();
  for (const thread of threads) {
    const run = found.has(thread.id) ? undefined : await findInterruptedRun(log, thread);
    if (run !== undefined) found.set(thread.id, resumeCommand(run.agentId, thread.id));
  }
  return found;
}

/** The fields of a thread in JSON when it is interrupted. */
export function interruptedFields(interrupted: InterruptedThreads, threadId: string): object {
  const resume = interrupted.get(threadId);
  return resume === undefined ? {} : { status: 'interrupted', resume };
}

/** The line with the commands that resume interrupted threads; empty when there are none. */
export function resumeLines(interrupted: InterruptedThreads): string {
  return [...interrupted.values()].map(command => `  ${command}\n`).join('');
}
