import { defined } from '../../events/defined.ts';
import * as z from 'zod';
import { allThreads, type EventLog, openRunPrefix, type Thread } from '../../log/index.ts';

const openRun = z.object({
  runId: z.string(),
  agentId: z.string(),
  parentId: z.string(),
  model: z.string().optional(),
  owner: z.string().optional(),
});

/** A run that was started and is not known to have ended. The log is authoritative; this is an index. */
export interface OpenRun {
  readonly runId: string;
  readonly agentId: string;
  readonly parentId: string;
  readonly model?: string;
  /** The process that started or resumed it, as named in leases. */
  readonly owner?: string;
}

/** Metadata that marks a run as open, so that a later process finds it without reading every log. */
export function openRunNote(run: OpenRun): Record<string, unknown> {
  return noteOf(run.runId, run);
}

/** Metadata that removes the mark. */
export function noOpenRun(runId: string): Record<string, unknown> {
  return noteOf(runId, null);
}

function noteOf(runId: string, value: OpenRun | null): Record<string, unknown> {
  // A null prototype makes it a dictionary: unique keys create no hidden classes in the engine.
  const note = Object.create(null) as Record<string, unknown>;
  note[openRunPrefix + runId] = value;
  return note;
}

export function openRunsOf(thread: Thread): OpenRun[] {
  return Object.entries(thread.metadata).flatMap(([key, value]) => {
    const parsed = key.startsWith(openRunPrefix) ? openRun.safeParse(value) : undefined;
    if (!parsed?.success) return [];
    const { model, owner, ...run } = parsed.data;
    return [{ ...run, ...defined({ model }), ...defined({ owner }) }];
  });
}

/** Finds the thread in which a run is open, in any process; only within the resource, if one is given. */
export async function threadOfOpenRun(log: EventLog, runId: string, resourceId?: string): Promise<Thread | undefined> {
  for await (const thread of allThreads(log, { openRuns: true, resourceId }))
    if (openRunsOf(thread).some(run => run.runId === runId)) return thread;
  return undefined;
}
