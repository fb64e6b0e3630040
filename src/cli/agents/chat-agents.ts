import { cliAdapters } from '../../agents/cli/adapters/index.ts';
import { isInstalled } from '../../agents/cli/agent/find-program.ts';
import type { Agent, SessionPool } from '../../agents/index.ts';
import { defined } from '../../events/defined.ts';
import { configuredRegistry, offeredModels } from '../coder.ts';
import { ownAgents } from './own-agents.ts';
import { type RunnableAgent, runnableAgent } from './runnable-agent.ts';
import type { Settings } from '../settings/settings.ts';

interface ChatAgentsOptions {
  /** Lets the agents do everything without asking. */
  readonly yolo?: boolean | undefined;
  /** The programs that wait for their next turn. */
  readonly sessions: SessionPool;
}

/** The agents of a chat: each is opened when it is first used, and all are closed together. */
export class InstalledChatAgents {
  readonly #settings: Settings;
  readonly #options: ChatAgentsOptions;
  readonly #opened = new Map<string, Promise<{ runnable: RunnableAgent; agent: Agent }>>();

  constructor(settings: Settings, options: ChatAgentsOptions) {
    this.#settings = settings;
    this.#options = options;
  }

  /** The agents that can be used here: those of the configuration, ours, and the installed external ones. */
  async list(): Promise<{ id: string; name: string; detail?: string }[]> {
    const { config } = this.#settings;
    const own = ownAgents(config).map(({ id }) => ({ id, name: id, detail: 'of your configuration' }));
    const hasModel = offeredModels(config, configuredRegistry(this.#settings)).length > 0;
    const ours = hasModel ? [{ id: 'coder', name: 'Coder', detail: 'our coding agent' }] : [];
    const external = await Promise.all(
      Object.values(cliAdapters).map(async adapter => ((await isInstalled(adapter, process.env)) ? [adapter] : [])),
    );
    return [
      ...own,
      ...ours,
      ...external.flat().map(({ id, name }) => ({ id, name })),
      { id: 'demo', name: 'Demo', detail: 'a scripted agent that needs no key' },
    ];
  }

  /** Returns an agent; `model` applies to the first opening. Throws when it cannot be used here. */
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
