import type { AgentEvent, LoggedEvent } from '../../events/vocabulary.ts';
import type { Chunk, Message, Run } from './record.ts';
import { applyEvent } from './reducers.ts';
import type { ConversationDraft, Tables } from './tables.ts';

/** The tables that decide where later messages go, and what is kept of each key: all values, the newest, or the count. */
const keptTables = {
  message: 'newest',
  run: 'newest',
  block: 'newest',
  chunk: 'newest',
  openBlock: 'newest',
  attempt: 'newest',
  firstAnswer: 'newest',
  activeFollower: 'newest',
  tip: 'newest',
  named: 'newest',
  growing: 'newest',
  followers: 'all',
  waiting: 'all',
  chunks: 'all',
  attached: 'all',
  messages: 'count',
  blocks: 'count',
  claims: 'count',
} as const satisfies Partial<Record<keyof Tables, 'all' | 'newest' | 'count'>>;

type KeptTable = keyof typeof keptTables;

/** Where a message begins. */
export interface MessageStart {
  readonly seq: number;
  readonly ts: string;
}

/** A tree of messages as plain data, from which it can be continued. */
export interface MessageTreeState {
  readonly seq: number;
  readonly starts: readonly (readonly [messageId: string, seq: number, ts: string])[];
  /** For each table its keys with their values, or with their count. */
  readonly tables: Readonly<Record<string, readonly (readonly [key: string, values: readonly unknown[] | number])[]>>;
}

/**
 * The messages of a conversation without their content: the reducers of the conversation write to tables of which only
 * those are kept that decide where later messages go. Its size grows with the pieces of content, not with their length.
 */
export class MessageTree {
  readonly #draft: TreeDraft;
  readonly #starts = new Map<string, MessageStart>();
  #seq = 0;

  constructor(state?: MessageTreeState) {
    this.#draft = new TreeDraft(state?.tables ?? {});
    if (state === undefined) return;
    this.#seq = state.seq;
    for (const [id, seq, ts] of state.starts) this.#starts.set(id, { seq, ts });
  }

  /** The newest event taken in. */
  get seq(): number {
    return this.#seq;
  }

  /** The number of its messages, runs, blocks, chunks and their names. */
  get size(): number {
    return this.#draft.size;
  }

  /** Applies the next event; returns the ids of the messages that it added or changed. */
  take(event: LoggedEvent): ReadonlySet<string> {
    this.#seq = event.seq;
    const changed = this.#draft.write(event);
    for (const id of changed) if (!this.#starts.has(id)) this.#starts.set(id, { seq: event.seq, ts: event.ts });
    return changed;
  }

  message(id: string): Message | undefined {
    return this.#draft.last('message', id);
  }

  run(runId: string): Run | undefined {
    return this.#draft.last('run', runId);
  }

  /** Where a message begins: its first event. */
  start(messageId: string): MessageStart | undefined {
    return this.#starts.get(messageId);
  }

  state(): MessageTreeState {
    const starts = [...this.#starts].map(([id, { seq, ts }]) => [id, seq, ts] as const);
    return { seq: this.#seq, starts, tables: this.#draft.tables() };
  }
}

/** The draft for the reducers; keeps only the tables that determine the positions of messages. */
class TreeDraft implements ConversationDraft {
  readonly #values = new Map<KeptTable, Map<string, unknown[]>>();
  readonly #counts = new Map<KeptTable, Map<string, number>>();
  #changedMessages = new Set<string>();
  readonly version = 0;
  changed = false;
  hint: unknown;

  constructor(tables: MessageTreeState['tables']) {
    for (const name of Object.keys(keptTables) as KeptTable[]) {
      const entries = tables[name] ?? [];
      if (keptTables[name] === 'count') this.#counts.set(name, new Map(entries as [string, number][]));
      else
        this.#values.set(name, new Map((entries as [string, unknown[]][]).map(([key, values]) => [key, [...values]])));
    }
  }

  get size(): number {
    return [...this.#values.values()].reduce((sum, keys) => sum + keys.size, 0);
  }

  /** Applies an event; returns the ids of the messages that it added or changed. */
  write(event: AgentEvent): ReadonlySet<string> {
    this.#changedMessages = new Set();
    this.hint = undefined;
    applyEvent(this, event);
    return this.#changedMessages;
  }

  tables(): MessageTreeState['tables'] {
    return Object.fromEntries([...this.#values, ...this.#counts].map(([name, keys]) => [name, [...keys]]));
  }

  last<Name extends keyof Tables>(name: Name, key: string): Tables[Name] | undefined {
    return this.#list(name, key)?.at(-1) as Tables[Name] | undefined;
  }

  count(name: keyof Tables, key: string): number {
    return this.#counts.get(name as KeptTable)?.get(key) ?? this.#list(name, key)?.length ?? 0;
  }

  all<Name extends keyof Tables>(name: Name, key: string): readonly Tables[Name][] {
    return (this.#list(name, key) ?? []) as Tables[Name][];
  }

  add<Name extends keyof Tables>(name: Name, key: string, value: Tables[Name]): Tables[Name] | undefined {
    if (!isKept(name)) return undefined;
    const counts = this.#counts.get(name);
    if (counts !== undefined) {
      counts.set(key, (counts.get(key) ?? 0) + 1);
      return undefined;
    }
    const before = this.last(name, key);
    this.#noteMessage(name, value, before);
    const kept = name === 'chunk' ? withoutContent(value as Chunk) : value;
    const keys = this.#values.get(name) as Map<string, unknown[]>;
    const list = keptTables[name] === 'all' ? keys.get(key) : undefined;
    if (list === undefined) keys.set(key, [kept]);
    else list.push(kept);
    return before;
  }

  set<Name extends keyof Tables>(name: Name, key: string, value: Tables[Name]): void {
    if (this.last(name, key) !== value) this.add(name, key, value);
  }

  grow(): void {}
  text(): undefined {}
  list(): undefined {}
  addTo(): void {}
  growAt(): void {}

  #list(name: keyof Tables, key: string): readonly unknown[] | undefined {
    return this.#values.get(name as KeptTable)?.get(key);
  }

  /** A message changes with its place, and with the agent and the model of its run. */
  #noteMessage(name: keyof Tables, value: unknown, before: unknown): void {
    if (name === 'message') this.#changedMessages.add((value as Message).id);
    if (name !== 'run') return;
    const [run, earlier] = [value as Run, before as Run | undefined];
    const isSame = earlier !== undefined && run.agentId === earlier.agentId && run.model === earlier.model;
    if (!isSame && this.last('message', run.messageId)?.runId === run.runId) this.#changedMessages.add(run.messageId);
  }
}

function isKept(name: keyof Tables): name is KeptTable {
  return name in keptTables;
}

/** A chunk with as much of its event as the reducers read again. */
function withoutContent(whole: Chunk): Chunk {
  const { event, providerMetadata: _, ...chunk } = whole;
  if (event.type !== 'tool_call') return { ...chunk, event: noContent };
  const { type, runId, id, name, executedBy } = event;
  return { ...chunk, event: { type, runId, id, name, input: {}, ...(executedBy !== undefined && { executedBy }) } };
}

/** Stands for the event of a chunk that is not read again. */
const noContent: AgentEvent = { type: 'session', runId: '', sessionId: '' };
