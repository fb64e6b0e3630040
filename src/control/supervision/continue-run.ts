import type { Agent } from '../../agents/contract/agent.ts';
import type { EventLog } from '../../log/event-log.ts';
import type { RunHandle } from './run-control.ts';
import { Supervisor } from './supervisor.ts';

/** Resumes an open run in this process. */
export function continueRun(
  agent: Agent,
  log: EventLog,
  { threadId, runId }: { threadId: string; runId: string },
): Promise<RunHandle> {
  return new Supervisor({ log, agents: [agent] }).continue(threadId, runId);
}
