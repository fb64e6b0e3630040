import { cliAdapters } from '../../src/agents/cli/adapters/cli-adapters.ts';
import type { CliAdapter } from '../../src/agents/cli/contract/cli-adapter.ts';
import type { AgentEvent } from '../../src/events/index.ts';
import { type Activity, createActivityState, projectActivity } from '../../src/projections/index.ts';

/** Translates records as one program prints them, to the end of its stream. */
export function translated(agent: string, ...records: unknown[]): AgentEvent[] {
  const translator = (cliAdapters[agent] as CliAdapter).translator({ runId: 'r' });
  const lines = records.map(record => (typeof record === 'string' ? record : JSON.stringify(record)));
  return [...lines.flatMap(line => translator.translate(line)), ...translator.flush()];
}

/** The two events of a failure that ends the run: when it is reported, and fatal at the end. */
export function failure<const Fields extends object>(fields: Fields) {
  return [
    { type: 'error', ...fields },
    { type: 'error', ...fields, fatal: true },
  ];
}

/** The activity of records, as a whole run; without times. */
export function activity(agent: string, ...records: unknown[]): Omit<Activity, 'timestamp'>[] {
  const state = createActivityState();
  const events: AgentEvent[] = [
    { type: 'harness_start', runId: 'r', agentId: agent },
    ...translated(agent, ...records),
    { type: 'harness_end', runId: 'r', agentId: agent },
  ];
  return events
    .flatMap(event => projectActivity(state, event, line => records[line - 1]))
    .map(({ timestamp: _timestamp, ...rest }) => rest);
}
