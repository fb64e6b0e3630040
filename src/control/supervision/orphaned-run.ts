import { endOpenRuns } from '../../agents/subagents/child-run.ts';
import type { AgentEvent } from '../../events/vocabulary.ts';
import type { RunState } from '../../projections/run-state.ts';
import type { ActiveThread } from './active-thread.ts';
import { cancelRelays } from './resolve-relay.ts';
import { LostCalls } from './lost-calls.ts';
import type { OpenRun } from './open-runs.ts';

/** Ends an orphaned run and its child runs: cancels their relays, closes calls of an external agent, and logs the reason. */
export async function endOrphanedRun(
  thread: ActiveThread,
  { runId, agentId, parentId }: OpenRun,
  {
    state,
    reason,
    isExternal = false,
  }: {
    readonly state: RunState | undefined;
    readonly reason: 'aborted' | 'interrupted';
    readonly isExternal?: boolean | undefined;
  },
): Promise<void> {
  const lostCalls = isExternal ? new LostCalls(state) : undefined;
  const put = async (event: AgentEvent) => {
    if (event.type === 'harness_end') await cancelRelays(thread, event.runId);
    if (event.type === 'harness_end')
      for (const result of lostCalls?.close(event.runId, reason) ?? []) await thread.writer.write(result);
    await thread.writer.write(event);
  };
  if (state?.agentId === undefined) await put({ type: 'harness_start', runId, agentId, parentId });
  if (reason === 'interrupted') {
    const message = `The process of "${agentId}" ended, and the run cannot be resumed.`;
    await put({ type: 'warning', runId, message, code: 'interrupted' });
  }
  await endOpenRuns(state === undefined ? { runId, agentId, children: new Map() } : { ...state, agentId }, put, reason);
}
