import * as z from 'zod';
import type { EventLog, Thread } from '../log/index.ts';

const openRun = z.object({
  runId: z.string(),
  agentId: z.string(),
  parentId: z.string(),
  model: z.string().optional(),
});

/** A run that was started and, as far as is known, has not ended. The log decides; this only says where to look. */
export type OpenRun = { runId: string; agentId: string; parentId: string; model?: string };

const prefix = 'run:';

/** Notes in the thread's metadata that a run is open, so that a later process finds it without reading every log. */
export async function markOpenRun(log: EventLog, threadId: string, run: OpenRun): Promise<void> {
  await log.updateThread(threadId, { metadata: { [prefix + run.runId]: run } });
}

export async function clearOpenRun(log: EventLog, threadId: string, runId: string): Promise<void> {
  await log.updateThread(threadId, { metadata: { [prefix + runId]: null } });
}

export function openRunsOf(thread: Thread): OpenRun[] {
  return Object.entries(thread.metadata).flatMap(([key, value]) => {
    const parsed = key.startsWith(prefix) ? openRun.safeParse(value) : undefined;
    if (!parsed?.success) return [];
    const { model, ...run } = parsed.data;
    return [{ ...run, ...(model !== undefined && { model }) }];
  });
}
