import { openRunsOf } from '../../control/supervision/open-runs.ts';
import { type EventLog, readEvents, type Thread } from '../../log/index.ts';

/** Returns the agent of the newest turn of a thread, or the one it was created for; undefined when there is none. */
export async function threadAgent(log: EventLog, thread: Thread): Promise<string | undefined> {
  const [open] = openRunsOf(thread);
  if (open !== undefined) return open.agentId;
  let newest: string | undefined;
  for await (const event of readEvents(log, thread.id))
    if (event.type === 'harness_start' && event.parentId?.endsWith(':user') === true) newest = event.agentId ?? newest;
  const { agentId } = thread.metadata;
  return newest ?? (typeof agentId === 'string' ? agentId : undefined);
}
