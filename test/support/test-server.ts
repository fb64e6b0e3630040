import type { Agent } from '../../src/agents/contract/agent.ts';
import { Supervisor } from '../../src/control/supervision/supervisor.ts';
import { type EventLog, MemoryLog } from '../../src/log/index.ts';
import { type RunningServer, type ServerOptions, startServer } from '../../src/server/index.ts';

export interface TestServer extends RunningServer {
  readonly log: EventLog;
  readonly control: Supervisor;
}

/** A server on a free port over a log in memory, with these agents; `close` ends runs and log too. */
export async function startTestServer(
  agents: readonly Agent[],
  options: Partial<Omit<ServerOptions, 'control' | 'agents'>> = {},
): Promise<TestServer> {
  const { log = new MemoryLog(), ...rest } = options;
  const control = new Supervisor({ log, agents });
  const server = await startServer({
    log,
    control,
    agents: {
      list: () => agents.map(({ id }) => ({ id, name: id, models: ['scripted/one', 'scripted/two'] })),
      get: id => agents.find(agent => agent.id === id),
    },
    port: 0,
    ...rest,
  });
  const close = async () => {
    await server.close();
    await control.close();
    await log.close();
  };
  return { ...server, close, log, control };
}
