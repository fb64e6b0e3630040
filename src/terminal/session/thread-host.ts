import type { Harness, HarnessEvent } from '../../control/index.ts';
import { SingletreeError } from '../../events/index.ts';
import type { EventLog } from '../../log/index.ts';
import type { ChatAgent, ChatAgents } from './chat-options.ts';
import { ThreadFollower } from './thread-follower.ts';

export interface ThreadHostOptions {
  readonly log: EventLog;
  /** The agent of the first thread. */
  readonly agent: ChatAgent;
  readonly agents: Pick<ChatAgents, 'open' | 'agentOf'>;
  /** The folder of the person: new threads note it. */
  readonly cwd: string;
  /** Called whenever something changed that the screen shows. */
  readonly onChange: () => void;
  /** Called with what a harness reports beside the log: errors, notices. */
  readonly onEvent: (event: HarnessEvent) => void;
  readonly onLost: (error: unknown) => void;
}

interface Open {
  readonly agent: ChatAgent;
  readonly harness: Harness;
  readonly unsubscribe: () => void;
}

/** The thread that is shown, and those that run in the background: each has a harness of its own. */
export class ThreadHost {
  readonly #options: ThreadHostOptions;
  readonly #background = new Map<string, Open>();
  #open: Open;
  #follower: ThreadFollower | undefined;
  /** The mode of the next new thread: a mode takes effect when the log of a thread has it. */
  #nextMode: string | undefined;

  constructor(options: ThreadHostOptions) {
    this.#options = options;
    this.#open = this.#create(options.agent);
  }

  /** The agent of the thread that is shown, or of the next new one. */
  get agent(): ChatAgent {
    return this.#open.agent;
  }

  get harness(): Harness {
    return this.#open.harness;
  }

  /** The thread that is shown; undefined before its first message. */
  get follower(): ThreadFollower | undefined {
    return this.#follower;
  }

  /** The mode of the thread that is shown, or of the next new one. */
  get mode() {
    const { harness } = this;
    const next = this.#follower === undefined ? this.#nextMode : undefined;
    return harness.listModes().find(({ id }) => id === next) ?? harness.getCurrentMode();
  }

  /** Switches the mode of the thread that is shown, or of the next new one. Throws `invalid_argument` for an unknown mode. */
  async switchMode(modeId: string): Promise<void> {
    const modes = this.harness.listModes().map(({ id }) => id);
    if (!modes.includes(modeId))
      throw new SingletreeError('invalid_argument', `Unknown mode "${modeId}". Use one of: ${modes.join(', ')}.`);
    if (this.#follower === undefined) this.#nextMode = modeId;
    else await this.harness.switchMode({ modeId });
  }

  /** The ids of the threads that run in the background. */
  get background(): readonly string[] {
    return [...this.#background].filter(([, { harness }]) => harness.isRunning()).map(([id]) => id);
  }

  /**
   * Opens a thread with an agent, by default the one that worked in it; the thread that was open goes on in the
   * background when it runs. Throws, and changes nothing, when the agent of the thread cannot be used here.
   */
  async switchTo(threadId: string, agent?: ChatAgent): Promise<void> {
    if (threadId === this.#follower?.threadId) return;
    const before = this.#background.get(threadId);
    const next = before?.agent ?? agent ?? (await this.#agentOf(threadId));
    this.#putAside(next);
    if (before === undefined) await this.harness.switchThread({ threadId });
    else {
      this.#background.delete(threadId);
      await this.#close(this.#open);
      this.#open = before;
    }
    await this.#follow(threadId);
  }

  /** Begins without a thread: the next message creates one, with the same agent or another one. */
  startNew(agent = this.agent): void {
    this.#putAside(agent);
    if (this.harness.getCurrentThreadId() !== null) this.#replace(agent);
  }

  /** Creates the thread of the first message, unless one is open. */
  async ensureThread(title: string): Promise<void> {
    if (this.#follower !== undefined) return;
    const { id } = await this.harness.createThread({ title });
    await this.harness.setThreadSetting({ key: 'cwd', value: this.#options.cwd });
    await this.harness.setThreadSetting({ key: 'agentId', value: this.agent.id });
    if (this.#nextMode !== undefined) await this.harness.switchMode({ modeId: this.#nextMode });
    this.#nextMode = undefined;
    await this.#follow(id);
  }

  /** Releases everything; runs that are under way are resumed by the next program that opens their thread. */
  async close(): Promise<void> {
    this.#follower?.close();
    await Promise.all([this.#open, ...this.#background.values()].map(open => this.#close(open)));
  }

  /** Closes the thread that is shown, or lets it run in the background; the open harness is then one of this agent. */
  #putAside(agent: ChatAgent): void {
    const threadId = this.#follower?.threadId;
    this.#follower?.close();
    this.#follower = undefined;
    if (threadId !== undefined && this.harness.isRunning()) {
      this.#background.set(threadId, this.#open);
      this.#open = this.#create(agent);
    } else if (agent.id !== this.agent.id) this.#replace(agent);
  }

  #replace(agent: ChatAgent): void {
    if (agent.id !== this.agent.id) this.#nextMode = undefined;
    void this.#close(this.#open);
    this.#open = this.#create(agent);
  }

  async #agentOf(threadId: string): Promise<ChatAgent> {
    const { agents } = this.#options;
    const id = await agents.agentOf(threadId);
    return id === undefined || id === this.agent.id ? this.agent : agents.open(id);
  }

  async #follow(threadId: string): Promise<void> {
    const { log, onChange, onLost } = this.#options;
    this.#follower = await ThreadFollower.open(threadId, { log, onChange, onLost });
    onChange();
  }

  #create(agent: ChatAgent): Open {
    const harness = agent.createHarness();
    const unsubscribe = harness.subscribe(event => {
      if (harness === this.#open.harness) this.#options.onEvent(event);
      else if (event.type === 'agent_end') this.#options.onChange();
    });
    return { agent, harness, unsubscribe };
  }

  async #close({ harness, unsubscribe }: Open): Promise<void> {
    unsubscribe();
    await harness.destroy();
  }
}
