import { newId, SingletreeError } from '../../events/index.ts';
import { type EventLog, MemoryLog, type Thread } from '../../log/index.ts';
import { backgroundClock, type Clock, systemClock } from '../supervision/clock.ts';
import { ThreadMemory } from '../thread-memory.ts';
import { EventHub } from './event-hub.ts';
import { CommandQueue, harnessDestroyed } from './threads/command-queue.ts';
import { checkArguments } from './arguments/check-arguments.ts';
import { Choices } from './settings/choices.ts';
import type { HarnessConfig, HarnessMode } from './harness-config.ts';
import type { DisplayEvent, HarnessEvent } from './harness-event.ts';
import { Heartbeats } from './heartbeats.ts';
import { OrphanedRuns } from './turns/orphaned-runs.ts';
import { UnsentMessages } from './turns/unsent-messages.ts';
import { ModelCatalog } from './settings/model-catalog.ts';
import { agentOfMode, Modes } from './settings/modes.ts';
import type { OpenThread } from './threads/open-thread.ts';
import { PermissionState } from './permissions/permission-state.ts';
import { Planning } from './turns/planning.ts';
import { Relays } from './permissions/relays.ts';
import { Reminders } from './threads/reminders.ts';
import { RequestContext } from './tools/request-context.ts';
import { Resources } from './threads/resources.ts';
import { Responses } from './permissions/responses.ts';
import { declaredCategory } from './tools/harness-tool.ts';
import { setUpRun } from './turns/run-setup.ts';
import { Runs } from './turns/runs.ts';
import { StateStore, type StateUpdater } from './settings/state-store.ts';
import { Forks } from './subagents/forks.ts';
import { StateTasks } from './tasks/state-tasks.ts';
import { HeldLock } from './threads/thread-lock.ts';
import { ThreadRecords } from './threads/thread-records.ts';
import { ThreadSettings } from './threads/thread-settings.ts';
import { Threads } from './threads/threads.ts';
import { toolContext } from './tools/tool-context.ts';
import { type UserInput, type PendingSend, type Turn, Turns } from './turns/turns.ts';
import { checkAvailable } from './arguments/unavailable-options.ts';
import { WorkspaceHost } from './workspace/workspace-host.ts';

/** Wires the parts of a harness together and coordinates operations that need several of them. */
export class Engine<State extends object> {
  readonly config: HarnessConfig<State>;
  readonly log: EventLog;
  readonly hub: EventHub;
  readonly state: StateStore;
  readonly modes: Modes<State>;
  readonly choices: Choices<State>;
  readonly catalog: ModelCatalog;
  readonly permissions: PermissionState;
  readonly threads: Threads;
  readonly resources: Resources;
  readonly records: ThreadRecords;
  readonly turns: Turns;
  readonly runs: Runs;
  readonly relays: Relays;
  readonly responses: Responses;
  readonly reminders: Reminders;
  readonly heartbeats: Heartbeats;
  readonly workspaces: WorkspaceHost;
  readonly #lock: HeldLock;
  readonly #commands: CommandQueue;
  readonly #settings: ThreadSettings;
  readonly #tasks: StateTasks;
  readonly #planning: Planning<State>;
  readonly #orphanedRuns: OrphanedRuns;
  readonly #forks: Forks;
  /** The thread of each turn. */
  readonly #turnThreads = new WeakMap<Turn, OpenThread>();
  readonly #unsentMessages: UnsentMessages;
  #initialised: Promise<void> | undefined;
  #isDestroyed = false;
  /** The resource choice under which the state was updated last. */
  #updatedUnder = 0;
  /** The context that the tools of the newest run received. */
  #runContext: RequestContext | undefined;

  constructor(config: HarnessConfig<State>, clock?: Clock) {
    checkArguments('new Harness', config);
    checkAvailable(config);
    const hub = new EventHub(new Map(config.subagents?.map(({ id, name }) => [id, name])));
    this.hub = hub;
    const onError = (error: unknown) => hub.emitError(error);
    this.config = config;
    this.#commands = new CommandQueue({ ready: () => this.init(), onSwitched: () => this.turns.deliverQueued() });
    this.modes = new Modes(config.modes);
    this.log = config.storage ?? new MemoryLog();
    this.state = new StateStore({
      ...(config.stateSchema !== undefined && { schema: config.stateSchema }),
      ...(config.initialState !== undefined && { initialState: config.initialState }),
      onChange: (...change) => this.#stateChanged(...change),
      onEvents: events => this.#onToolEvents(events),
    });
    this.#settings = new ThreadSettings(this.state);
    this.records = new ThreadRecords({
      log: this.log,
      hub,
      state: this.state,
      settings: this.#settings,
      thread: () => this.threads.current,
    });
    this.choices = new Choices({
      modes: this.modes,
      state: this.state,
      hasThread: () => this.threads.current !== undefined,
      record: (chosen, takeEffect) => this.records.choose(chosen, takeEffect),
      emit: event => hub.emit(event),
    });
    this.catalog = new ModelCatalog(config, onError);
    this.choices.init();
    this.#tasks = new StateTasks({
      state: this.state,
      hasThread: () => this.threads.current !== undefined,
      append: event => this.records.append([event]),
      onError,
    });
    this.workspaces = new WorkspaceHost({ source: config.workspace, emit: event => hub.emit(event) });
    this.permissions = new PermissionState(this.state, {
      resolver: config.toolCategoryResolver,
      declared: toolName =>
        declaredCategory(config.tools, toolName) ??
        this.workspaces.categoryOf(toolName) ??
        agentOfMode(this.modes.current, this.state.get() as State).categoryOf?.(toolName),
    });
    this.#lock = new HeldLock(config.threadLock, onError);
    this.heartbeats = new Heartbeats({ onError, endClock: clock ?? systemClock });
    const newOwnId = config.idGenerator ?? newId;
    const memory = new ThreadMemory(this.log);
    this.#forks = new Forks({
      log: this.log,
      memory,
      newOwnId,
      limits: config.limits,
      flush: threadId => this.runs.supervisor.flush(threadId),
    });
    this.runs = new Runs({
      log: this.log,
      memory,
      newRunId: newOwnId,
      limits: config.limits,
      agent: () => agentOfMode(this.modes.current, this.state.get() as State),
      prepare: (params, { thread, turn, agent, requestContext = new RequestContext() }) => {
        this.#runContext = requestContext;
        for (const more of turn.extraContexts) this.addContext(more);
        return setUpRun(params, {
          config: this.config,
          requestContext,
          harness: toolContext(this, thread.id),
          thread,
          agent,
          forks: this.#forks,
          workspace: context => this.workspaces.resolve(context),
          rules: this.permissions.rules,
          situationOf: this.permissions.situationOf,
          modelId: this.choices.modelId,
          subagentModel: subagent => this.choices.modelOf(subagent),
          registry: () => this.catalog.registry(),
        });
      },
    });
    this.turns = new Turns({
      start: async (turn, input) => {
        await this.init();
        return this.#commands.runExclusive(async () => {
          if (await this.#unsentMessages.storeIfDetached(turn, [input])) return;
          if (this.threads.current === undefined) await this.threads.create();
          await this.#tasks.written;
          const thread = this.threads.current as OpenThread;
          this.#turnThreads.set(turn, thread);
          await this.runs.start(thread, turn, input).catch(error => {
            this.#orphanedRuns.watch();
            throw error;
          });
        });
      },
      stop: ({ runId }) => this.runs.stop(runId),
      settle: (turn, unread) => this.#settle(turn, unread),
      isSwitching: () => this.#commands.isSwitching,
      onQueued: count => hub.emit({ type: 'follow_up_queued', count }),
      onError,
    });
    this.#orphanedRuns = new OrphanedRuns({
      runs: this.runs,
      turns: this.turns,
      clock: clock ?? backgroundClock,
      thread: () => this.threads.current,
      runExclusive: work => this.#commands.runExclusive(work),
      onTurn: (turn, thread) => this.#turnThreads.set(turn, thread),
    });
    this.#unsentMessages = new UnsentMessages({
      log: this.log,
      runs: this.runs,
      turns: this.turns,
      target: () => ({ resourceId: this.threads.resourceId, threadId: this.threads.current?.id }),
    });
    const resourceId = config.resourceId ?? config.id;
    this.resources = new Resources({
      resourceId,
      commands: this.#commands,
      turns: this.turns,
      unsentMessages: this.#unsentMessages,
      threads: () => this.threads,
      onError: error => void (this.#isDestroyed || onError(error)),
    });
    this.#planning = new Planning({
      modes: this.modes,
      turns: this.turns,
      enterMode: mode => this.#enterMode(mode),
      switchMode: modeId => this.switchMode(modeId),
    });
    this.relays = new Relays({
      thread: () => this.thread,
      answer: (threadId, relayId, answer) => this.#answer(threadId, relayId, answer),
      onSettled: (slot, id) => hub.emit({ type: 'relay_settled', slot, id }),
      onError: error => {
        onError(error);
        if (!SingletreeError.is(error, 'relay_resolved')) this.responses.askAgain();
      },
    });
    this.responses = new Responses({
      relays: this.relays,
      permissions: this.permissions,
      hub,
      finishPlanning: decided => this.#planning.finish(decided),
    });
    this.reminders = new Reminders({
      commands: this.#commands,
      turns: this.turns,
      resources: this.resources,
      records: this.records,
      thread: () => this.thread,
      isOpen: () => this.threads.current !== undefined,
      send: input => this.send(input),
    });
    this.threads = new Threads({
      log: this.log,
      memory,
      hub,
      lock: this.#lock,
      newThreadId: newOwnId,
      resourceId,
      newMetadata: () => {
        const { projectPath } = this.state.get();
        const chosen = { ...this.choices.metadata(), ...this.#settings.metadata() };
        return { ...chosen, ...(projectPath !== undefined && { projectPath }) };
      },
      stop: async () => {
        await this.#unsentMessages.detachThread(this.#commands.activeOrder);
        await this.turns.stop();
      },
      onOpen: (thread, isFirst) => this.#opened(thread, isFirst),
      onClosed: () => {
        this.choices.clearThread();
        this.#orphanedRuns.stopWatching();
        if (!this.#isDestroyed) this.#tasks.show([]);
      },
      onEvent: (event, at) => this.#onLogEvent(event, at),
    });
  }

  /** The thread that callers see: undefined as soon as they choose another resource. */
  get thread(): OpenThread | undefined {
    return this.resources.isChanging ? undefined : this.threads.current;
  }

  /** Runs once; every other method implies it. */
  init(): Promise<void> {
    if (this.#isDestroyed) return Promise.reject(harnessDestroyed());
    this.#initialised ??= this.state.ready
      .then(() => this.workspaces.start())
      .then(() => this.heartbeats.start(this.config.heartbeatHandlers ?? []));
    return this.#initialised;
  }

  /** Changes threads exclusively, then resumes orphaned runs when another thread is open. */
  withThreads<Result>(work: (threads: Threads) => Promise<Result>): Promise<Result> {
    return this.#commands.runSwitch(async () => {
      const before = this.threads.current;
      const result = await work(this.threads);
      await this.#tasks.written;
      if (this.threads.current !== before) await this.#orphanedRuns.resume();
      return result;
    });
  }

  /** Aborts the active run and switches the mode. */
  async switchMode(modeId: string): Promise<void> {
    const mode = this.modes.find(modeId);
    await this.#commands.runSwitch(async () => {
      if (mode === this.modes.current) return;
      await this.turns.stop();
      await this.#enterMode(mode);
    });
  }

  /**
   * Releases runs, thread and lock regardless of heartbeats, then waits a limited time for these. Emits an `error` for
   * each heartbeat that has not ended.
   */
  async destroy(): Promise<void> {
    this.#isDestroyed = true;
    this.#commands.close();
    this.#orphanedRuns.close();
    const stored = this.#unsentMessages.detachThread(Number.POSITIVE_INFINITY);
    const beating = this.heartbeats.close();
    await stored.catch(error => this.hub.emitError(error));
    await this.runs.supervisor.close();
    // Closed after their parents, which would take the end of a fork for its result.
    await this.#forks.close();
    await this.#commands.runAlways(async () => {
      await this.turns.stop();
      await this.threads.close();
    });
    await beating;
    await this.workspaces.close();
    this.hub.close();
    if (this.config.storage === undefined) await this.log.close();
  }

  /** Resolves when the state is updated and its tasks are in the log. */
  setState(updates: Readonly<Record<string, unknown>>): Promise<void> {
    return this.updateState(() => ({ updates, result: undefined }));
  }

  /** Applies the update that an updater returns. */
  async updateState<Result>(updater: StateUpdater<Result>): Promise<Result> {
    const { choice } = this.resources;
    const result = await this.state.update(async state => {
      const update = await updater(state);
      this.#updatedUnder = choice;
      return update;
    });
    await this.#tasks.written;
    return result;
  }

  send(input: UserInput): PendingSend {
    if (this.turns.acceptsInput) this.addContext(input.requestContext);
    return this.turns.send({ ...input, order: this.#commands.nextOrder() });
  }

  followUp(input: UserInput): Promise<void> {
    return this.turns.followUp({ ...input, order: this.#commands.nextOrder() });
  }

  /** Aborts the runs of the open thread, whichever process owns them. */
  abort(): void {
    const { thread } = this;
    if (this.turns.current !== undefined || thread === undefined || !this.hub.display.isRunning)
      return this.turns.abort();
    void this.#commands
      .runExclusive(() => this.#orphanedRuns.abort(thread))
      .catch(error => {
        if (!this.#isDestroyed) this.hub.emitError(error, SingletreeError.is(error) ? error.code : undefined);
      });
  }

  /** Adds values to the request context of the active run. */
  addContext(more: RequestContext | undefined): void {
    for (const [key, value] of more ?? []) if (key !== 'harness') this.#runContext?.set(key, value);
  }

  async #enterMode(mode: HarnessMode<State>): Promise<void> {
    const thread = this.threads.current && (await this.log.getThread(this.threads.current.id));
    await this.choices.switchMode(mode, thread?.metadata);
  }

  /** Restores the settings and tasks of a thread. The first new thread receives the tasks that were set before. */
  #opened({ metadata }: Thread, isFirst: boolean): void {
    this.#orphanedRuns.stopWatching();
    this.#orphanedRuns.watch();
    this.relays.clear();
    this.#settings.restore(metadata);
    this.choices.restore(metadata);
    if (isFirst) this.#tasks.take({ restored: true });
    else this.#tasks.show(this.hub.display.tasks);
  }

  async #settle(turn: Turn, unread: Parameters<Runs['storeUnread']>[1]): Promise<void> {
    if (await this.#unsentMessages.storeIfDetached(turn, unread)) return;
    const thread = this.#turnThreads.get(turn);
    if (thread === undefined) return;
    await this.runs.storeUnread(thread.id, unread);
    const isEmitted = unread.length === 0 && turn.handles.length > 0;
    await thread.sync(...(isEmitted ? [Math.max(...turn.handles.map(({ seq }) => seq))] : []));
    thread.unfollowIfIdle();
    this.relays.clear();
    this.#orphanedRuns.watch();
  }

  /** Answers a relay, and resumes its run here when no process owns it. */
  async #answer(threadId: string, relayId: string, answer: Parameters<Runs['supervisor']['answer']>[2]): Promise<void> {
    await this.runs.supervisor.answer(threadId, relayId, answer);
    if (this.turns.current === undefined) await this.#commands.runExclusive(() => this.#orphanedRuns.resume());
  }

  #onLogEvent(event: DisplayEvent, at: Date | undefined): void {
    if (event.type === 'tool_approval_required' && !this.responses.needsApproval(event.toolCallId)) return;
    if (event.type === 'agent_start' && this.turns.current === undefined) this.#orphanedRuns.watch();
    if (event.type === 'agent_end') {
      this.#orphanedRuns.stopWatching();
      this.turns.markOver();
    }
    if (event.type === 'mode_changed' || event.type === 'model_changed') this.choices.apply(event);
    if (event.type === 'plan_approved') this.#planning.approved();
    this.hub.emit(event, at);
    if (event.type === 'task_updated' || event.type === 'tasks_restored') this.#tasks.show(event.tasks);
  }

  /** The log of the open thread emits `task_updated` itself. */
  #onToolEvents(events: readonly HarnessEvent[]): void {
    for (const event of events)
      if (event.type !== 'task_updated' || this.threads.current === undefined) this.hub.emit(event);
  }

  #stateChanged(state: Record<string, unknown>, changedKeys: string[], events: readonly HarnessEvent[]): void {
    this.#settings.note(changedKeys);
    if (changedKeys.includes('currentModelId')) this.choices.note(this.choices.modelId);
    this.hub.emit({ type: 'state_changed', state, changedKeys });
    const isUpdate = events.some(({ type }) => type === 'task_updated');
    if (changedKeys.includes('tasks'))
      if (this.resources.isReached(this.#updatedUnder)) this.#tasks.take({ restored: !isUpdate });
      else this.#tasks.restore();
    if (changedKeys.some(key => key === 'yolo' || key === 'permissionRules')) this.responses.permissionsChanged();
  }
}
