import { defined } from '../../../base/defined.ts';
import type { AgentEvent } from '../../../events/vocabulary.ts';
import { SingletreeError } from '../../../base/singletree-error.ts';
import type { RawLine } from '../../../log/event-log.ts';
import type { CallableAgent } from '../../contract/agent.ts';
import { toInvokeParams } from '../../contract/invoke-params.ts';
import { adapterNamed } from '../adapters/adapter-named.ts';
import type { CliAdapter } from '../contract/cli-adapter.ts';
import { checkCliAgentOptions } from './cli-agent-fields.ts';
import type { Clock } from '../../clock.ts';
import { frozenEvents } from '../../frozen-events.ts';
import { Semaphore } from '../../semaphore.ts';
import type { EnvironmentPolicy } from '../../process/environment.ts';
import { EventChannel } from '../../loop/event-channel.ts';
import type { HandOverCompaction } from '../sessions/fit-history.ts';
import { stopWith } from '../../loop/stop-with.ts';
import type { PermissionRuleSet, Policy } from '../../contract/permissions.ts';
import { toRuleSet } from '../../permissions/check-sources.ts';
import { withRun } from '../../run-agent.ts';
import { PrintRun } from './print-run.ts';
import { LiveRun, type LiveRunOptions } from '../live/live-run.ts';
import { notRun } from '../live/resumed-run.ts';
import { SessionPool } from '../live/session-pool.ts';

export interface CliAgentOptions {
  /** The working directory. Default: the current one. */
  readonly cwd?: string;
  readonly model?: string;
  /** Lets it do everything without asking. */
  readonly yolo?: boolean;
  /** Further flags, passed unchanged. */
  readonly extraArgs?: readonly string[];
  /** Variables to add to its environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** Which variables of this process it gets. Default: the few that any program needs, and its own. */
  readonly environment?: EnvironmentPolicy;
  /** The program to run instead of the one in the PATH. */
  readonly executable?: string;
  /** The time limit of a run, in milliseconds. Default: none. */
  readonly timeoutMs?: number;
  /** The time limit without output, in milliseconds. Default: none. */
  readonly idleTimeoutMs?: number;
  /**
   * The time limit until its session is open over the live channel, in milliseconds. Default: 60,000; 180,000 for a
   * program that is used as a local server.
   */
  readonly openTimeoutMs?: number;
  /** The time until it is stopped after it reported its end. Default: 10,000. */
  readonly settleMs?: number;
  /** The time after each of SIGINT and SIGTERM before the next signal. Default: 600. */
  readonly stopStepMs?: number;
  /** Receives every raw line, beside the caller of the run; the run waits for it. */
  readonly onRaw?: (runId: string, line: RawLine) => Promise<void> | void;
  /** Limits concurrent runs. Default: at most four external agents of a process at the same time. */
  readonly semaphore?: Semaphore;
  /**
   * How the program is used: `print` runs it once per request and nobody can be asked; `live` keeps it running and asks.
   * Default: `live` when the program has such a channel and somebody can answer.
   */
  readonly channel?: 'print' | 'live';
  /** The program's own mode over its live channel, such as `plan`. */
  readonly mode?: string;
  /** Which calls run without asking over the live channel: rules, or one policy for every call. Default: the rules of the caller; without any, none. */
  readonly permissions?: PermissionRuleSet | Policy;
  /** Keeps programs running for the next turn of their session. Default: one pool of four for this process. */
  readonly sessions?: SessionPool;
  /**
   * The folder of sessions that are written for the program, so that it continues a conversation with other agents with
   * every call and result. Default: none, the conversation is written into the prompt.
   */
  readonly sessionFolder?: string;
  /** How a conversation that is too long for the program's model is shortened before it is handed over. */
  readonly compaction?: HandOverCompaction;
  /** Measures the limits of a run over the live channel. Default: the system clock. */
  readonly clock?: Clock;
}

const sharedSemaphore = new Semaphore(4);
const sharedSessions = new SessionPool();

/**
 * Creates an agent for an external coding agent: one that is built in, by its name, or one of `defineCliAgent`. Throws
 * `invalid_argument` when the name or an option is unknown or invalid or the program has no live channel that is required,
 * `invalid_permission_rule` for invalid rules.
 */
export function cliAgent(agent: string | CliAdapter, options: CliAgentOptions = {}): CallableAgent {
  checkCliAgentOptions(options);
  return externalAgent(adapterNamed(agent), options);
}

/** Creates an agent for a program that an adapter describes. */
export function externalAgent(adapter: CliAdapter, options: CliAgentOptions = {}): CallableAgent {
  const { live } = adapter;
  const { channel, permissions, sessions = sharedSessions, semaphore = sharedSemaphore } = options;
  if (permissions !== undefined) toRuleSet(permissions);
  if (channel === 'live' && live === undefined)
    throw new SingletreeError('invalid_argument', `${adapter.name} has no live channel. Use the channel "print".`);
  if (channel === 'print' && adapter.isLiveOnly === true)
    throw new SingletreeError('invalid_argument', `${adapter.name} has no print mode. Use the channel "live".`);
  return withRun({
    id: adapter.id,
    abilities: {
      usesFolder: true,
      isExternal: true,
      ...(live?.abilities.resume === true && channel !== 'print' && { resumable: true, lostRequests: notRun }),
      ...(live?.abilities.mcpServers === true && channel !== 'print' && { takesMcpServers: true }),
      ...(live?.abilities.plans === true && channel !== 'print' && { carriesOutPlans: true }),
    },
    ...(live?.modes !== undefined && channel !== 'print' && options.mode === undefined && { modes: live.modes }),
    invoke: request => {
      const params = toInvokeParams(request);
      const isAsked = channel === undefined && params.host.answers !== undefined;
      const isLive = channel === 'live' || adapter.isLiveOnly === true || isAsked;
      const settings = { ...options, ...defined({ cwd: params.run.cwd }) };
      if (live === undefined || !isLive)
        return frozenEvents(new PrintRun({ adapter, options: { ...settings, semaphore }, params }).run());
      return frozenEvents(invokeLive({ adapter, live, options: { ...settings, sessions, semaphore }, params }));
    },
  });
}

const runEnded = new Error('The run has ended.');

function invokeLive({ params, ...run }: Omit<LiveRunOptions, 'events'>): AsyncIterableIterator<AgentEvent> {
  const stop = stopWith(params.run.signal);
  const events = new EventChannel();
  const liveRun = new LiveRun({ ...run, params: { ...params, run: { ...params.run, signal: stop.signal } }, events });
  return events.stream(
    () => liveRun.run().finally(() => stop.abort(runEnded)),
    () => liveRun.leave(),
  );
}
