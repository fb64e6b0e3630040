import type { LoggedEvent } from '../../../events/vocabulary.ts';
import { getMessage, getRun } from '../../../graph/conversation/queries.ts';
import type { EventLog, Tail, Thread } from '../../../log/event-log.ts';
import { readEvents, readPages } from '../../../log/read-events.ts';
import { type MessageQueue, messageQueue, type WaitingMessage } from '../../../projections/message-queue.ts';
import { ThreadState, type ThreadMemory } from '../../threads/thread-memory.ts';
import type { SubagentNames } from '../display/display-state.ts';
import { defaultView, type DisplayView } from '../display/display-view.ts';
import { reduceView } from '../display/reduce-display-state.ts';
import { idleProgress } from '../display/om-display.ts';
import type { DisplayEvent } from '../harness-event.ts';
import type { HarnessMessage } from '../harness-message.ts';
import { assistantMessage } from '../messages/message-view.ts';
import { type ForkView, projectFork } from '../projection/subagent-events.ts';
import { emptyProjection, type HarnessProjection } from '../projection/projection-state.ts';
import { projectHarness } from '../projection/project-harness.ts';
import { TaskBoard } from '../../../agents/tasks/task-board.ts';
import { type TaskItemSnapshot, toTasks } from '../../../agents/tasks/assign-task-ids.ts';
import { addTokenUsage, emptyTokenUsage, type TokenUsage } from '../token-usage.ts';

export interface OpenThreadOptions {
  readonly log: EventLog;
  /** Shares the threadState of the thread with its runs. */
  readonly memory: ThreadMemory;
  /** The display name of each subagent type. */
  readonly names: SubagentNames;
  /** Receives the projected events with their time. */
  readonly onEvent: (event: DisplayEvent, at: Date | undefined) => void;
  /** Called while a long thread is read, with the newest event so far. */
  readonly onRead: (seq: number) => void;
  /** Called when a thread can no longer be followed. */
  readonly onLost: (threadId: string, error: unknown) => void;
}

/** The events that change the mode or the model of a harness: those of imported events are not emitted. */
const effective: ReadonlySet<string> = new Set(['mode_changed', 'model_changed', 'plan_approved']);

/** After how many events `onRead` is called. */
const reportEvery = 2_000;

/**
 * Reads a thread's log until it is ended. An abort signal is created only for a log that needs one, because it is
 * expensive.
 */
class TailReader {
  readonly tail: Tail;
  hasEnded = false;
  readonly #stop: AbortController | undefined;

  constructor(log: EventLog, threadId: string, after: number) {
    const tail = log.tail(threadId, after);
    if (tail.leave === undefined) this.#stop = new AbortController();
    this.tail = this.#stop === undefined ? tail : log.tail(threadId, after, { signal: this.#stop.signal });
  }

  end(): void {
    this.hasEnded = true;
    this.#stop?.abort();
    this.tail.leave?.();
  }
}

/** The open thread of a harness: projects the events of its log, including new ones. */
export class OpenThread {
  readonly id: string;
  readonly board: TaskBoard;
  readonly #options: OpenThreadOptions;
  #projection = emptyProjection();
  /** The threadState that runs share: it takes each event first, so that the conversation is reduced once. */
  #threadState: ThreadState | undefined;
  #release = () => {};
  /** The forks that asked relays, by relay id. */
  readonly #forkRelays = new Map<string, string>();
  /** Settled relays, by slot and id. */
  readonly #settled = new Set<string>();
  /** The observers that had not ended when the thread was opened: whether they still run is unknown. */
  #stale: ReadonlySet<string> = new Set();
  #reader: TailReader | undefined;
  #isClosed = false;
  readonly #queueFold: ReturnType<typeof messageQueue>;
  #queue: MessageQueue;
  /** The ids of the messages that wait or waited in its log. */
  readonly #queued = new Set<string>();

  /** `after` is the newest event that the thread was imported or branched with. */
  private constructor(id: string, options: OpenThreadOptions, after: number, tasks?: readonly TaskItemSnapshot[]) {
    this.id = id;
    this.board = new TaskBoard(tasks ?? []);
    this.#options = options;
    this.#queueFold = messageQueue(after);
    this.#queue = this.#queueFold.initial;
  }

  /** Reads a thread; the display equals that of a live reader. Emits nothing. */
  static async open(
    thread: Pick<Thread, 'id' | 'createdAt' | 'branchedFrom' | 'importedSeq'>,
    options: OpenThreadOptions,
  ): Promise<{ thread: OpenThread; display: DisplayView }> {
    const { importedSeq = 0, branchedFrom } = thread;
    const opened = new OpenThread(thread.id, options, Math.max(importedSeq, branchedFrom?.seq ?? 0));
    const threadState = new ThreadState(thread);
    opened.#projection = { ...emptyProjection(), conversation: threadState.conversation };
    let display = defaultView();
    let reported = 0;
    for await (const page of readPages(options.log, thread.id)) {
      for (const event of page) {
        if (threadState.mayBeImporting) await threadState.followImport(options.log, thread.id);
        threadState.take(event);
        const at = getTime(event);
        for (const displayEvent of opened.#read(event)) display = reduceView(display, displayEvent, at, options.names);
        // A copy has not used the tokens of its source.
        if (event.seq !== thread.branchedFrom?.seq) continue;
        display = { ...display, tokenUsage: emptyTokenUsage() };
        opened.#projection = { ...opened.#projection, usage: emptyTokenUsage() };
      }
      if (threadState.seq < reported + reportEvery) continue;
      reported = threadState.seq;
      options.onRead(reported);
    }
    opened.#share(thread, threadState);
    opened.#stale = new Set(opened.#projection.memory.open.keys());
    const isIdle = { bufferingMessages: false, bufferingObservations: false };
    return { thread: opened, display: { ...display, ...isIdle, omProgress: idleProgress(display.omProgress) } };
  }

  #share(thread: Pick<Thread, 'id' | 'createdAt'>, threadState: ThreadState): void {
    const unwatch = threadState.watch(event => this.#take(event));
    const release = this.#options.memory.hold(thread, threadState);
    this.#threadState = threadState;
    this.#release = () => {
      unwatch();
      release();
    };
  }

  /** Returns the same thread under another id, for a branch of its whole log; in constant time. */
  copy(id: string): OpenThread {
    const copied = new OpenThread(id, this.#options, this.seq, this.board.tasks);
    copied.#projection = { ...this.#projection, usage: emptyTokenUsage() };
    for (const settled of this.#settled) copied.#settled.add(settled);
    copied.#stale = new Set(this.#projection.memory.open.keys());
    return copied;
  }

  /** The mode that its log is in; undefined when none was chosen, or its log is not read yet. */
  get mode(): string | undefined {
    return this.#threadState?.mode;
  }

  /** The messages that wait in its log, the next to be delivered first. */
  get queue(): readonly WaitingMessage[] {
    return this.#queueFold.view(this.#queue);
  }

  /** Whether it has open runs, in any process; suspended ones are open. */
  get hasOpenRuns(): boolean {
    return this.#projection.runs.size > 0;
  }

  /** Whether its log has a message as waiting, or had it. */
  hasQueued(messageId: string): boolean {
    return this.#queued.has(messageId);
  }

  get projection(): HarnessProjection {
    return this.#projection;
  }

  /** The newest event that was read. */
  get seq(): number {
    return this.#projection.conversation.seq ?? 0;
  }

  /** Whether the relay with this id was answered. */
  isSettled(slot: string, id: string): boolean {
    const entry = slot === 'question' ? this.#projection.relays.get(id) : undefined;
    return (entry !== undefined && entry.status !== 'pending') || this.#settled.has(`${slot} ${id}`);
  }

  /** The messages of open runs that have started. */
  openMessages(): readonly HarnessMessage[] {
    const { conversation, runs } = this.#projection;
    return [...runs.values()].flatMap(({ place, since }) =>
      since === undefined ? [] : [assistantMessage(conversation, place, since)],
    );
  }

  /** The thread in which a relay is answered: a fork of this one, or this one. */
  relayThread(relayId: string): string {
    return this.#forkRelays.get(relayId) ?? this.id;
  }

  /** Takes an event of a fork of this thread, and emits it under the call that started the fork. Returns its view. */
  takeFork(before: ForkView, event: LoggedEvent): ForkView {
    if (this.#isClosed) return before;
    const { fork, relays, events } = projectFork(before, this.#projection.relays, event);
    this.#projection = { ...this.#projection, relays };
    if (event.type === 'relay') this.#forkRelays.set(event.id, fork.threadId);
    this.#trackRelays(event, events);
    for (const displayEvent of events) this.#options.onEvent(displayEvent, undefined);
    return fork;
  }

  /** The tokens of all steps, including steps whose calls are open. */
  get usage(): TokenUsage {
    const { runs, usage } = this.#projection;
    return [...runs.values()].flatMap(run => run.usage).reduce(addTokenUsage, usage);
  }

  /** The open runs, subagents before their parents. */
  openRuns(): readonly { readonly runId: string; readonly agentId: string }[] {
    const { conversation, runs, subagents } = this.#projection;
    return [...subagents.keys(), ...runs.keys()].map(messageId => {
      const runId = getMessage(conversation, messageId)?.runId ?? messageId;
      return { runId, agentId: getRun(conversation, runId)?.agentId ?? 'unknown' };
    });
  }

  /** Emits everything in the log by now; reads nothing when the event `seq` was already received. */
  async sync(seq?: number): Promise<void> {
    if (seq !== undefined && (await this.#threadState?.reached(seq)) === true) return;
    for await (const event of readEvents(this.#options.log, this.id, this.seq)) {
      if (this.#threadState?.mayBeImporting === true) await this.#threadState.followImport(this.#options.log, this.id);
      this.#receive(event);
    }
  }

  /** Emits new events as they arrive. */
  follow(): void {
    if (this.#reader !== undefined || this.#isClosed) return;
    this.#reader = new TailReader(this.#options.log, this.id, this.seq);
    void this.#follow(this.#reader);
  }

  /** Stops following, unless a run or an observer is active. An idle thread costs nothing. */
  unfollowIfIdle(): void {
    const { runs, memory } = this.#projection;
    if (runs.size === 0 && [...memory.open.keys()].every(runId => this.#stale.has(runId))) this.unfollow();
  }

  /** Stops following until the next `follow`. */
  unfollow(): void {
    this.#reader?.end();
    this.#reader = undefined;
  }

  /** Stops emitting permanently. */
  close(): void {
    this.#isClosed = true;
    this.#release();
    this.#reader?.end();
  }

  async #follow(reader: TailReader): Promise<void> {
    const end = this.#threadState?.bring();
    const { tail } = reader;
    try {
      for await (const event of tail)
        for (let next: LoggedEvent | undefined = event; next !== undefined; next = tail.take?.()) {
          if (this.#threadState?.mayBeImporting === true)
            await this.#threadState.followImport(this.#options.log, this.id);
          this.#receive(next);
        }
    } catch (error) {
      if (!reader.hasEnded) this.#options.onLost(this.id, error);
    } finally {
      end?.();
      if (this.#reader === reader) this.#reader = undefined;
    }
  }

  #receive(event: LoggedEvent): void {
    if (this.#threadState === undefined) this.#take(event);
    else this.#threadState.take(event);
  }

  #take(event: LoggedEvent): void {
    if (this.#isClosed || event.seq <= this.seq) return;
    const at = getTime(event);
    const isImported = event.seq <= (this.#threadState?.importedSeq ?? 0);
    for (const displayEvent of this.#read(event))
      if (!isImported || !effective.has(displayEvent.type)) this.#options.onEvent(displayEvent, at);
  }

  #read(event: LoggedEvent): readonly DisplayEvent[] {
    const { state, events } = projectHarness(this.#projection, event);
    this.#projection = state;
    this.#queue = this.#queueFold.step(this.#queue, event);
    if (event.type === 'message_queued') this.#queued.add(event.id);
    if (event.type === 'tasks') this.board.take(toTasks(event));
    this.#trackRelays(event, events);
    return events;
  }

  #trackRelays(event: LoggedEvent, events: readonly DisplayEvent[]): void {
    if (event.type !== 'relay_resolved' && event.type !== 'harness_end') return;
    for (const displayEvent of events)
      if (displayEvent.type === 'relay_settled') this.#settled.add(`${displayEvent.slot} ${displayEvent.id}`);
  }
}

/** The time of an event whose time is shown: that of a result, at which files were changed. */
function getTime({ type, ts }: LoggedEvent): Date | undefined {
  return type !== 'tool_result' || ts === undefined ? undefined : new Date(ts);
}
