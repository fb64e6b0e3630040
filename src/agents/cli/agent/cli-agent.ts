import { defined } from '../../../base/defined.ts';
import type { AgentEvent } from '../../../events/vocabulary.ts';
import { SingletreeError } from '../../../base/singletree-error.ts';
import type { CallableAgent } from '../../contract/agent.ts';
import { toInvokeParams } from '../../contract/invoke-params.ts';
import { adapterNamed } from '../adapters/adapter-named.ts';
import type { CliAdapter } from '../contract/cli-adapter.ts';
import { type CliAgentOptions, checkCliAgentOptions } from './cli-agent-options.ts';
import { frozenEvents } from '../../frozen-events.ts';
import { Semaphore } from '../../semaphore.ts';
import { EventChannel } from '../../run/event-channel.ts';
import { stopWith } from '../../run/stop-with.ts';
import { toRuleSet } from '../../permissions/check-sources.ts';
import { withRun } from '../../run-agent.ts';
import { PrintRun } from './print-run.ts';
import { LiveRun } from '../live/live-run.ts';
import type { LiveRunOptions } from '../live/session-options.ts';
import { notRun } from '../live/resumed-run.ts';
import { SessionPool } from '../live/session-pool.ts';

const sharedSemaphore = new Semaphore(4);
const sharedSessions = new SessionPool();

/**
 * Creates an agent for an external coding agent: a built-in one by name, or one of `defineCliAgent`. Throws
 * `invalid_argument` for an unknown or invalid name or option, or if the program lacks a required live channel,
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
