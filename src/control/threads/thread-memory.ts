import { backgroundClock, type Clock } from '../../agents/clock.ts';
import type { EventOf, LoggedEvent } from '../../events/vocabulary.ts';
import { type Conversation, createConversation, reduceConversation } from '../../graph/conversation/conversation.ts';
import type { EventLog, Thread } from '../../log/event-log.ts';
import { readEvents, readPages } from '../../log/read-events.ts';
import { SerialQueues } from '../../base/serial-queue.ts';
import { ModelInput } from '../../projections/model-input/model-input.ts';
import { messageQueue, type WaitingMessage } from '../../projections/message-queue.ts';
import { type RelayBook, relayBook } from '../../projections/relay-book.ts';
import type { RelayState } from '../../projections/run-state.ts';
import { Sessions } from './sessions.ts';
import { StoredContexts } from './stored-contexts.ts';

/** The state of a thread without events takes about this much memory. */
const emptyBytes = 8_000;
/** How long a thread that alone is more than the cache may hold stays after it was used. */
const oversizedMs = 60_000;

/** The state of a thread: a fold of its events. */
export class ThreadState {
  #importedSeq: number | undefined;
  readonly sessions = new Sessions();
  /** The model contexts and tools that later steps need not store again. */
  readonly contexts = new StoredContexts();
  /** The model input of the newest run on its branch. */
  readonly branch = new ModelInput();
  /** The runs of observers and reflectors that have not ended, with their agents. */
  readonly memoryRuns = new Map<string, string>();
  #remembered: readonly RelayState[] = [];
  readonly #queueFold: ReturnType<typeof messageQueue>;
  #relays = relayBook.initial;
  #queue: ReturnType<typeof messageQueue>['initial'];
  #conversation = createConversation();
  #mode: string | undefined;
  #folder: EventOf<'folder_changed'> | undefined;
  #tasks: EventOf<'tasks'>['tasks'] | undefined;
  #seq = 0;
  #bytes = emptyBytes;
  readonly #watchers = new Set<(event: LoggedEvent) => void>();
  /** How many bring it the events as they come. */
  #bringing = 0;
  #awaited: { readonly seq: number; readonly resolve: () => void }[] = [];

  constructor({ importedSeq, branchedFrom }: Pick<Thread, 'importedSeq' | 'branchedFrom'> = {}) {
    this.#importedSeq = importedSeq;
    this.#queueFold = messageQueue(branchedFrom?.seq);
    this.#queue = this.#queueFold.initial;
  }

  /**
   * The seq of the last imported event: imported grants, questions and usage have no effect. Undefined if not imported.
   */
  get importedSeq(): number | undefined {
    return this.#importedSeq;
  }

  /** Whether an import may add the next event: it has only imported ones so far. */
  get mayBeImporting(): boolean {
    return this.#importedSeq === this.#seq;
  }

  /** Reads from the log where the imported events end: an import may have moved it. */
  async followImport(log: Pick<EventLog, 'getThread'>, threadId: string): Promise<void> {
    const thread = await log.getThread(threadId);
    this.#importedSeq = thread === undefined ? Number.POSITIVE_INFINITY : thread.importedSeq;
  }

  get conversation(): Conversation {
    return this.#conversation;
  }

  /** The relays of the thread, with their status. */
  get relays(): RelayBook {
    return this.#relays;
  }

  /** The messages that wait, the next to be delivered first. */
  get queue(): readonly WaitingMessage[] {
    return this.#queueFold.view(this.#queue);
  }

  /** The mode that the thread is in; undefined when none was chosen. */
  get mode(): string | undefined {
    return this.#mode;
  }

  /** The event that chose the folder of the thread; undefined when it works in that of its agent. */
  get folder(): EventOf<'folder_changed'> | undefined {
    return this.#folder;
  }

  /** The newest task list, or undefined. */
  get tasks(): EventOf<'tasks'>['tasks'] | undefined {
    return this.#tasks;
  }

  /** The relays that a person answered for longer than once, without those that were revoked. */
  get remembered(): readonly RelayState[] {
    return this.#remembered;
  }

  /** The seq of the newest applied event. */
  get seq(): number {
    return this.#seq;
  }

  /** About how much memory it takes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Applies the next event; ignores one that was applied before. */
  take(event: LoggedEvent): void {
    if (event.seq <= this.#seq) return;
    this.#seq = event.seq;
    this.#bytes += eventWeight(event);
    this.#conversation = reduceConversation(this.#conversation, event);
    if (event.type === 'tasks') this.#tasks = event.tasks;
    if (this.importedSeq === undefined || event.seq > this.importedSeq) this.#empower(event);
    for (const watcher of this.#watchers) watcher(event);
    if (this.#awaited.length > 0) this.#resolveReached();
  }

  #empower(event: LoggedEvent): void {
    this.sessions.take(event);
    this.contexts.take(event);
    this.#queue = this.#queueFold.step(this.#queue, event);
    if (event.type === 'mode_changed') this.#mode = event.modeId;
    if (event.type === 'folder_changed') this.#folder = event;
    if (event.type === 'harness_start' && event.memory !== undefined) this.memoryRuns.set(event.runId, event.agentId);
    else if (event.type === 'harness_end') this.memoryRuns.delete(event.runId);
    this.#relays = relayBook.step(this.#relays, event);
    if (event.type === 'grant_revoked')
      this.#remembered = this.#remembered.filter(({ relay }) => relay.id !== event.relayId);
    if (event.type !== 'relay_resolved' || (event.remember ?? 'once') === 'once') return;
    const entry = this.#relays.get(event.relayId);
    if (entry?.answer === event) this.#remembered = [...this.#remembered, { relay: entry.relay, answer: event }];
  }

  /** Declares a reader that applies new events as they are appended. Returns a function that ends this. */
  bring(): () => void {
    this.#bringing++;
    return () => {
      this.#bringing--;
      this.#resolveReached();
    };
  }

  /** Resolves when an event is applied or no reader applies new ones; returns whether it was applied. */
  async reached(seq: number): Promise<boolean> {
    if (seq > this.#seq && this.#bringing > 0) await new Promise<void>(resolve => this.#awaited.push({ seq, resolve }));
    return seq <= this.#seq;
  }

  #resolveReached(): void {
    const isReached = ({ seq }: { readonly seq: number }) => seq <= this.#seq || this.#bringing === 0;
    const reached = this.#awaited.filter(isReached);
    this.#awaited = this.#awaited.filter(awaited => !isReached(awaited));
    for (const { resolve } of reached) resolve();
  }

  /** Calls back with every applied event. Returns an unsubscribe function. */
  watch(watcher: (event: LoggedEvent) => void): () => void {
    this.#watchers.add(watcher);
    return () => void this.#watchers.delete(watcher);
  }
}

/** The conversation of a thread, from its log. */
export async function readConversation(log: EventLog, threadId: string): Promise<Conversation> {
  let conversation = createConversation();
  for await (const event of readEvents(log, threadId)) conversation = reduceConversation(conversation, event);
  return conversation;
}

interface ThreadEntry {
  readonly createdAt: string;
  readonly threadState: ThreadState;
}

interface CachedThread extends ThreadEntry {
  readonly bytes: number;
}

/**
 * Caches the states of the threads that were used last, so that continuing one reads only its new events. Everything in
 * it can be read again: a state that is dropped, because the cache is full, costs one reading. Threads that this process
 * deletes are dropped.
 */
export class ThreadMemory {
  readonly #log: EventLog;
  readonly #maxBytes: number;
  readonly #clock: Clock;
  /** By when they were used, the latest last. */
  readonly #kept = new Map<string, CachedThread>();
  #bytes = 0;
  #cancelDrop = () => {};
  readonly #held = new Map<string, ThreadEntry>();
  readonly #reading = new SerialQueues();

  constructor(log: EventLog, maxBytes: number = 64 * 2 ** 20, clock: Clock = backgroundClock) {
    this.#log = log;
    this.#maxBytes = maxBytes;
    this.#clock = clock;
    dropDeleted(log, new WeakRef(this));
  }

  /** The number of cached and held threads. */
  get size(): number {
    return this.#kept.size + this.#held.size;
  }

  /** Drops the state of a thread. */
  drop(threadId: string): void {
    this.#held.delete(threadId);
    this.#take(threadId);
  }

  /**
   * Returns the current state of a thread; empty for an unknown thread. `seq` is a seq that was just stored: a held
   * state that reaches it is returned without reading the log.
   */
  async of(threadId: string, seq?: number): Promise<ThreadState> {
    const held = this.#held.get(threadId)?.threadState;
    // How far a thread is imported is stored after its events; a thread of our own is never imported.
    const isOwn = held !== undefined && held.importedSeq === undefined;
    if (seq !== undefined && isOwn && (await held.reached(seq))) return held;
    return this.#reading.run(threadId, () => this.#catchUp(threadId));
  }

  /** Uses and keeps a state that the caller holds of a thread, until the returned function is called. */
  hold({ id, createdAt }: Pick<Thread, 'id' | 'createdAt'>, threadState: ThreadState): () => void {
    const held = { createdAt, threadState };
    this.#take(id);
    this.#held.set(id, held);
    return () => {
      if (this.#held.get(id) !== held) return;
      this.#held.delete(id);
      this.#keep(id, held);
    };
  }

  async #catchUp(threadId: string): Promise<ThreadState> {
    const thread = await this.#log.getThread(threadId);
    const kept = this.#held.get(threadId) ?? this.#take(threadId);
    if (thread === undefined) return new ThreadState();
    const { createdAt, seq, importedSeq } = thread;
    const isSame = kept !== undefined && kept.createdAt === createdAt && kept.threadState.importedSeq === importedSeq;
    const threadState = isSame && kept.threadState.seq <= seq ? kept.threadState : new ThreadState(thread);
    if (threadState.seq < seq)
      for await (const page of readPages(this.#log, threadId, threadState.seq))
        for (const event of page) {
          if (threadState.mayBeImporting) await threadState.followImport(this.#log, threadId);
          threadState.take(event);
        }
    if (this.#held.get(threadId)?.threadState === threadState) return threadState;
    this.#keep(threadId, { createdAt, threadState });
    return threadState;
  }

  /**
   * Drops the least recently used threads when the total is too large. The newest one stays, since a long thread would
   * be read again for each of its messages. When it alone is too large, it stays while it is in use.
   */
  #keep(threadId: string, known: ThreadEntry): void {
    this.#take(threadId);
    const { bytes } = known.threadState;
    this.#kept.set(threadId, { ...known, bytes });
    this.#bytes += bytes;
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= this.#maxBytes || oldest === threadId) break;
      this.#take(oldest);
    }
    if (this.#bytes > this.#maxBytes) this.#cancelDrop = this.#clock.after(oversizedMs, () => this.#take(threadId));
  }

  /** Removes a thread from the cache and returns it. */
  #take(threadId: string): CachedThread | undefined {
    const kept = this.#kept.get(threadId);
    if (kept === undefined) return undefined;
    this.#cancelDrop();
    this.#kept.delete(threadId);
    this.#bytes -= kept.bytes;
    return kept;
  }
}

/** The log lives longer than the cache: it must not keep the cache in memory. */
function dropDeleted(log: EventLog, memory: WeakRef<ThreadMemory>): void {
  const unsubscribe = log.onDeleted?.(threadId => {
    const known = memory.deref();
    if (known === undefined) unsubscribe?.();
    else known.drop(threadId);
  });
}

/** The estimated memory of an event without its texts, including the state derived from it. */
const baseBytes = 800;
/** How many values of one event are visited. */
const mostValues = 1_000;

/** Estimates the memory of an event in bytes from the lengths of its texts, without reading them. */
function eventWeight(event: LoggedEvent): number {
  let bytes = baseBytes;
  const left: unknown[] = [event];
  for (let seen = 0; left.length > 0 && seen < mostValues; seen++) {
    const value = left.pop();
    if (typeof value === 'string') bytes += value.length;
    else if (typeof value !== 'object' || value === null) bytes += 8;
    else for (const key in value) left.push((value as Record<string, unknown>)[key]);
  }
  // The values that were not visited are assumed to have the average size.
  return left.length === 0 ? bytes : bytes + Math.ceil((bytes / mostValues) * left.length);
}

const memories = new WeakMap<EventLog, ThreadMemory>();

/** Returns the one memory of a log's threads that supervisors, servers and runtimes of this process share. */
export function sharedThreadMemory(log: EventLog): ThreadMemory {
  const known = memories.get(log);
  if (known !== undefined) return known;
  const memory = new ThreadMemory(log);
  memories.set(log, memory);
  return memory;
}
