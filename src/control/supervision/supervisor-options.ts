import type { Agent } from '../../agents/agent.ts';
import type { EventLog } from '../../log/index.ts';
import type { ThreadMemory } from '../thread-memory.ts';
import type { Clock } from './clock.ts';
import type { OpenRun } from './open-runs.ts';

export interface SupervisorOptions {
  readonly log: EventLog;
  /** The agents that open runs of a process that ended may belong to, or what finds the agent of such a run. */
  readonly agents?: readonly Agent[] | AgentFinder;
  /** Takes over only runs of this resource; of all when absent. */
  readonly resourceId?: string;
  /** Who holds the threads; another name for every supervisor. Made from the process when absent. */
  readonly owner?: string;
  /** How long a thread stays ours after a sign of life, in milliseconds; 15,000 when absent. */
  readonly leaseMs?: number;
  /** How long an agent that was told to stop may take; 2,000 when absent. */
  readonly graceMs?: number;
  /** Makes the ids of runs, each another one: a run with one that its thread has is refused. Ours when absent. */
  readonly newRunId?: () => string;
  /** What is known of the threads; its own when absent. */
  readonly memory?: ThreadMemory;
  /** Warns in the log about events that come in an illegal order; in development mode (`NODE_ENV`) when absent. */
  readonly checkOrder?: boolean;
  /** Times the look for runs without an owner; the system's clock, which keeps no process alive, when absent. */
  readonly clock?: Clock;
  /** Reports in one line that the log cannot be written, or can again; to stderr when absent. */
  readonly report?: (line: string) => void;
}

/** Finds the agent that resumes an open run; undefined when the run cannot be resumed. */
export type AgentFinder = (run: OpenRun, threadId: string) => Agent | undefined;

/** How long a thread stays with a process after a sign of life, in milliseconds, when nothing else is said. */
export const defaultLeaseMs = 15_000;
