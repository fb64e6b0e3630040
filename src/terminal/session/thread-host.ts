import type { Clock, Harness, HarnessEvent } from '../../control/index.ts';
import { SingletreeError } from '../../events/index.ts';
import type { EventLog, Thread } from '../../log/index.ts';
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
  readonly clock: Clock;
  readonly onLost: (error: unknown) => void;
}

interface Open {
  readonly agent: ChatAgent;
  readonly harness: Harness;
  readonly unsubscribe: () => void;
  /** The thread that the harness is opening. */
  opening?: Opening | undefined;
}

interface Opening {
  readonly threadId: string;
  readonly since: number;
  readonly done: Promise<void>;
  /** The share of the thread that was read, from 0 to 1. */
  share: number;
}

/** A harness reads a whole thread when it opens it: one that is longer is opened when something is to be done in it. */
const mostOpenedAtOnce = 5_000;

/**
 * The thread that is shown, and those that run in the background: each has a harness of its own. A thread is shown from
 * the end of its log, before its harness has it open.
 */
export class ThreadHost {
  readonly #options: ThreadHostOptions;
  readonly #background = new Map<string, Open>();
  #open: Open;
  #follower: ThreadFollower | undefined;
  /** The thread that is shown, when it was opened. */
  #thread: Thread | undefined;
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

  /** It may not have the thread that is shown open: `ready` resolves with one that has. */
  get harness(): Harness {
    return this.#open.harness;
  }

  /** Since when the harness has been reading the thread that is shown, and which share of it was read. */
  get opening(): { readonly since: number; readonly share: number } | undefined {
    return this.#open.opening;
  }

  /** Resolves with the harness when the thread that is shown is open in it. */
  async ready(): Promise<Harness> {
    const open = this.#open;
    const { harness } = open;
    const threadId = this.#follower?.threadId;
    if (threadId === undefined || this.#isOpen(threadId)) return harness;
    if (open.opening?.threadId !== threadId) {
      const done = harness.switchThread({ threadId }).finally(() => {
        if (open.opening?.threadId === threadId) open.opening = undefined;
        this.#options.onChange();
      });
      open.opening = { threadId, since: this.#options.clock.now(), done, share: 0 };
      this.#options.onChange();
    }
    await open.opening.done;
    return harness;
  }

  /** The thread that is shown; undefined before its first message. */
  get follower(): ThreadFollower | undefined {
    return this.#follower;
  }

  /** The mode of the thread that is shown, or of the next new one. */
  get mode() {
    const { harness } = this;
    const threadId = this.#follower?.threadId;
    const { importedSeq = 0, metadata } = this.#thread ?? {};
    const { lastMode } = this.#follower?.times ?? {};
    const stored = lastMode !== undefined && lastMode.seq > importedSeq ? lastMode.modeId : metadata?.['currentModeId'];
    const known = threadId === undefined ? this.#nextMode : this.#isOpen(threadId) ? undefined : stored;
    return harness.listModes().find(({ id }) => id === known) ?? harness.getCurrentMode();
  }

  /** The model that was chosen for the thread that is shown, or for the next new one; empty when none was. */
  get modelId(): string {
    const threadId = this.#follower?.threadId;
    if (threadId === undefined || this.#isOpen(threadId)) return this.harness.getCurrentModelId();
    const currentModelId = this.#thread?.metadata['currentModelId'];
    return typeof currentModelId === 'string' ? currentModelId : '';
  }

  /** Switches the mode of the thread that is shown, or of the next new one. Throws `invalid_argument` for an unknown mode. */
  async switchMode(modeId: string): Promise<void> {
    const modes = this.harness.listModes().map(({ id }) => id);
    if (!modes.includes(modeId))
      throw new SingletreeError('invalid_argument', `Unknown mode "${modeId}". Use one of: ${modes.join(', ')}.`);
    if (this.#follower === undefined) this.#nextMode = modeId;
    else await (await this.ready()).switchMode({ modeId });
  }

  /** The ids of the threads that run in the background. */
  get background(): readonly string[] {
    return [...this.#background].filter(([, { harness }]) => harness.isRunning()).map(([id]) => id);
  }

  /**
   * Shows a thread with an agent, by default the one that worked in it; the thread that was shown goes on in the
   * background when it runs. Throws, and changes nothing, when the agent of the thread cannot be used here.
   */
  async switchTo(threadId: string, agent?: ChatAgent): Promise<void> {
    if (threadId === this.#follower?.threadId) return;
    const before = this.#background.get(threadId);
    const next = before?.agent ?? agent ?? (await this.#agentOf(threadId));
    this.#putAside(next);
    if (before !== undefined) {
      this.#background.delete(threadId);
      await this.#close(this.#open);
      this.#open = before;
    }
    this.#thread = await this.#options.log.getThread(threadId);
    const { seq = 0 } = this.#thread ?? {};
    const { reading } = await this.#follow(threadId);
    if (seq <= mostOpenedAtOnce) await this.ready();
    // A run that nobody owns continues when its thread is opened.
    else if (reading.running.length > 0) this.ready().catch(this.#options.onLost);
  }

  /** Begins without a thread: the next message creates one, with the same agent or another one. */
  startNew(agent = this.agent): void {
    this.#putAside(agent);
    if (this.harness.getCurrentThreadId() !== null) this.#replace(agent);
  }

  /** Creates the thread of the first message, unless one is open. */
  async ensureThread(title: string): Promise<void> {
    if (this.#follower !== undefined) return void (await this.ready());
    const { id } = await this.harness.createThread({ title });
    await this.harness.setThreadSetting({ key: 'cwd', value: this.#options.cwd });
    await this.harness.setThreadSetting({ key: 'agentId', value: this.agent.id });
    if (this.#nextMode !== undefined) await this.harness.switchMode({ modeId: this.#nextMode });
    this.#nextMode = undefined;
    await this.#follow(id);
  }

  /**
   * Releases everything; runs that are under way are resumed by the next program that opens their thread, and each shows
   * the reason, when there is one.
   */
  async close(reason?: (threadId: string, agentId: string) => string): Promise<void> {
    const { threadId = '' } = this.#follower ?? {};
    this.#follower?.close();
    const all = [[threadId, this.#open] as const, ...this.#background];
    await Promise.all(all.map(([id, open]) => this.#close(open, reason?.(id, open.agent.id))));
  }

  /** Closes the thread that is shown, or lets it run in the background; the open harness is then one of this agent. */
  #putAside(agent: ChatAgent): void {
    const threadId = this.#follower?.threadId;
    this.#follower?.close();
    this.#follower = undefined;
    if (threadId !== undefined && (this.harness.isRunning() || this.opening !== undefined)) {
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

  #isOpen(threadId: string): boolean {
    return this.harness.getCurrentThreadId() === threadId;
  }

  async #follow(threadId: string): Promise<ThreadFollower> {
    const { log, clock, onChange, onLost } = this.#options;
    const follower = await ThreadFollower.open(threadId, { log, clock, onChange, onLost });
    this.#follower = follower;
    onChange();
    return follower;
  }

  #create(agent: ChatAgent): Open {
    const harness = agent.createHarness();
    const unsubscribe = harness.subscribe(event => {
      if (event.type === 'thread_reading') this.#hasRead(harness, event);
      else if (harness === this.#open.harness) this.#options.onEvent(event);
      else if (event.type === 'agent_end') this.#options.onChange();
    });
    return { agent, harness, unsubscribe };
  }

  #hasRead(harness: Harness, { seq, lastSeq }: { readonly seq: number; readonly lastSeq: number }): void {
    const { opening } = this.#open;
    if (opening === undefined || harness !== this.harness) return;
    opening.share = Math.min(1, seq / Math.max(1, lastSeq));
    this.#options.onChange();
  }

  async #close({ harness, unsubscribe }: Open, reason?: string): Promise<void> {
    unsubscribe();
    await harness.destroy(reason);
  }
}
