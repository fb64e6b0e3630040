import * as z from 'zod';
import { allThreads, type EventLog, openRunPrefix, type Thread } from '../../log/index.ts';

const openRun = z.object({
  runId: z.string(),
  agentId: z.string(),
  parentId: z.string(),
  model: z.string().optional(),
  owner: z.string().optional(),
});

/** A run that was started and, as far as is known, has not ended. The log decides; this only says where to look. */
export interface OpenRun {
  readonly runId: string;
  readonly agentId: string;
  readonly parentId: string;
  readonly model?: string;
  /** The process that started or resumed it, as it is named in leases. */
  readonly owner?: string;
}

/** Notes in a thread's metadata that a run is open, so that a later process finds it without reading every log. */
export function openRunNote(run: OpenRun): Record<string, unknown> {
  return noteOf(run.runId, run);
}

/** Takes the note away. */
export function noOpenRun(runId: string): Record<string, unknown> {
  return noteOf(runId, null);
}

function noteOf(runId: string, value: OpenRun | null): Record<string, unknown> {
  // No two runs have a key in common: without a prototype it is a dictionary, and leaves no trace in the engine.
  const note = Object.create(null) as Record<string, unknown>;
  note[openRunPrefix + runId] = value;
  return note;
}

export function openRunsOf(thread: Thread): OpenRun[] {
  return Object.entries(thread.metadata).flatMap(([key, value]) => {
    const parsed = key.startsWith(openRunPrefix) ? openRun.safeParse(value) : undefined;
    if (!parsed?.success) return [];
    const { model, owner, ...run } = parsed.data;
    return [{ ...run, ...(model !== undefined && { model }), ...(owner !== undefined && { owner }) }];
  });
}

/** Finds the thread in which a run is open, in whatever process; one of another resource is not found. */
export async function threadOfOpenRun(log: EventLog, runId: string, resourceId?: string): Promise<Thread | undefined> {
  for await (const thread of allThreads(log, { openRuns: true, resourceId }))
    if (openRunsOf(thread).some(run => run.runId === runId)) return thread;
  return undefined;
}
