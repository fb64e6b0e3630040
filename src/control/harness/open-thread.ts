import type { EventOf, LoggedEvent } from '../../events/index.ts';
import { getMessage, getRun } from '../../graph/index.ts';
import { type EventLog, readEvents, type Tail, type Thread } from '../../log/index.ts';
import { ThreadKnowledge, type ThreadMemory } from '../thread-memory.ts';
import { defaultDisplayState, type HarnessDisplayState, type SubagentNames } from './display/display-state.ts';
import { reduceDisplayState } from './display/reduce-display-state.ts';
import type { DisplayEvent } from './harness-event.ts';
import { emptyProjection, type HarnessProjection } from './projection/open-run.ts';
import { projectHarness } from './projection/project-harness.ts';
import { tellRelay, tellWaiting } from './projection/relay-queues.ts';
import { TaskBoard } from './tasks/task-board.ts';
import type { TaskItemSnapshot } from './tasks/task-item.ts';
import { tasksOf } from './tasks/thread-tasks.ts';
import { addTokenUsage, emptyTokenUsage, type TokenUsage } from './token-usage.ts';

export interface OpenThreadOptions {
  readonly log: EventLog;
  /** Where what is known of the thread is shared with its runs. */
  readonly memory: ThreadMemory;
  /** What the types of subagents are called for people. */
  readonly names: SubagentNames;
  /** Told what the log tells from now on, with its time. */
  readonly onEvent: (event: DisplayEvent, at: Date | undefined) => void;
  /** Told when the thread can no longer be followed. */
  readonly onLost: (error: unknown) => void;
}

/** What comes of a thread, until it is ended. A signal is made only for a log that needs one: it costs more than the rest. */
class Following {
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

type AccessRelay = Extract<EventOf<'relay'>, { relayKind: 'access' }>;

/** The thread that a harness has open: what its log came to so far, and what is read of it from now on. */
export class OpenThread {
  readonly id: string;
  readonly board: TaskBoard;
  readonly #options: OpenThreadOptions;
  #projection = emptyProjection();
  /** What the log comes to for runs: it takes in each event first, so that the conversation is made once. */
  #knowledge: ThreadKnowledge | undefined;
  #letGo = () => {};
  readonly #access = new Map<string, AccessRelay>();
  /** What was asked and has its answer, by kind and the id it was told under. */
  readonly #settled = new Set<string>();
  #following: Following | undefined;
  #isClosed = false;

  private constructor(id: string, options: OpenThreadOptions, tasks: readonly TaskItemSnapshot[] = []) {
    this.id = id;
    this.board = new TaskBoard(tasks);
    this.#options = options;
  }

  /** Reads a thread; what is shown of it is what one who followed it all the time sees. Nothing is told. */
  static async open(
    thread: Pick<Thread, 'id' | 'createdAt' | 'branchedFrom' | 'importedSeq'>,
    options: OpenThreadOptions,
  ): Promise<{ thread: OpenThread; display: HarnessDisplayState }> {
    const opened = new OpenThread(thread.id, options);
    const knowledge = new ThreadKnowledge(thread.importedSeq);
    opened.#projection = { ...emptyProjection(), conversation: knowledge.conversation };
    let display = defaultDisplayState();
    for await (const event of readEvents(options.log, thread.id)) {
      knowledge.take(event);
      const at = timeOf(event);
      for (const told of opened.#read(event)) display = reduceDisplayState(display, told, at, options.names);
      // What a copy shares with its source was used there.
      if (event.seq !== thread.branchedFrom?.seq) continue;
      display = { ...display, tokenUsage: emptyTokenUsage() };
      opened.#projection = { ...opened.#projection, usage: emptyTokenUsage() };
    }
    opened.#share(thread, knowledge);
    return { thread: opened, display };
  }

  #share(thread: Pick<Thread, 'id' | 'createdAt'>, knowledge: ThreadKnowledge): void {
    const unwatch = knowledge.watch(event => this.#take(event));
    const release = this.#options.memory.hold(thread, knowledge);
    this.#knowledge = knowledge;
    this.#letGo = () => {
      unwatch();
      release();
    };
  }

  /** The same thread under another id, for a copy that shares all of its log; in constant time. */
  copy(id: string): OpenThread {
    const copied = new OpenThread(id, this.#options, this.board.tasks);
    copied.#projection = { ...this.#projection, usage: emptyTokenUsage() };
    for (const settled of this.#settled) copied.#settled.add(settled);
    return copied;
  }

  get projection(): HarnessProjection {
    return this.#projection;
  }

  /** The newest event that was read. */
  get seq(): number {
    return this.#projection.conversation.seq ?? 0;
  }

  /** Requests for access that nobody answered. */
  get access(): ReadonlyMap<string, AccessRelay> {
    return this.#access;
  }

  /** Whether something that was told under this id has its answer. */
  isSettled(slot: string, id: string): boolean {
    return this.#settled.has(`${slot} ${id}`);
  }

  /** What is told about all that waits for a person. */
  waiting(): readonly DisplayEvent[] {
    return [...tellWaiting(this.#projection.relays), ...[...this.#access.values()].map(tellRelay)];
  }

  /** The tokens of all its steps that the log tells of, also of those that are told when their calls are done. */
  get usage(): TokenUsage {
    const { runs, usage } = this.#projection;
    return [...runs.values()].flatMap(run => run.usage).reduce(addTokenUsage, usage);
  }

  /** The runs that have begun and not ended, subagents before those that started them. */
  openRuns(): readonly { readonly runId: string; readonly agentId: string }[] {
    const { conversation, runs, subagents } = this.#projection;
    return [...subagents.keys(), ...runs.keys()].map(messageId => {
      const runId = getMessage(conversation, messageId)?.runId ?? messageId;
      return { runId, agentId: getRun(conversation, runId)?.agentId ?? 'unknown' };
    });
  }

  /** Tells all that is in the log by now; up to a seq that was just stored it need not be read. */
  async sync(seq?: number): Promise<void> {
    if (seq !== undefined && (await this.#knowledge?.reached(seq)) === true) return;
    const { log } = this.#options;
    for (;;) {
      const page = await log.read(this.id, { after: this.seq, limit: 1000 });
      for (const event of page) this.#bring(event);
      if (page.length < 1000) return;
    }
  }

  /** Tells what comes from now on, as it comes. */
  follow(): void {
    if (this.#following !== undefined || this.#isClosed) return;
    this.#following = new Following(this.#options.log, this.id, this.seq);
    void this.#follow(this.#following);
  }

  /** Stops following, unless something runs. An idle thread costs nothing. */
  rest(): void {
    if (this.#projection.runs.size === 0) this.pause();
  }

  /** Stops following, whatever runs, until it is told to follow again. */
  pause(): void {
    this.#following?.end();
    this.#following = undefined;
  }

  /** Tells nothing any more. */
  close(): void {
    this.#isClosed = true;
    this.#letGo();
    this.#following?.end();
  }

  async #follow(following: Following): Promise<void> {
    const end = this.#knowledge?.bring();
    const { tail } = following;
    try {
      for await (const event of tail) {
        this.#bring(event);
        for (let more = tail.take?.(); more !== undefined; more = tail.take?.()) this.#bring(more);
      }
    } catch (error) {
      if (!following.hasEnded) this.#options.onLost(error);
    } finally {
      end?.();
      if (this.#following === following) this.#following = undefined;
    }
  }

  #bring(event: LoggedEvent): void {
    if (this.#knowledge === undefined) this.#take(event);
    else this.#knowledge.take(event);
  }

  #take(event: LoggedEvent): void {
    if (this.#isClosed || event.seq <= this.seq) return;
    const at = event.type === 'tool_result' ? timeOf(event) : undefined;
    for (const told of this.#read(event)) this.#options.onEvent(told, at);
  }

  #read(event: LoggedEvent): readonly DisplayEvent[] {
    const { state, events } = projectHarness(this.#projection, event);
    this.#projection = state;
    if (event.type === 'tasks') this.board.take(tasksOf(event));
    else if (event.type === 'relay' && event.relayKind === 'access') this.#access.set(event.id, event);
    else if (event.type === 'relay_resolved') this.#access.delete(event.relayId);
    else if (event.type !== 'harness_end') return events;
    for (const told of events) if (told.type === 'relay_settled') this.#settled.add(`${told.slot} ${told.id}`);
    return events;
  }
}

function timeOf({ ts }: LoggedEvent): Date | undefined {
  return ts === undefined ? undefined : new Date(ts);
}
