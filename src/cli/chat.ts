import { openSite } from './settings/site.ts';
import type { Command } from 'commander';
import { cliAdapters } from '../agents/cli/adapters/cli-adapters.ts';
import type { Agent } from '../agents/contract/agent.ts';
import { SessionPool } from '../agents/cli/live/session-pool.ts';
import { ConversationReader } from '../control/conversations/conversation-reader.ts';
import { listModels } from '../control/harness/settings/models.ts';
import { StoredRules } from '../config/stored-rules.ts';
import { systemClock } from '../agents/clock.ts';
import { printNotice, standardOutput } from '../control/standard-output.ts';
import { defined } from '../base/defined.ts';
import { SingletreeError } from '../base/singletree-error.ts';
import type { EventLog } from '../log/event-log.ts';
import type { ChatAgent } from '../terminal/session/chat-options.ts';
import { findInstalledAdapters, ownAgents } from './agents/own-agents.ts';
import { type RunnableAgent, runnableAgent } from './agents/runnable-agent.ts';
import { configuredRegistry, offeredModels, withoutModel } from './coder.ts';
import { listedCommand } from './command-list.ts';
import { enterProviderKey } from './settings/enter-key.ts';
import { addStoreOptions, folder } from './command-options.ts';
import { describeRules, removeSavedRule } from './serve/describe-rules.ts';
import { ProviderSettings } from './settings/provider-settings.ts';
import { askForSettings, type Settings } from './settings/settings.ts';
import { isNewFile, probeStore, type StoreOptions } from './settings/store-options.ts';
import { findNewest, findThreadToContinue, threadNotFound } from './threads/find-thread.ts';

interface ChatCommandOptions extends StoreOptions {
  readonly model?: string;
  readonly cwd?: string;
  readonly resume?: string;
  readonly continue?: boolean;
  readonly yolo?: boolean;
  readonly screenReader?: boolean;
  readonly fullscreen?: boolean;
}

/** The time in milliseconds after which a notice names the store that is being opened. */
const slowStoreMs = 1_000;

/** Adds `singletree chat`, which talks with an agent in the terminal. */
export function addChatCommand(program: Command): void {
  addStoreOptions(listedCommand(program, 'chat'))
    .argument('[agent]', 'coder, an external agent such as claude or codex, demo, or one of your configuration')
    .option('--model <model>', 'the model to use, as the agent names it')
    .option('--cwd <folder>', 'the working directory', folder)
    .option(
      '-r, --resume <thread>',
      'open a thread: its id, the beginning of its id, or "last": the newest of this folder',
    )
    .option('-c, --continue', 'open the newest thread of this folder')
    .option('--yolo', 'let the agent do everything without asking')
    .option('--fullscreen', 'use the whole window instead of the scrollback')
    .option('--screen-reader', 'print plain lines and never redraw; also with ACCESSIBLE=1')
    .action(async (agent: string | undefined, options: ChatCommandOptions) => {
      process.exitCode = await chat(agent, options);
    });
}

async function chat(name: string | undefined, options: ChatCommandOptions): Promise<number> {
  const { settings, loaded } = await askForSettings(options.cwd ?? '.');
  const sessions = new SessionPool();
  const installed = new InstalledChatAgents(settings, { sessions, ...defined({ yolo: options.yolo }) });
  const opensThread = options.resume !== undefined || options.continue === true;
  let named = name ?? (opensThread ? undefined : defaultAgent(settings));
  let problems: readonly string[] = [];
  try {
    // Fail before anything is stored when the agent is not available.
    if (named !== undefined) await installed.open(named, options.model);
  } catch (error) {
    if (name !== undefined || options.model !== undefined || !SingletreeError.is(error, 'missing_api_key')) throw error;
    named = 'demo';
    problems = [withoutModel, 'This is the demo, a scripted agent that needs no key: send "Save a note for me".'];
  }
  if (options.resume !== undefined && isNewFile(options)) throw threadNotFound(options.resume);
  let report: (text: string) => void = printNotice;
  const stopWaiting = systemClock.after(slowStoreMs, () =>
    report('waiting for the store: another process holds it, or it does not answer'),
  );
  const site = await openSite(settings, options, { report: text => report(text) }).finally(stopWaiting);
  const { log, redactor } = site;
  const { telemetry, limits } = site.supervision;
  try {
    const threadId = await threadToOpen(log, settings.cwd, options);
    const reader = new ConversationReader(log);
    const agentOf = async (id: string) => {
      const thread = await log.getThread(id);
      return thread && reader.findAgent(thread);
    };
    const open = async (id: string, model?: string): Promise<ChatAgent> => {
      const agent = await installed.open(id, model);
      return { id, agent, hasOwnModels: cliAdapters[id] !== undefined, ...defined({ model }) };
    };
    const agentId = named ?? (threadId && (await agentOf(threadId))) ?? defaultAgent(settings);
    const registry = configuredRegistry(settings);
    const savedRules = new StoredRules(settings.home);
    const { ChatApp, isSet, PlainChat, createStyling } = await import('../terminal/index.ts');
    const shared = {
      log,
      redactor,
      enterKey: (provider: string) =>
        enterProviderKey(new ProviderSettings(settings), provider, key => redactor.add([key])),
      rules: {
        list: async () => describeRules(settings.cwd, loaded, { equipment: undefined, saved: savedRules.list() }),
        remove: (id: string) => removeSavedRule(savedRules, id),
      },
      agent: await open(agentId, options.model),
      agents: { list: () => installed.list(), open: (id: string) => open(id), agentOf },
      titles: settings.config.titles ?? ('model' as const),
      cwd: settings.cwd,
      home: settings.home,
      threadId,
      clock: systemClock,
      problems,
      ...defined({ telemetry, limits, keys: settings.config.keys, density: settings.config.chat?.density }),
      listModels: () => listModels({ registry }),
      contextSize: (modelId: string) =>
        registry.isConfigured(modelId) ? registry.model(modelId)?.contextWindow : undefined,
      probeStore: () => probeStore(log, options, settings.config),
      storeNotices: (listener: (text: string) => void) => void (report = listener),
      resumeCommand: (id: string, agent: string) => `singletree chat ${agent} --resume ${id}`,
    };
    const { stdin, env } = process;
    const isSpoken = options.screenReader === true || isSet(env['ACCESSIBLE']);
    if (isSpoken || !stdin.isTTY || !standardOutput.isTerminal) return await PlainChat.run({ ...shared, isSpoken });
    return await ChatApp.run({
      ...shared,
      styling: createStyling(env),
      isFullscreen: options.fullscreen === true,
    });
  } finally {
    await installed.close();
    await sessions.close();
    await site.close();
  }
}

function defaultAgent({ config }: Settings): string {
  return config.defaultAgent ?? 'coder';
}

/** Returns the thread that the options name; with `--continue` the newest one of the folder. */
async function threadToOpen(log: EventLog, cwd: string, options: ChatCommandOptions): Promise<string | undefined> {
  if (options.resume !== undefined) return (await findThreadToContinue(log, options.resume, cwd)).id;
  return options.continue === true ? (await findNewest(log, cwd))?.id : undefined;
}

interface ChatAgentsOptions {
  /** Allows the agents to do everything without asking. */
  readonly yolo?: boolean | undefined;
  /** The programs that wait for their next turn. */
  readonly sessions: SessionPool;
}

/** The agents of a chat: each is opened when it is first used, and all are closed together. */
class InstalledChatAgents {
  readonly #settings: Settings;
  readonly #options: ChatAgentsOptions;
  readonly #opened = new Map<string, Promise<{ runnable: RunnableAgent; agent: Agent }>>();

  constructor(settings: Settings, options: ChatAgentsOptions) {
    this.#settings = settings;
    this.#options = options;
  }

  /** The available agents: configured, built-in and installed external ones. */
  async list(): Promise<{ id: string; name: string; detail?: string }[]> {
    const { config } = this.#settings;
    const own = ownAgents(config).map(({ id }) => ({ id, name: id, detail: 'of your configuration' }));
    const hasModel = offeredModels(config, configuredRegistry(this.#settings)).length > 0;
    const ours = hasModel ? [{ id: 'coder', name: 'Coder', detail: 'our coding agent' }] : [];
    return [
      ...own,
      ...ours,
      ...(await findInstalledAdapters()).map(({ id, name }) => ({ id, name })),
      { id: 'demo', name: 'Demo', detail: 'a scripted agent that needs no key' },
    ];
  }

  /** Returns an agent; `model` applies only when it is first opened. Throws when it is not available. */
  async open(agentId: string, model?: string): Promise<Agent> {
    const known = this.#opened.get(agentId);
    if (known !== undefined) return (await known).agent;
    const opening = this.#open(agentId, model);
    this.#opened.set(agentId, opening);
    try {
      return (await opening).agent;
    } catch (error) {
      // A program may be installed, or a key set, before the next attempt.
      this.#opened.delete(agentId);
      throw error;
    }
  }

  async close(): Promise<void> {
    for (const opened of this.#opened.values()) await opened.then(({ runnable }) => runnable.close());
  }

  async #open(agentId: string, model: string | undefined) {
    const { yolo, sessions } = this.#options;
    const options = { ...defined({ model, yolo }), hasPerson: true, extraArgs: [], sessions };
    const runnable = await runnableAgent(agentId, this.#settings, options);
    return { runnable, agent: runnable.create(() => {}) };
  }
}
