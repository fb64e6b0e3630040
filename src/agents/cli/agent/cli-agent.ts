import { defined } from '../../../events/defined.ts';
import { errorText, type AgentEvent, type EventOf, SingletreeError } from '../../../events/index.ts';
import type { RawLine } from '../../../log/index.ts';
import type { CallableAgent } from '../../agent.ts';
import { type InvokeParams, toInvokeParams } from '../../invoke-params.ts';
import { adapterNamed } from '../adapters/adapter-named.ts';
import type { CliAdapter } from '../contract/cli-adapter.ts';
import { sessionNamePrefix } from '../contract/cli-command.ts';
import { checkCliAgentOptions } from './cli-agent-fields.ts';
import { startFailure, withHint } from './failure-hint.ts';
import type { Clock } from '../../clock.ts';
import { frozenEvents } from '../../frozen-events.ts';
import { Semaphore } from '../../semaphore.ts';
import { environmentFor, type EnvironmentPolicy, policyFor } from '../../process/environment.ts';
import { lineText } from '../../process/line-reader.ts';
import { type ProcessLine, runProcess } from '../../process/run-process.ts';
import { fitAttachments, promptOf } from './prompt.ts';
import { RunTranslation } from './run-translation.ts';
import { withCost } from './usage-cost.ts';
import { EventChannel } from '../../loop/event-channel.ts';
import { stopWith } from '../../loop/stop-with.ts';
import { type PermissionRuleSet, type Policy, toRuleSet } from '../../permissions/index.ts';
import { withRun } from '../../run-agent.ts';
import { findUsableSession, type SessionUse, writeHandOver } from '../sessions/hand-over.ts';
import { newSessionWarning } from '../live/live-prompt.ts';
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
      if (live === undefined || !isLive) return frozenEvents(invoke(adapter, settings, params));
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

async function* invoke(
  adapter: CliAdapter,
  options: CliAgentOptions,
  params: InvokeParams,
): AsyncGenerator<AgentEvent> {
  const { runId, signal } = params.run;
  const cwd = options.cwd ?? process.cwd();
  const model = params.run.model ?? options.model;
  /** The time of the current line: its raw record and its events carry the same. */
  let ts = new Date().toISOString();
  const environment = (set: CliAgentOptions['env']) =>
    environmentFor(process.env, {
      policy: policyFor(options.environment, params.conversation),
      needed: adapter.environment,
      set,
    });
  const { sessionFolder: folder } = options;
  const use: SessionUse = {
    adapter,
    channel: 'print',
    folder,
    cwd,
    model,
    executable: options.executable ?? adapter.executable,
    environment: environment(options.env),
    runId,
    runMark: params.host.runMark,
    signal,
  };
  // Print mode has no flag for a copy of a session.
  const last = params.conversation.session?.fork === true ? undefined : params.conversation.session;
  const usable = await findUsableSession(use, params.conversation.messages, last);
  const written = usable === undefined ? await writeHandOver(use, params.conversation.messages) : undefined;
  const problem = written && 'problem' in written ? written.problem : undefined;
  const session = written === undefined || 'problem' in written ? usable : written;
  const sessionId = session?.id;
  const sessionName = `${sessionNamePrefix}${runId}`;
  const translator = adapter.translator({ runId, sessionId: sessionId ?? sessionName, usedBefore: session?.used });
  const run = new RunTranslation({
    runId,
    adapter,
    cwd,
    translator,
    now: () => ts,
    ...defined({ parentId: params.run.parentId, model }),
  });
  yield* run.start();
  const prompt = promptOf(params.conversation.messages, session);
  const { semaphore = sharedSemaphore } = options;
  if (prompt.includesHistory && sessionId === undefined)
    yield warning(runId, newSessionWarning(adapter, problem), 'new_session');
  const servers = Object.keys(params.host.mcpServers ?? {}).join(', ');
  if (servers !== '')
    yield warning(runId, `${adapter.name} gets no MCP servers here: ${servers} is not used.`, 'mcp_server_not_used');
  const { text, dropped } = fitAttachments(adapter.name, prompt, () => false);
  if (dropped !== undefined) yield warning(runId, dropped, 'attachment_dropped');
  if (semaphore.isFull) yield warning(runId, `Waiting: ${semaphore.permits} external agents run already.`, 'waiting');
  let release = () => {};
  try {
    release = await semaphore.acquire(signal);
    const command = adapter.command({
      ...options,
      prompt: text,
      model,
      sessionId,
      sessionPath: session?.path,
      sessionName,
    });
    const lines = runProcess({
      command: options.executable ?? adapter.executable,
      args: command.args,
      cwd,
      env: environment({ ...command.env, ...options.env }),
      signal,
      runMark: params.host.runMark,
      settleMs: options.settleMs ?? 10_000,
      stopStepMs: options.stopStepMs ?? 600,
      isFinished: () => translator.finished,
      ...defined({ input: command.input }),
      ...(command.inputIsFile === true && { inputIsFile: true }),
      ...defined({ timeoutMs: options.timeoutMs, idleTimeoutMs: options.idleTimeoutMs }),
    });
    let number = 0;
    try {
      for (let next = await lines.next(); ; next = await lines.next()) {
        ts = new Date().toISOString();
        if (next.done === true) {
          const { failedToStart, ...end } = next.value;
          if (failedToStart !== undefined)
            yield { type: 'error', runId, ...startFailure(adapter, failedToStart, cwd), fatal: true };
          for (const event of run.end(end))
            yield failedToStart !== undefined && event.type === 'harness_end'
              ? { ...event, reason: 'error' }
              : withHint(adapter, event);
          return;
        }
        number++;
        const { stream, bytes } = next.value;
        const raw = { n: number, ts, stream, line: bytes };
        await params.host.raw?.(raw);
        await options.onRaw?.(runId, raw);
        for (const event of eventsOf(run, next.value, number)) yield withCost(adapter, event);
      }
    } finally {
      await lines.return({});
    }
  } catch (error) {
    ts = new Date().toISOString();
    if (!signal.aborted) yield failed(runId, error);
    for (const event of run.end(signal.aborted ? { stopped: { reason: 'aborted', message: '' } } : {}))
      yield event.type === 'harness_end' && !signal.aborted ? { ...event, reason: 'error' } : event;
  } finally {
    release();
  }
}

function eventsOf(run: RunTranslation, { kind, stream, bytes }: ProcessLine, number: number): AgentEvent[] {
  if (kind === 'rest') return [];
  if (kind === 'long') return run.longLine(stream, lineText(bytes.subarray(0, 4096)), number);
  return run.line(stream, lineText(bytes), number);
}

function warning(runId: string, message: string, code: string): EventOf<'warning'> {
  return { type: 'warning', runId, message, code };
}

function failed(runId: string, error: unknown): EventOf<'error'> {
  const message = errorText(error);
  const code = SingletreeError.is(error) ? error.code : 'agent_failed';
  return { type: 'error', runId, message, code, fatal: true };
}
