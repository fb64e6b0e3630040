import { adapterNamed } from '../../agents/cli/adapters/adapter-named.ts';
import { acpAgent } from '../../agents/cli/adapters/acp/acp-agent.ts';
import { cliAdapters } from '../../agents/cli/adapters/cli-adapters.ts';
import { cliAgent } from '../../agents/cli/agent/cli-agent.ts';
import type { CliAgentOptions } from '../../agents/cli/agent/cli-agent-options.ts';
import { notInstalled, permissionAdvice } from '../../agents/cli/agent/failure-hint.ts';
import { isInstalled } from '../../agents/cli/agent/find-program.ts';
import { SessionPool } from '../../agents/cli/live/session-pool.ts';
import { demoAgent } from '../../agents/demo/demo-agent.ts';
import type { Agent, CallableAgent } from '../../agents/contract/agent.ts';
import type { PermissionRuleSet } from '../../agents/contract/permissions.ts';
import { defined } from '../../base/defined.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import { CoderInstallation, demoOffer, findDefaultModel, withoutModel } from '../coder.ts';
import { builtInIds, ownAgents } from './own-agents.ts';
import { withSavedRules } from './saved-rules.ts';
import { writtenSessionsFolder } from '../settings/home.ts';
import type { Settings } from '../settings/settings.ts';
import { printNotice } from '../../control/standard-output.ts';

/** The options that `singletree run` passes to an agent of any kind. */
export interface RunnableOptions {
  readonly model?: string | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly timeoutMs?: number | undefined;
  readonly idleTimeoutMs?: number | undefined;
  readonly permissions?: PermissionRuleSet | undefined;
  readonly mode?: string | undefined;
  readonly yolo?: boolean | undefined;
  /** Forces the one-way mode of an external agent. */
  readonly print?: boolean | undefined;
  /** Whether a person can be asked. */
  readonly hasPerson: boolean;
  /** Whether an interrupted run is resumed: only the interactive channel can. */
  readonly isResumed?: boolean | undefined;
  /** Whether only its requests are inspected, which needs no key. */
  readonly isOnlyInspected?: boolean | undefined;
  /** The arguments after `--`: flags of an external agent, or the command of an ACP agent. */
  readonly extraArgs: readonly string[];
  /** The programs that wait for their next turn. Default: none, a program ends with its run. */
  readonly sessions?: SessionPool | undefined;
}

/** An agent that `singletree run` can start. */
export interface RunnableAgent {
  readonly id: string;
  /** Whether it can ask while it runs. */
  readonly isInteractive: boolean;
  /** The mode to set on its thread; external agents get the mode as an option. */
  readonly mode?: string;
  /** The advice to print when a call was denied. */
  readonly advice: string;
  create(onRaw: NonNullable<CliAgentOptions['onRaw']>): Agent;
  close(): Promise<void>;
}

/** Returns the agent of a name: an external one, `acp`, `coder`, `demo`, or one of the configuration. */
export async function runnableAgent(
  name: string,
  settings: Settings,
  options: RunnableOptions,
): Promise<RunnableAgent> {
  const runnable = await findRunnable(name, settings, options);
  return { ...runnable, create: onRaw => withSavedRules(runnable.create(onRaw), settings.home) };
}

async function findRunnable(name: string, settings: Settings, options: RunnableOptions): Promise<RunnableAgent> {
  const own = ownAgents(settings.config).find(({ id }) => id === name);
  if (own !== undefined) return nativeAgent(own, options);
  if (name === 'demo') return nativeAgent(demoAgent({ folder: settings.cwd }), options);
  if (name === 'acp') return acpRunnable(settings, options);
  return name === 'coder' ? coderRunnable(settings, options) : externalRunnable(name, settings, options);
}

const rulesAdvice =
  'Allow it with rules (--permissions FILE, or "permissions" in the configuration), run it on a terminal, or let it wait for answers in the inbox (singletree run --wait).';
const nothing = () => Promise.resolve();

function nativeAgent(agent: Agent, options: RunnableOptions, close = nothing): RunnableAgent {
  checkMode(agent, options.mode);
  const { permissions } = options;
  const ruled: Agent =
    permissions === undefined
      ? agent
      : {
          ...agent,
          invoke: params => {
            const host = { ...params.host, permissions: [...(params.host.permissions ?? []), permissions] };
            return agent.invoke({ ...params, host });
          },
        };
  return {
    id: agent.id,
    isInteractive: true,
    advice: rulesAdvice,
    create: () => ruled,
    close,
    ...defined({ mode: options.mode }),
  };
}

function checkMode({ id, modes = [] }: Agent, mode: string | undefined): void {
  if (mode === undefined || modes.some(known => known.id === mode)) return;
  const known = modes.length === 0 ? 'It has no modes.' : `Its modes: ${modes.map(each => each.id).join(', ')}.`;
  throw new SingletreeError('invalid_argument', `The agent "${id}" has no mode "${mode}". ${known}`);
}

async function coderRunnable(settings: Settings, options: RunnableOptions): Promise<RunnableAgent> {
  const { permissions = settings.config.permissions, model, yolo } = options;
  const everything = yolo === true ? { default: 'allow' as const, rules: permissions?.rules ?? [] } : permissions;
  const coder = await new CoderInstallation(settings).create({
    model,
    permissions: everything,
    needsKey: options.isOnlyInspected !== true,
  });
  if (coder === undefined) throw new SingletreeError('missing_api_key', `${withoutModel}\n${demoOffer}`);
  for (const problem of coder.problems) printNotice(problem);
  return nativeAgent(coder.agent, { ...options, permissions: undefined }, () => coder.close());
}

function cliOptions(settings: Settings, options: RunnableOptions): CliAgentOptions {
  const { cwd, home, environment } = settings;
  const { model, env, timeoutMs, idleTimeoutMs, permissions, yolo } = options;
  const { sessions = new SessionPool({ size: 0 }) } = options;
  const sessionFolder = writtenSessionsFolder(home);
  return {
    cwd,
    environment,
    sessions,
    sessionFolder,
    compaction: { model: () => findDefaultModel(settings) },
    ...defined({ model, env, timeoutMs, idleTimeoutMs, permissions, yolo }),
  };
}

function acpRunnable(settings: Settings, options: RunnableOptions): RunnableAgent {
  const [command, ...args] = options.extraArgs;
  if (command === undefined)
    throw new SingletreeError(
      'invalid_argument',
      'The command of the ACP agent is missing. Expected it after --, as in: singletree run acp "…" -- my-agent --acp',
    );
  const { mode } = options;
  const create = (onRaw: NonNullable<CliAgentOptions['onRaw']>): CallableAgent =>
    acpAgent({ ...cliOptions(settings, options), command, args, onRaw, ...defined({ mode }) });
  return { id: 'acp', isInteractive: true, advice: rulesAdvice, create, close: nothing };
}

async function externalRunnable(name: string, settings: Settings, options: RunnableOptions): Promise<RunnableAgent> {
  if (cliAdapters[name] === undefined) throw unknownAgent(name, settings);
  const adapter = adapterNamed(name);
  // Fail before anything is stored when the program is missing.
  if (!(await isInstalled(adapter, { ...process.env, ...options.env })))
    throw new SingletreeError('agent_not_found', notInstalled(adapter));
  const channel = channelFor(name, options);
  const { extraArgs, mode } = options;
  return {
    id: name,
    isInteractive: channel === 'live',
    advice: channel === 'live' ? rulesAdvice : permissionAdvice(adapter),
    create: onRaw =>
      cliAgent(name, { ...cliOptions(settings, options), channel, extraArgs, onRaw, ...defined({ mode }) }),
    close: nothing,
  };
}

/** Returns the live channel when a user or rules can decide or the program has no print mode, else print mode. */
function channelFor(agent: string, options: RunnableOptions): 'print' | 'live' {
  const { print, permissions, mode, hasPerson, isResumed = false } = options;
  const { live, name, isLiveOnly = false } = adapterNamed(agent);
  if (print === true && isLiveOnly)
    throw new SingletreeError('invalid_argument', `${name} has no print mode. Leave out --print.`);
  const isWanted = isLiveOnly || hasPerson || isResumed || permissions !== undefined || mode !== undefined;
  if (print !== true && live !== undefined) return isWanted ? 'live' : 'print';
  if (permissions === undefined && mode === undefined) return 'print';
  const why = print === true ? 'with --print' : `by ${name}`;
  throw new SingletreeError(
    'invalid_argument',
    `--permissions and --mode need the interactive channel, which is not used ${why}.`,
  );
}

function unknownAgent(name: string, { config }: Settings): SingletreeError {
  const known = [...ownAgents(config).map(({ id }) => id), ...builtInIds];
  return new SingletreeError('invalid_argument', `There is no agent "${name}". Agents: ${known.join(', ')}.`);
}
