import { defined } from '../../base/defined.ts';
import { newId } from '../../events/ids.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import type { EventLog, Thread } from '../../log/event-log.ts';
import { MemoryLog } from '../../log/memory-log.ts';
import { checkAgentIds } from '../../agents/agent-ids.ts';
import { backgroundClock } from '../../agents/clock.ts';
import { sharedThreadMemory } from '../threads/thread-memory.ts';
import { checkArguments, checkAvailable } from './arguments/check-arguments.ts';
import { EventHub } from './event-hub.ts';
import type { HarnessConfig } from './harness-config.ts';
import type { DisplayEvent } from './harness-event.ts';
import type { HarnessMessage } from './harness-message.ts';
import { Heartbeats } from './heartbeats.ts';
import { harnessDestroyed } from './machine/harness-errors.ts';
import type { SentMessage, UserInput } from './machine/messages.ts';
import { Machine } from './machine/shell.ts';
import { type Entry, isBusy } from './machine/state.ts';
import { TurnEffects } from './machine/turn-effects.ts';
import { HarnessMemory } from './memory/harness-memory.ts';
import { endsMemoryWork } from './memory/om-event.ts';
import { newUserMessage } from './messages/thread-messages.ts';
import { PermissionState } from './permissions/permission-state.ts';
import { Relays } from './permissions/relays.ts';
import { Choices } from './settings/choices.ts';
import { ModeChanges } from './settings/mode-changes.ts';
import { ModelCatalog } from './settings/model-catalog.ts';
import type { ModelSwitch } from './settings/models.ts';
import { agentOfMode, Modes } from './settings/modes.ts';
import { StateStore } from './settings/state-store.ts';
import { StateUpdates } from './settings/state-updates.ts';
import { Forks } from './subagents/forks.ts';
import { StateTasks } from './settings/state-tasks.ts';
import type { OpenThread } from './threads/open-thread.ts';
import { HeldLock } from './threads/thread-lock.ts';
import { ThreadRecords } from './threads/thread-records.ts';
import { ThreadSettings } from './threads/thread-settings.ts';
import { Threads } from './threads/threads.ts';
import { declaredCategory } from './tools/harness-tool.ts';
import { RequestContext } from './tools/request-context.ts';
import { toolContext } from './tools/tool-context.ts';
import { setUpRun } from './turns/run-setup.ts';
import { Runs, type RunsOptions } from './turns/runs.ts';
import { WorkspaceHost } from './workspace/workspace-host.ts';

/** Wires the parts of a harness together and coordinates operations that need several of them. */
export class Engine<State extends object> {
  readonly config: HarnessConfig<State>;
  readonly log: EventLog;
  readonly hub: EventHub;
  readonly state: StateStore;
  readonly modes: Modes<State>;
  readonly choices: Choices<State>;
  readonly modeChanges: ModeChanges<State>;
  readonly catalog: ModelCatalog;
  readonly memory: HarnessMemory;
  readonly permissions: PermissionState;
  readonly threads: Threads;
  readonly records: ThreadRecords;
  /** Decides what happens to each message and command. */
  readonly machine: Machine;
  readonly runs: Runs;
  readonly relays: Relays;
  readonly heartbeats: Heartbeats;
  readonly workspaces: WorkspaceHost;
  readonly tasks: StateTasks;
  readonly settings: ThreadSettings;
  readonly stateUpdates: StateUpdates = new StateUpdates(this);
  readonly #effects: TurnEffects;
  /** The resource that callers chose last. */
  #resourceId: string;
  readonly #forks: Forks;
  #initialised: Promise<void> | undefined;
  #destroyed: Promise<void> | undefined;
  /** The context that the tools of the newest run received. */
  #runContext: RequestContext | undefined;

  constructor(config: HarnessConfig<State>) {
    checkArguments('new Harness', config);
    checkAvailable(config);
    this.config = config;
    const hub = new EventHub(new Map(config.subagents?.map(({ id, name }) => [id, name])));
    const onError = (error: unknown) => hub.emitError(error);
    const hasThread = () => this.threads.current !== undefined;
    const newOwnId = config.idGenerator ?? newId;
    this.#resourceId = config.resourceId ?? config.id;
    this.hub = hub;
    this.log = config.storage ?? new MemoryLog();
    const memory = sharedThreadMemory(this.log);
    this.#effects = new TurnEffects(this);
    this.machine = new Machine(this.#effects, backgroundClock);
    this.heartbeats = new Heartbeats({ onError });
    this.state = new StateStore({
      ...defined({ schema: config.stateSchema, initialState: config.initialState }),
      onChange: (...change) => this.stateUpdates.onChange(...change),
      onEvents: events => this.stateUpdates.onToolEvents(events),
    });
    this.modes = new Modes(config.modes);
    checkAgentIds('The list of subagents', config.subagents ?? []);
    this.settings = new ThreadSettings(this.state);
    this.records = new ThreadRecords({
      log: this.log,
      conversations: () => this.runs.conversations,
      hub,
      state: this.state,
      settings: this.settings,
      thread: () => this.threads.current,
    });
    this.choices = new Choices({
      modes: this.modes,
      state: this.state,
      hasThread,
      record: (chosen, takeEffect) => this.records.choose(chosen, takeEffect),
      emit: event => hub.emit(event),
    });
    this.choices.init();
    this.modeChanges = new ModeChanges({
      machine: this.machine,
      modes: this.modes,
      choices: this.choices,
      carriesOutPlans: () =>
        agentOfMode(this.modes.current, this.state.get() as State).abilities?.carriesOutPlans === true,
      thread: async () => this.threads.current && this.log.getThread(this.threads.current.id),
    });
    this.catalog = new ModelCatalog(config, onError);
    this.workspaces = new WorkspaceHost({ source: config.workspace, emit: event => hub.emit(event) });
    this.permissions = new PermissionState(this.state, {
      resolver: config.toolCategoryResolver,
      declared: toolName =>
        declaredCategory(config.tools, toolName) ??
        this.workspaces.findCategory(toolName) ??
        agentOfMode(this.modes.current, this.state.get() as State).categoryOf?.(toolName),
    });
    this.memory = new HarnessMemory({
      config,
      log: this.log,
      setting: key => this.state.setting(key),
      thread: () => this.thread,
      registry: () => this.catalog.registry(),
      emit: event => hub.emit(event),
    });
    this.tasks = new StateTasks({
      state: this.state,
      board: () => this.threads.current?.board,
      append: event => this.records.append([event]),
      onError,
    });
    this.#forks = new Forks({
      log: this.log,
      memory,
      newOwnId,
      limits: config.limits,
      telemetry: config.telemetry,
      flush: threadId => this.runs.supervisor.flush(threadId),
    });
    this.runs = new Runs({
      log: this.log,
      memory,
      newRunId: newOwnId,
      limits: config.limits,
      contextOf: config.contextOf,
      telemetry: config.telemetry,
      hasContext: messageId => this.machine.hasContext(messageId),
      agent: () => agentOfMode(this.modes.current, this.state.get() as State),
      prepare: (...run) => this.#setUpRun(...run),
    });
    this.relays = new Relays({
      permissions: this.permissions,
      hub,
      thread: () => this.thread,
      answer: (...given) => this.#answer(...given),
      finishPlanning: decided => this.modeChanges.finishPlanning(decided),
    });
    this.threads = new Threads({
      log: this.log,
      conversations: this.runs.conversations,
      memory,
      hub,
      lock: new HeldLock(config.threadLock, onError),
      newThreadId: newOwnId,
      resourceId: this.#resourceId,
      newMetadata: () => this.#newMetadata(),
      leave: () => this.machine.stop('leave'),
      onOpen: (thread, isFirst) => this.#opened(thread, isFirst),
      onClosed: () => {
        this.choices.clearThread();
        if (!this.#isDestroyed) this.tasks.show();
      },
      onDeleted: error => this.machine.dispatch({ type: 'lost', error }),
      onEvent: (event, at) => this.#onLogEvent(event, at),
    });
  }

  get #isDestroyed(): boolean {
    return this.machine.state.isDestroyed;
  }

  /** The resource in effect for new calls. */
  get resourceId(): string {
    return this.#resourceId;
  }

  agentId(): string {
    return agentOfMode(this.modes.current, this.state.get() as State).id;
  }

  knownAgents(): ReadonlySet<string> {
    return new Set(this.modes.list.map(mode => agentOfMode(mode, this.state.get() as State).id));
  }

  /** The number of follow-ups that wait in the open thread, of this harness and of other processes. */
  get followUpCount(): number {
    const { thread } = this;
    const own = this.machine.followUpIds.filter(id => thread?.hasQueued(id) !== true);
    const queued = thread?.queue.flatMap(({ id, delivery }) => (delivery === 'follow_up' ? id : [])) ?? [];
    return new Set([...own, ...queued]).size;
  }

  /** The thread that callers see: undefined as soon as they choose another resource. */
  get thread(): OpenThread | undefined {
    const { made, reached } = this.machine.state.choices;
    return made === reached ? this.threads.current : undefined;
  }

  /** Runs once; every other method implies it. */
  init(): Promise<void> {
    if (this.#isDestroyed) return Promise.reject(harnessDestroyed());
    this.#initialised ??= this.state.ready
      .then(() => this.workspaces.start())
      .then(() => this.heartbeats.start(this.config.heartbeatHandlers ?? []));
    return this.#initialised;
  }

  /** Rejects a mode that does not exist and a model that its agent cannot have. */
  async switchModel(choice: ModelSwitch): Promise<void> {
    const mode = choice.modeId === undefined ? this.modes.current : this.modes.find(choice.modeId);
    await this.catalog.check(choice.modelId, agentOfMode(mode, this.state.get() as State));
    await this.choices.switchModel(choice);
  }

  /** Changes threads exclusively, then shows the memory and resumes orphaned runs when another thread is open. */
  withThreads<Result>(work: (threads: Threads) => Promise<Result>): Promise<Result> {
    return this.machine.command(async () => {
      const before = this.threads.current;
      const result = await work(this.threads);
      await this.tasks.written;
      const { current } = this.threads;
      if (current === before) return result;
      if (this.config.memory !== undefined && current !== undefined && current.seq > 0)
        await this.memory.loadProgress().catch((error: unknown) => this.hub.emitError(error));
      await this.machine.resumeOrphans();
      return result;
    });
  }

  /** Closes the open thread and aborts its run: at once when no call is queued, else after the queued ones. */
  chooseResource(resourceId: string): void {
    this.#resourceId = resourceId;
    void this.machine
      .choose(() => this.threads.changeResource(resourceId))
      .catch(error => void (this.#isDestroyed || this.hub.emitError(error)));
    if (this.machine.isReached(this.machine.state.choices.made)) this.threads.resourceId = resourceId;
  }

  /**
   * Releases runs, thread and lock regardless of heartbeats, then waits a limited time for these. Emits an `error` for
   * each heartbeat that has not ended.
   */
  destroy(reason?: string): Promise<void> {
    this.#destroyed ??= this.#release(reason);
    return this.#destroyed;
  }

  async #release(reason: string | undefined): Promise<void> {
    const beating = this.heartbeats.close();
    const released = this.machine.destroy(async () => {
      await this.machine.over();
      await this.threads.close();
    });
    await this.machine.stored();
    await this.runs.supervisor.close(reason);
    // Closed after their parents, which would take the end of a fork for its result.
    await this.#forks.close();
    await released;
    await beating;
    await this.workspaces.close();
    this.hub.close();
    if (this.config.storage === undefined) await this.log.close();
  }

  send(input: UserInput, kind?: Entry['kind']): SentMessage {
    return this.machine.send(input, kind);
  }

  /** Delivers the waiting messages of the open thread, or one of them: to the active turn, or as the next turn. */
  sendWaiting(messageId: string | undefined): Promise<void> {
    return this.machine.command(async () => {
      await this.machine.resumeOrphans();
      const thread = this.threads.current;
      if (thread !== undefined && messageId !== undefined) await this.runs.conversations.sendNow(thread.id, messageId);
      await this.machine.deliver(messageId);
    });
  }

  /** Stores a reminder in the open thread, or injects it into the active turn; it gets no answer. Null without a thread. */
  async remind(content: string): Promise<HarnessMessage | null> {
    if (this.thread === undefined) return null;
    const id = newId();
    const { done, isDelivered } = this.send({ content, id }, 'reminder');
    await done;
    return isDelivered() ? newUserMessage({ content }, id, new Date()) : null;
  }

  /** Aborts the runs of the open thread, in any process. */
  abort(): void {
    const { thread, machine } = this;
    if (isBusy(machine.state) || thread === undefined || !thread.hasOpenRuns)
      return machine.dispatch({ type: 'abort' });
    const aborted = machine.command(async () => {
      if (machine.state.turn !== undefined) machine.dispatch({ type: 'abort' });
      else if (this.threads.current === thread) await this.runs.stopAll(thread);
    });
    aborted.catch(error => {
      if (!this.#isDestroyed) this.hub.emitError(error, SingletreeError.is(error) ? error.code : undefined);
    });
  }

  /** Adds values to the request context of the active run. */
  addContext(more: RequestContext | undefined): void {
    for (const [key, value] of more ?? []) if (key !== 'harness') this.#runContext?.set(key, value);
  }

  /** Restores the settings and tasks of a thread. The first new thread receives the tasks that were set before. */
  #opened({ metadata }: Thread, isFirst: boolean): void {
    this.machine.dispatch({ type: 'runs', isOpen: this.threads.current?.hasOpenRuns === true });
    this.relays.clear();
    this.settings.restore(metadata);
    // An agent may have changed the mode, and a branch may end before a change: the log counts, not the metadata.
    const mode = this.modes.list.find(({ id }) => id === this.threads.current?.mode);
    this.choices.restore(mode === undefined ? metadata : { ...metadata, currentModeId: mode.id });
    if (isFirst) this.tasks.take({ restored: true });
    else this.tasks.show();
    if (this.followUpCount > 0) this.#effects.onQueued();
  }

  #newMetadata(): Record<string, unknown> {
    const { projectPath } = this.state.get();
    const chosen = { ...this.choices.metadata(), ...this.settings.metadata() };
    return { ...chosen, ...defined({ projectPath }) };
  }

  /** The parameters of a run, in the situation when it starts. */
  #setUpRun(
    ...[params, { thread, turn, agent, requestContext = new RequestContext() }]: Parameters<RunsOptions['prepare']>
  ) {
    this.#runContext = requestContext;
    for (const more of turn.extraContexts) this.addContext(more);
    return setUpRun(params, {
      config: this.config,
      requestContext,
      harness: toolContext(this, thread.id),
      thread,
      agent,
      memory: () => this.memory.forRun(params.run, thread, requestContext),
      forks: this.#forks,
      workspace: context => this.workspaces.resolve(context),
      denied: this.permissions.deniedTools,
      situationOf: this.permissions.situationOf,
      modelId: this.choices.modelFor(agent),
      subagentModel: subagent => this.choices.getModel(subagent),
      registry: () => this.catalog.registry(),
    });
  }

  /** Answers a relay, and resumes its run here when no process owns it. */
  async #answer(threadId: string, relayId: string, answer: Parameters<Runs['supervisor']['answer']>[2]): Promise<void> {
    await this.runs.conversations.answer(threadId, relayId, answer);
    if (this.machine.state.turn === undefined) await this.machine.command(() => this.machine.resumeOrphans());
  }

  #onLogEvent(event: DisplayEvent, at: Date | undefined): void {
    if (event.type === 'tool_approval_required' && !this.relays.needsApproval(event.toolCallId)) return;
    if (event.type === 'agent_end' && event.reason === 'suspended') this.machine.dispatch({ type: 'suspended' });
    else if (event.type === 'agent_start' || event.type === 'agent_end')
      this.machine.dispatch({ type: 'runs', isOpen: event.type === 'agent_start' });
    if (event.type === 'mode_changed' || event.type === 'model_changed') this.choices.apply(event);
    if (event.type === 'plan_approved' && this.modes.current !== this.modes.default)
      this.machine.dispatch({ type: 'plan_approved' });
    this.hub.emit(event, at);
    if (endsMemoryWork(event) && this.machine.state.turn === undefined) this.threads.current?.unfollowIfIdle();
    if (event.type === 'task_updated' || event.type === 'tasks_restored') this.tasks.show();
  }
}
