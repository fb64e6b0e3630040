import { defined } from '../../../base/defined.ts';
import { environmentFor, policyFor } from '../../process/environment.ts';
import type { HostParams, InvokeParams } from '../../contract/agent.ts';
import type { EventChannel } from '../../run/event-channel.ts';
import type { Semaphore } from '../../semaphore.ts';
import type { CliAgentOptions } from '../agent/cli-agent-options.ts';
import type { CliAdapter } from '../contract/cli-adapter.ts';
import { serverSegments } from '../../mcp/mcp-tools.ts';
import type { LiveAdapter, LiveStart, SessionProblem } from '../contract/live-channel.ts';
import type { SessionUse } from '../sessions/session-record.ts';
import type { LiveSessionOptions } from './live-session.ts';
import type { SessionPool } from './session-pool.ts';

export interface LiveRunOptions {
  readonly adapter: CliAdapter;
  readonly live: LiveAdapter;
  readonly options: Omit<CliAgentOptions, 'sessions' | 'semaphore'> & {
    readonly sessions: SessionPool;
    readonly semaphore: Semaphore;
  };
  readonly params: InvokeParams;
  readonly events: EventChannel;
}

/** How long a session may take to open, in milliseconds; a local server takes long at its first start. */
const openLimits: Readonly<Record<LiveAdapter['transport'], number>> = { stdio: 60_000, serve: 180_000 };

type SessionContext = Pick<LiveRunOptions, 'adapter' | 'live' | 'options' | 'params'>;

/** The session that a program opens; a new one without an id. */
interface SessionStart {
  readonly sessionId: string | undefined;
  readonly fork: boolean | undefined;
  readonly path: string | undefined;
  readonly runMark: string | undefined;
}

/** Returns how the program of a run is started; with a session id, it resumes or forks that session. */
export function sessionOptions(
  { adapter, live, options, params }: SessionContext,
  { sessionId, fork, path: sessionPath, runMark }: SessionStart,
): LiveSessionOptions {
  const { cwd = process.cwd(), yolo, extraArgs, env, executable, stopStepMs = 600 } = options;
  const model = params.run.model ?? options.model;
  const mode = getMode({ live, options, params });
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
    openLimit: { ms: openMs, problem: describeTimeout(adapter, openMs) },
  };
}

/** The problem of a program that does not open its session in time. */
function describeTimeout({ name, executable, isLiveOnly }: CliAdapter, ms: number): SessionProblem {
  const print = isLiveOnly === true ? '' : ', or use print mode (--print, `channel: "print"`), which asks nobody';
  const message = `${name} did not open its session within ${ms / 1000} s, which is its limit, and was ended. Start "${executable}" in a terminal to see what it waits for, or raise the limit (\`openTimeoutMs\`)${print}.`;
  return { message, code: 'open_timeout' };
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
  const mode = live.abilities.switchMode ? undefined : getMode({ live, options, params });
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

/** Returns the program's mode for a run: that of the agent, or of the thread if supported; undefined by default. */
export function getMode({
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
