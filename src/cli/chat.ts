import type { Command } from 'commander';
import { systemClock, Harness } from '../control/index.ts';
import { SessionPool } from '../agents/index.ts';
import { builtinToolIds } from '../control/harness/tools/builtin-tools.ts';
import { defined } from '../events/defined.ts';
import type { EventLog } from '../log/index.ts';
import { chatModes } from './chat-modes.ts';
import { listedCommand } from './command-list.ts';
import { configuredRegistry } from './coder.ts';
import { folder } from './folder.ts';
import { runnableAgent } from './runnable-agent.ts';
import { loadSettings } from './settings.ts';
import { addStoreOptions, isNewFile, openStoreOf, probeStore, type StoreOptions } from './store-options.ts';
import { findThread, threadNotFound } from './threads/find-thread.ts';

interface ChatCommandOptions extends StoreOptions {
  readonly model?: string;
  readonly cwd?: string;
  readonly resume?: string;
  readonly continue?: boolean;
  readonly yolo?: boolean;
  readonly screenReader?: boolean;
  readonly fullscreen?: boolean;
}

/** Adds `singletree chat`, which talks with an agent in the terminal. */
export function addChatCommand(program: Command): void {
  addStoreOptions(listedCommand(program, 'chat'))
    .argument('[agent]', 'coder, an external agent such as claude or codex, demo, or one of your configuration')
    .option('--model <model>', 'the model to use, as the agent names it')
    .option('--cwd <folder>', 'the working directory', folder)
    .option('-r, --resume <thread>', 'open a thread: its id, the beginning of its id, or "last"')
    .option('-c, --continue', 'open the newest thread of this folder')
    .option('--yolo', 'let the agent do everything without asking')
    .option('--fullscreen', 'use the whole window instead of the scrollback')
    .option('--screen-reader', 'print plain lines and never redraw; also with ACCESSIBLE=1')
    .action(async (agent: string | undefined, options: ChatCommandOptions) => {
      process.exitCode = await chat(agent, options);
    });
}

async function chat(name: string | undefined, options: ChatCommandOptions): Promise<number> {
  const settings = await loadSettings(options.cwd ?? '.');
  const sessions = new SessionPool();
  const agentName = name ?? settings.config.defaultAgent ?? 'coder';
  const runnable = await runnableAgent(agentName, settings, {
    ...defined({ model: options.model, yolo: options.yolo }),
    hasPerson: true,
    extraArgs: [],
    sessions,
  });
  if (options.resume !== undefined && isNewFile(options)) throw threadNotFound(options.resume);
  let report = (text: string): void => void process.stderr.write(`singletree: ${text}\n`);
  const log = await openStoreOf(options, settings.config, text => report(text));
  try {
    const threadId = await threadToOpen(log, settings.cwd, options);
    const agent = runnable.create(() => {});
    const modes = chatModes(agent, []);
    const registry = configuredRegistry(settings.config);
    const createHarness = () =>
      new Harness({
        id: 'chat',
        resourceId: 'default',
        storage: log,
        modes,
        disableBuiltinTools: builtinToolIds,
        ...(options.model !== undefined && { initialState: { currentModelId: options.model } }),
      });
    const { ChatApp, isSet, PlainChat, stylingOf } = await import('../terminal/index.ts');
    const shared = {
      log,
      createHarness,
      cwd: settings.cwd,
      home: settings.home,
      threadId,
      clock: systemClock,
      agentName,
      ...defined({ keys: settings.config.keys, density: settings.config.chat?.density }),
      contextSize: (modelId: string) => (modelId.includes('/') ? registry.model(modelId)?.contextWindow : undefined),
      probeStore: () => probeStore(log, options, settings.config),
      storeNotices: (listener: (text: string) => void) => void (report = listener),
      resumeCommand: (id: string) => `singletree chat ${agentName} --resume ${id}`,
    };
    const { stdin, stdout, env } = process;
    const isSpoken = options.screenReader === true || isSet(env['ACCESSIBLE']);
    if (isSpoken || !stdin.isTTY || !stdout.isTTY)
      return await PlainChat.run({ ...shared, streams: { input: stdin, output: stdout }, isSpoken });
    return await ChatApp.run({
      ...shared,
      streams: { input: stdin, output: stdout },
      styling: stylingOf(env),
      isFullscreen: options.fullscreen === true,
    });
  } finally {
    await runnable.close();
    await sessions.close();
    await log.close();
  }
}

/** The thread that the options name; with `--continue` the newest one of the folder. */
async function threadToOpen(log: EventLog, cwd: string, options: ChatCommandOptions): Promise<string | undefined> {
  if (options.resume !== undefined) return (await findThread(log, options.resume)).id;
  if (options.continue !== true) return undefined;
  const threads = await log.listThreads();
  return threads.find(({ metadata }) => metadata['cwd'] === cwd)?.id;
}
