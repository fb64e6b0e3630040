import type { EventOf, LoggedEvent } from '../events/index.ts';
import { type Conversation, createConversation, reduceConversation } from '../graph/index.ts';
import type { EventLog, Thread } from '../log/index.ts';
import { ModelInput } from '../projections/model-input/model-input.ts';
import { Decisions } from './decisions.ts';
import { Sessions } from './sessions.ts';
import { threadEvents } from './thread-events.ts';

/** What the log of a thread comes to: a fold of its events. */
export class ThreadKnowledge {
  /** Events up to this one were imported: what they granted, asked and used has no effect; undefined for a thread of our own. */
  readonly importedSeq: number | undefined;
  readonly decisions = new Decisions();
  readonly sessions = new Sessions();
  /** What the newest run was sent of its branch. */
  readonly branch = new ModelInput();
  /** What was asked, and whether it was answered. */
  readonly relays = new Map<string, EventOf<'relay'> | 'answered'>();
  #conversation = createConversation();
  #seq = 0;
  readonly #watchers = new Set<(event: LoggedEvent) => void>();
  /** How many bring it the events as they come. */
  #bringing = 0;
  #awaited: { readonly seq: number; readonly resolve: () => void }[] = [];

  constructor(importedSeq?: number) {
    this.importedSeq = importedSeq;
  }

  get conversation(): Conversation {
    return this.#conversation;
  }

  /** The newest event taken in. */
  get seq(): number {
    return this.#seq;
  }

  /** Takes in the next event; one that was taken in before is left alone. */
  take(event: LoggedEvent): void {
    if (event.seq <= this.#seq) return;
    this.#seq = event.seq;
    this.#conversation = reduceConversation(this.#conversation, event);
    if (this.importedSeq === undefined || event.seq > this.importedSeq) this.#empower(event);
    for (const watcher of this.#watchers) watcher(event);
    if (this.#awaited.length > 0) this.#tellReached();
  }

  #empower(event: LoggedEvent): void {
    this.decisions.take(event);
    this.sessions.take(event);
    if (event.type === 'relay' && !this.relays.has(event.id)) this.relays.set(event.id, event);
    else if (event.type === 'relay_resolved') this.relays.set(event.relayId, 'answered');
  }

  /** Somebody brings it the events as they come. Returns what ends it. */
  bring(): () => void {
    this.#bringing++;
    return () => {
      this.#bringing--;
      this.#tellReached();
    };
  }

  /** Resolves when an event was taken in, or nobody brings any; tells whether it was. */
  async reached(seq: number): Promise<boolean> {
    if (seq > this.#seq && this.#bringing > 0) await new Promise<void>(resolve => this.#awaited.push({ seq, resolve }));
    return seq <= this.#seq;
  }

  #tellReached(): void {
    const isReached = ({ seq }: { readonly seq: number }) => seq <= this.#seq || this.#bringing === 0;
    const reached = this.#awaited.filter(isReached);
    this.#awaited = this.#awaited.filter(awaited => !isReached(awaited));
    for (const { resolve } of reached) resolve();
  }

  /** Tells every event when it was taken in, whoever brought it. Returns what ends it. */
  watch(watcher: (event: LoggedEvent) => void): () => void {
    this.#watchers.add(watcher);
    return () => void this.#watchers.delete(watcher);
  }
}

interface Kept {
  readonly createdAt: string;
  readonly knowledge: ThreadKnowledge;
}

/**
 * Keeps what the threads that were used last come to, so that going on with one reads only what came since. Everything
 * in it can be read again: what is given up, because there is too much of it, costs one reading.
 */
export class ThreadMemory {
  readonly #log: EventLog;
  readonly #maxEvents: number;
  readonly #kept = new Map<string, Kept>();
  readonly #held = new Map<string, Kept>();
  readonly #reading = new Map<string, Promise<ThreadKnowledge>>();

  constructor(log: EventLog, maxEvents = 200_000) {
    this.#log = log;
    this.#maxEvents = maxEvents;
  }

  /** What a thread comes to now; empty when there is no such thread. Up to a seq that was just stored it need not be read. */
  async of(threadId: string, seq?: number): Promise<ThreadKnowledge> {
    const held = this.#held.get(threadId)?.knowledge;
    // A thread that is being imported says later how far; one of our own never is.
    const isOwn = held !== undefined && held.importedSeq === undefined;
    if (seq !== undefined && isOwn && (await held.reached(seq))) return held;
    return this.#read(threadId);
  }

  #read(threadId: string): Promise<ThreadKnowledge> {
    const before = this.#reading.get(threadId);
    const reading = (before ?? Promise.resolve()).catch(() => {}).then(() => this.#catchUp(threadId));
    this.#reading.set(threadId, reading);
    const forget = () => {
      if (this.#reading.get(threadId) === reading) this.#reading.delete(threadId);
    };
    reading.then(forget, forget);
    return reading;
  }

  /** Keeps what somebody knows of a thread, and uses it, until that is ended with what is returned. */
  hold({ id, createdAt }: Pick<Thread, 'id' | 'createdAt'>, knowledge: ThreadKnowledge): () => void {
    const held = { createdAt, knowledge };
    this.#kept.delete(id);
    this.#held.set(id, held);
    return () => {
      if (this.#held.get(id) !== held) return;
      this.#held.delete(id);
      this.#kept.set(id, held);
      this.#makeRoom();
    };
  }

  async #catchUp(threadId: string): Promise<ThreadKnowledge> {
    const thread = await this.#log.getThread(threadId);
    const kept = this.#held.get(threadId) ?? this.#kept.get(threadId);
    this.#kept.delete(threadId);
    if (thread === undefined) return new ThreadKnowledge();
    const { createdAt, seq, importedSeq } = thread;
    const isSame = kept !== undefined && kept.createdAt === createdAt && kept.knowledge.importedSeq === importedSeq;
    const knowledge = isSame && kept.knowledge.seq <= seq ? kept.knowledge : new ThreadKnowledge(importedSeq);
    if (knowledge.seq < seq)
      for await (const event of threadEvents(this.#log, threadId, knowledge.seq)) knowledge.take(event);
    if (this.#held.get(threadId)?.knowledge === knowledge) return knowledge;
    this.#kept.set(threadId, { createdAt, knowledge });
    this.#makeRoom();
    return knowledge;
  }

  /** Gives up the threads that were not used for longest. */
  #makeRoom(): void {
    let events = 0;
    for (const [threadId, { knowledge }] of [...this.#kept].toReversed()) {
      events += knowledge.seq;
      if (events > this.#maxEvents) this.#kept.delete(threadId);
    }
  }
}
