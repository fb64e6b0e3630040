import type { AgentMode } from '../../agents/contract/abilities.ts';
import { Conversations } from '../../control/conversations/conversations.ts';
import { Supervisor } from '../../control/supervision/supervisor.ts';
import { checkModel, chosenModel, findChosenModel } from '../../control/conversations/conversation-settings.ts';
import { listOpenRuns } from '../../control/supervision/open-runs.ts';
import { defined } from '../../base/defined.ts';
import { newId } from '../../events/ids.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import type { Thread } from '../../log/event-log.ts';
import type { RelayEntry } from '../../projections/relay-book.ts';
import type { SentMessage } from '../../control/conversations/sent-message.ts';
import type { ChatAgent, ChatOptions } from './chat-options.ts';
import { type PersonAnswer, toRelayAnswer } from './relay-band.ts';
import type { RowContext } from '../rows/part-rows.ts';
import { OpenThread } from './open-thread.ts';

export interface ChatThreadsOptions
  extends Pick<ChatOptions, 'log' | 'agent' | 'telemetry' | 'limits' | 'cwd' | 'clock' | 'titles'> {
  readonly agents: Pick<ChatOptions['agents'], 'open' | 'agentOf'>;
  /** Further context for drawing the rows of threads. */
  readonly rows?: Pick<RowContext, 'density' | 'hint'>;
  /** The folder with the snapshots of work trees; without it nothing can be undone. */
  readonly snapshots?: string;
  /** Called with the thread that the first message created. */
  readonly onCreate?: (threadId: string) => void;
  /** Called whenever something changed that the screen shows. */
  readonly onChange: () => void;
  /** Called when a thread cannot be followed, or its run not be resumed. */
  readonly onLost: (error: unknown) => void;
}

/** A message that was not accepted yet, or whose run has not begun. */
export interface UnsentMessage {
  /** Undefined until its thread is created. */
  threadId: string | undefined;
  readonly text: string;
  readonly since: number;
  /** Whether the thread has it: its run begins. */
  isStored: boolean;
}

/** The thread that is shown, and what the person does in it; other threads run on in the background. */
export class ChatThreads {
  readonly conversations: Conversations;
  readonly #options: ChatThreadsOptions;
  readonly #supervisor: Supervisor;
  readonly #stop = new AbortController();
  /** The agents that were opened, by id. */
  readonly #agents = new Map<string, ChatAgent>();
  /** The agent that each thread was shown with last. */
  readonly #shownWith = new Map<string, string>();
  readonly #unsent = new Set<UnsentMessage>();
  /** The relays that the user answered here; they are no longer pending, even before the log records the answer. */
  readonly #answered = new Set<string>();
  #agent: ChatAgent;
  #follower: OpenThread | undefined;
  #creating: Promise<void> | undefined;
  /** Settles when the thread that is about to be shown is open, or cannot be opened. */
  #opening: Promise<unknown> = Promise.resolve();
  /** The thread that is shown, as it was when its model was chosen last. */
  #thread: Thread | undefined;
  /** The mode and the model for the next new thread. */
  #next: { readonly mode?: string; readonly model?: string } = {};

  constructor(options: ChatThreadsOptions) {
    this.#options = options;
    const { log, agent, snapshots, titles, telemetry, limits, onChange } = options;
    this.#agent = agent;
    this.#agents.set(agent.id, agent);
    const find = (id: string) => this.#agents.get(id)?.agent;
    const agents = ({ agentId }: { agentId: string }) => find(agentId);
    this.#supervisor = new Supervisor({ log, agents, ...defined({ telemetry, limits }) });
    this.#supervisor.onRunEnd(onChange);
    this.conversations = new Conversations({
      log,
      control: this.#supervisor,
      agents: { list: () => [...this.#agents.values()], get: find },
      signal: this.#stop.signal,
      ...defined({ snapshots, titles }),
    });
    this.conversations.deliver();
  }

  /** The agent of the thread that is shown, or of the next new one. */
  get agent(): ChatAgent {
    return this.#agent;
  }

  /** The thread that is shown; undefined before its first message. */
  get follower(): OpenThread | undefined {
    return this.#follower;
  }

  get threadId(): string | undefined {
    return this.#follower?.threadId;
  }

  /** The pending relays of the shown thread. */
  get pending(): readonly RelayEntry[] {
    return (this.#follower?.pending ?? []).filter(({ id }) => !this.#answered.has(id));
  }

  /** The oldest message to the thread that is shown whose run has not begun. */
  get unsent(): UnsentMessage | undefined {
    return [...this.#unsent].find(({ threadId }) => threadId === this.threadId);
  }

  /** Whether a turn runs in the thread that is shown, or is about to. */
  get isRunning(): boolean {
    const { threadId, unsent } = this;
    if (unsent !== undefined || (this.#follower?.reading.running.length ?? 0) > 0) return true;
    return this.#supervisor.running().some(run => run.threadId === threadId);
  }

  /** The ids of the threads that run in the background. */
  get background(): readonly string[] {
    const ids = this.#supervisor.running().map(({ threadId }) => threadId);
    return [...new Set(ids)].filter(id => id !== this.threadId);
  }

  /** The modes of the agent, the default first: an agent without modes is its only one. */
  get modes(): readonly AgentMode[] {
    const { id, modes = [] } = this.#agent.agent;
    return modes.length === 0 ? [{ id, name: id }] : modes;
  }

  /** The mode of the thread that is shown, or of the next new one. */
  get mode(): AgentMode {
    const { importedSeq = 0, metadata } = this.#thread ?? {};
    const { lastMode } = this.#follower?.times ?? {};
    const stored = lastMode !== undefined && lastMode.seq > importedSeq ? lastMode.modeId : metadata?.['currentModeId'];
    const known = this.threadId === undefined ? this.#next.mode : stored;
    return (this.modes.find(({ id }) => id === known) ?? this.modes[0]) as AgentMode;
  }

  /** The model that was chosen for the thread that is shown, or for the next new one; empty when none was. */
  get modelId(): string {
    const { id, model = '' } = this.#agent;
    return (this.#thread === undefined ? this.#next.model : findChosenModel(this.#thread, id)) ?? model;
  }

  /** Stops what runs, and switches the mode of the thread that is shown, or of the next new one; throws `invalid_argument`. */
  async switchMode(modeId: string): Promise<void> {
    const modes = this.modes.map(({ id }) => id);
    if (!modes.includes(modeId))
      throw new SingletreeError('invalid_argument', `Unknown mode "${modeId}". Use one of: ${modes.join(', ')}.`);
    const { threadId } = this;
    if (threadId === undefined) this.#next = { ...this.#next, mode: modeId };
    else if (this.mode.id !== modeId) await this.conversations.switchMode(threadId, this.#agent.id, modeId);
  }

  /** Chooses the model of the thread that is shown, or of the next new one. */
  async switchModel(modelId: string): Promise<void> {
    const { threadId, agent } = this;
    if (threadId === undefined) {
      await checkModel(agent.agent, modelId);
      this.#next = { ...this.#next, model: modelId };
      return;
    }
    await this.conversations.switchModel(threadId, agent.id, modelId);
    if (threadId === this.threadId) this.#thread = await this.#options.log.getThread(threadId);
  }

  /**
   * Shows a thread with an agent, by default the one that last worked in it, and resumes a run that no process owns.
   * Runs of the previously shown thread continue. Throws, without changing anything, when the agent of the thread
   * cannot be used here.
   */
  async switchTo(threadId: string, agent?: ChatAgent): Promise<void> {
    if (threadId === this.threadId) return;
    const opening = this.#open(threadId, agent);
    this.#opening = opening.catch(() => undefined);
    await opening;
  }

  async #open(threadId: string, agent: ChatAgent | undefined): Promise<void> {
    const { log, agents, onLost, onChange } = this.#options;
    const worker = await agents.agentOf(threadId);
    this.#use(agent ?? (worker === undefined ? this.#agent : await this.#openAgent(worker)));
    this.#thread = await log.getThread(threadId);
    await this.#follow(threadId);
    const open = this.#thread === undefined ? [] : listOpenRuns(this.#thread);
    if (open.length > 0 && open.every(({ agentId }) => this.#agents.has(agentId)))
      void this.#supervisor.takeOver(threadId).then(onChange, onLost);
  }

  /** Whether another agent can continue the thread that is shown: no turn runs in it. */
  get canChangeAgent(): boolean {
    return this.#follower !== undefined && !this.isRunning;
  }

  /** Continues the thread that is shown with another agent, from the next message on. Returns whether it can. */
  continueWith(agent: ChatAgent): boolean {
    const { threadId } = this;
    if (threadId === undefined || !this.canChangeAgent) return false;
    this.#agent = agent;
    this.#agents.set(agent.id, agent);
    this.#shownWith.set(threadId, agent.id);
    this.#options.onChange();
    return true;
  }

  /** Begins without a thread: the next message creates one, with the same agent or another one. */
  startNew(agent = this.#agent): void {
    if (agent.id !== this.#agent.id) this.#next = {};
    this.#use(agent);
    this.#options.onChange();
  }

  /** Creates the thread of the first message, unless one is shown or about to be. Returns its id. */
  async ensureThread(title: string): Promise<string> {
    await this.#opening;
    if (this.#follower === undefined) {
      this.#creating ??= this.#create(title).finally(() => (this.#creating = undefined));
      await this.#creating;
    }
    return this.threadId ?? '';
  }

  /** Sends a message to the thread that is shown: into its run, after it, or as a new turn. Resolves when that has begun. */
  async send(
    content: SentMessage['content'],
    { text, title, delivery = 'steer' }: { text: string; title: string; delivery?: 'steer' | 'follow_up' },
  ): Promise<void> {
    const id = newId();
    const { clock, onChange } = this.#options;
    const unsent: UnsentMessage = { threadId: this.threadId, text, since: clock.now(), isStored: false };
    this.#unsent.add(unsent);
    let unwatch: (() => void) | undefined;
    try {
      const threadId = await this.ensureThread(title);
      unsent.threadId ??= threadId;
      unwatch = this.#follower?.watch(event => {
        if (event.type === 'user' && event.id === id) unsent.isStored = true;
      });
      await this.conversations.send(threadId, { id, content, delivery, agent: this.#agent.id });
    } finally {
      unwatch?.();
      this.#unsent.delete(unsent);
      onChange();
    }
  }

  async answer({ id, ...entry }: RelayEntry, answer: PersonAnswer): Promise<void> {
    const { onChange } = this.#options;
    this.#answered.add(id);
    onChange();
    try {
      await this.conversations.answer(this.threadId ?? '', id, toRelayAnswer({ id, ...entry }, answer));
    } catch (error) {
      this.#answered.delete(id);
      onChange();
      throw error;
    }
  }

  /** Stops what runs in the thread that is shown; text that is there stays. */
  async stop(): Promise<void> {
    if (this.threadId !== undefined) await this.conversations.abortAll(this.threadId);
  }

  /**
   * Releases everything; runs that are under way are resumed by the next program that opens their thread, and each shows
   * the reason, when there is one.
   */
  async close(reason?: (threadId: string, agentId: string) => string): Promise<void> {
    this.#stop.abort();
    this.#follower?.close();
    await this.#supervisor.close(reason && (({ threadId }) => reason(threadId, this.#shownWith.get(threadId) ?? '')));
  }

  async #create(title: string): Promise<void> {
    const { log, cwd } = this.#options;
    const { id: agentId } = this.#agent;
    const { mode, model } = this.#next;
    const metadata = { cwd, agentId, ...(model !== undefined && chosenModel(agentId, model)) };
    this.#thread = await log.createThread({ resourceId: 'default', title, metadata });
    if (mode !== undefined) await this.conversations.switchMode(this.#thread.id, agentId, mode);
    this.#next = {};
    const { id } = this.#thread;
    this.#options.onCreate?.(id);
    await this.#follow(id, () => {
      for (const unsent of this.#unsent) unsent.threadId ??= id;
    });
  }

  #use(agent: ChatAgent): void {
    this.#follower?.close();
    this.#follower = this.#thread = undefined;
    this.#agent = agent;
    this.#agents.set(agent.id, agent);
  }

  async #openAgent(id: string): Promise<ChatAgent> {
    return this.#agents.get(id) ?? (await this.#options.agents.open(id));
  }

  /** Shows a thread; `onOpen` is called before listeners are notified. */
  async #follow(threadId: string, onOpen?: () => void): Promise<void> {
    const { onChange } = this.#options;
    this.#shownWith.set(threadId, this.#agent.id);
    this.#follower = await OpenThread.open(threadId, this.#options);
    onOpen?.();
    onChange();
  }
}
