import { defined } from '../../../base/defined.ts';
import { environmentFor, policyFor } from '../../process/environment.ts';
import type { HostParams } from '../../contract/agent.ts';
import { serverSegments } from '../../mcp/tool-names.ts';
import type { LiveAdapter, LiveStart } from '../contract/live-channel.ts';
import type { LiveRunOptions } from './live-run.ts';
import type { SessionUse } from '../sessions/hand-over.ts';
import type { LiveSessionOptions } from './live-session.ts';
import type { SessionOpening } from './session-claims.ts';
import { openTimeout } from './session-problems.ts';

/** How long a session may take to open, in milliseconds; a local server takes long at its first start. */
const openLimits: Readonly<Record<LiveAdapter['transport'], number>> = { stdio: 60_000, serve: 180_000 };

type SessionContext = Pick<LiveRunOptions, 'adapter' | 'live' | 'options' | 'params'>;

/** Returns how the program of a run is started; with a session id, it resumes or forks that session. */
export function sessionOptions(
  { adapter, live, options, params }: SessionContext,
  { sessionId, fork, path: sessionPath, runMark }: SessionOpening & { readonly runMark: string | undefined },
): LiveSessionOptions {
  const { cwd = process.cwd(), yolo, extraArgs, env, executable, stopStepMs = 600 } = options;
  const model = params.run.model ?? options.model;
  const mode = modeOf({ live, options, params });
  const policy = policyFor(options.environment, params.conversation);
  const needed = adapter.environment;
  const mcpServers = toSessionServers(params.host.mcpServers);
  const openMs = options.openTimeoutMs ?? openLimits[live.transport];
  return {
    live,
    start: {
      cwd,
      environment: environmentFor(process.env, { policy, needed, set: env }),
      ...defined({ model, sessionId, sessionPath, fork, mode, yolo, extraArgs, mcpServers }),
    },
    process: command => ({
      command: executable ?? adapter.executable,
      args: command.args,
      cwd,
      env: environmentFor(process.env, { policy, needed, set: { ...command.env, ...env } }),
      runMark,
      stopStepMs,
    }),
    openLimit: { ms: openMs, problem: openTimeout(adapter, openMs) },
  };
}

/** How a run uses its program, to choose and to write sessions. */
export function sessionUse({ adapter, options, params }: SessionContext, signal: AbortSignal): SessionUse {
  const { cwd = process.cwd(), env: set, sessionFolder: folder, executable = adapter.executable } = options;
  const policy = policyFor(options.environment, params.conversation);
  const environment = environmentFor(process.env, { policy, needed: adapter.environment, set });
  const { runId } = params.run;
  const { runMark } = params.host;
  const model = params.run.model ?? options.model;
  return { adapter, channel: 'live', folder, cwd, model, executable, environment, runId, runMark, signal };
}

/** The key of a warm session: a program is used again only with the settings it was started with. */
export function sessionKey({ adapter, live, options, params }: SessionContext, sessionId: string): string {
  const { cwd = process.cwd(), yolo, extraArgs, env, executable } = options;
  const mode = live.abilities.switchMode ? undefined : modeOf({ live, options, params });
  const model = live.abilities.switchModel ? undefined : (params.run.model ?? options.model);
  const environment = policyFor(options.environment, params.conversation);
  const { mcpServers } = params.host;
  const started = { cwd, yolo, extraArgs, env, environment, executable, model, mode, mcpServers };
  return JSON.stringify([adapter.id, sessionId, started]);
}

/** Returns servers under names that every program takes. */
function toSessionServers(servers: HostParams['mcpServers'] = {}): LiveStart['mcpServers'] {
  const names = serverSegments(Object.keys(servers));
  const renamed = Object.entries(servers).map(([name, server]) => [names.get(name) ?? name, server] as const);
  return renamed.length === 0 ? undefined : Object.fromEntries(renamed);
}

/** The program's mode of a run: the agent's own, or that of the thread when the program has it; undefined for the normal one. */
export function modeOf({
  live,
  options,
  params,
}: Pick<SessionContext, 'live' | 'options' | 'params'>): string | undefined {
  if (options.mode !== undefined) return options.mode;
  const [normal, ...others] = live.modes ?? [];
  return params.run.mode !== normal?.id && others.some(({ id }) => id === params.run.mode)
    ? params.run.mode
    : undefined;
}
