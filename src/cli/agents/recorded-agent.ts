import type { Agent } from '../../agents/agent.ts';
import type { InvokeParams } from '../../agents/invoke-params.ts';
import type { AgentEvent } from '../../events/index.ts';
import type { RawLine } from '../../log/index.ts';
import { RunRecord } from '../run/run-record.ts';
import { RunTotals } from '../run/run-totals.ts';

/** Wraps an agent so that each of its runs is also recorded in a folder. */
export function recordedAgent(agent: Agent, folderOf: (runId: string) => string): Agent {
  async function* invoke(params: InvokeParams): AsyncGenerator<AgentEvent> {
    const { runId } = params.run;
    const record = await RunRecord.open(folderOf(runId), { isResumed: params.run.resume !== undefined });
    const totals = new RunTotals();
    const description = { runId, agent: agent.id, startedAt: new Date().toISOString() };
    await record.describe({ ...description, outcome: 'running' });
    const raw = async (line: RawLine) => {
      await params.host.raw?.(line);
      await record.raw(line);
    };
    let isClosed = false;
    const close = async (outcome: string) => {
      if (isClosed) return;
      isClosed = true;
      const { usage, error } = totals;
      const { inputTokens, outputTokens, cost } = usage;
      const endedAt = new Date().toISOString();
      await record.describe({ ...description, endedAt, outcome, usage: { inputTokens, outputTokens, cost }, error });
      await record.close();
    };
    try {
      for await (const event of agent.invoke({ ...params, host: { ...params.host, raw } })) {
        totals.add(event);
        await record.event({ ...event, ts: event.ts ?? new Date().toISOString() });
        // A consumer of the last event may not request another one.
        if (event.type === 'harness_end' && event.runId === runId) await close(event.reason ?? 'complete');
        yield event;
      }
    } finally {
      await close('aborted');
    }
  }
  return { ...agent, invoke };
}
