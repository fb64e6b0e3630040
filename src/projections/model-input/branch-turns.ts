import {
  blockIdsFrom,
  blocksTouchedSince,
  getChange,
  getMessage,
  type Mark,
  getMark,
  markOfMessage,
  type MessageMark,
  touchedSince,
} from '../../graph/conversation/queries.ts';
import type { Conversation } from '../../graph/conversation/conversation.ts';

/** A message of the branch, as far as it was added. */
interface Turn {
  readonly id: string;
  readonly firstEntry: number;
  /** How many of its blocks were added. */
  readonly blocks: number;
  readonly mark: MessageMark;
}

/** The entries made from the blocks of the branch, in order. */
interface Entries {
  readonly count: number;
  /** The entry of a block. */
  readonly of: ReadonlyMap<string, number>;
  /** The change of the block an entry was made from; undefined when no change of it matters. */
  readonly changeOf: (entry: number) => number | undefined;
}

/** The entries to remove and the messages to add, in that order, to follow a branch. */
interface Next {
  /** The first entry that is taken off. */
  readonly firstEntry: number;
  /** How many messages stay as they are. */
  readonly kept: number;
  /** The last message that the branch had before, too. */
  readonly lastShared?: string | undefined;
  /** The messages to add, each from one of its blocks on. */
  readonly turns: readonly { readonly id: string; readonly from: number }[];
}

/** The messages of a branch: finds what changed since they were added, at the cost of what changed. */
export class BranchTurns {
  #mark: Mark | undefined;
  readonly #turns: Turn[] = [];
  readonly #placeOf = new Map<string, number>();

  /** The id of the first message. */
  get first(): string | undefined {
    return this.#turns[0]?.id;
  }

  get last(): { readonly firstEntry: number } | undefined {
    return this.#turns.at(-1);
  }

  /** The id of the message before the last one. */
  get previous(): string | undefined {
    return this.#turns.at(-2)?.id;
  }

  /** Returns whether a message of the branch is `last` or precedes it. */
  isUpTo(messageId: string, last: string | undefined): boolean {
    return (this.#placeOf.get(messageId) ?? Infinity) <= (this.#placeOf.get(last ?? '') ?? -1);
  }

  has(messageId: string): boolean {
    return this.#placeOf.has(messageId);
  }

  /** The entry after the last one of a message. */
  findEnd(messageId: string, count: number): number | undefined {
    const place = this.#placeOf.get(messageId);
    return place === undefined ? undefined : this.#end(place, count);
  }

  /** Notes a branch of which every block was added. */
  begin(conversation: Conversation, messageIds: readonly string[], entryOf: ReadonlyMap<string, number>): void {
    const turns = messageIds.map(id => ({ id, from: 0 }));
    this.follow(conversation, { firstEntry: 0, kept: 0, turns }, entryOf);
  }

  /** Returns the steps to follow the branch that ends with a message; undefined when they are unknown. */
  next(conversation: Conversation, messageId: string, entries: Entries): Next | undefined {
    const touched = this.#mark && touchedSince(conversation, this.#mark);
    const { shared, added } = this.#split(conversation, messageId);
    if (touched === undefined || shared === 0) return undefined;
    let kept = shared;
    let firstEntry = this.#turns[shared]?.firstEntry ?? entries.count;
    for (const id of new Set(touched)) {
      const place = this.#placeOf.get(id);
      if (place === undefined || place >= shared) continue;
      const changed = this.#firstChange(conversation, place, entries);
      if (changed === undefined || changed > firstEntry) continue;
      kept = changed < firstEntry ? place : Math.min(kept, place);
      firstEntry = changed;
    }
    const again = this.#turns.slice(kept, shared).map(({ id, blocks }, index) => {
      return { id, from: index === 0 ? blocks - (this.#end(kept, entries.count) - firstEntry) : 0 };
    });
    const lastShared = this.#turns[shared - 1]?.id;
    return { firstEntry, kept, lastShared, turns: [...again, ...added.map(id => ({ id, from: 0 }))] };
  }

  /** Records that the steps were applied. */
  follow(conversation: Conversation, { firstEntry, kept, turns }: Next, entryOf: ReadonlyMap<string, number>): void {
    const [changed] = this.#turns.slice(kept);
    for (const { id } of this.#turns.splice(kept)) this.#placeOf.delete(id);
    let next = firstEntry;
    for (const { id, from } of turns) {
      const added = blockIdsFrom(conversation, id, from);
      const first = from > 0 && changed?.id === id ? changed.firstEntry : (entryOf.get(added[0] ?? '') ?? next);
      next = (entryOf.get(added.at(-1) ?? '') ?? next - 1) + 1;
      this.#placeOf.set(id, this.#turns.length);
      const mark = markOfMessage(conversation, id);
      this.#turns.push({ id, firstEntry: first, blocks: from + added.length, mark });
    }
    this.#mark = getMark(conversation);
  }

  /** How many messages the branch begins with that are known, and those after them. */
  #split(conversation: Conversation, messageId: string): { shared: number; added: readonly string[] } {
    const added: string[] = [];
    for (let at = getMessage(conversation, messageId); at !== undefined; ) {
      const place = this.#placeOf.get(at.id);
      if (place !== undefined) return { shared: place + 1, added: added.toReversed() };
      added.push(at.id);
      at = at.parentMessageId === undefined ? undefined : getMessage(conversation, at.parentMessageId);
    }
    return { shared: 0, added: added.toReversed() };
  }

  /** Returns the first entry that a change in a message makes outdated; undefined when no entry is. */
  #firstChange(conversation: Conversation, place: number, entries: Entries): number | undefined {
    const { id, blocks, mark } = this.#turns[place] as Turn;
    const hasNew = blockIdsFrom(conversation, id, blocks).length > 0;
    let first = hasNew ? this.#end(place, entries.count) : undefined;
    for (const blockId of blocksTouchedSince(conversation, id, mark) ?? blockIdsFrom(conversation, id, 0)) {
      const entry = entries.of.get(blockId);
      const before = entry === undefined ? undefined : entries.changeOf(entry);
      if (entry === undefined || before === undefined || (first !== undefined && entry >= first)) continue;
      if (before !== getChange(conversation, 'block', blockId)) first = entry;
    }
    return first;
  }

  #end(place: number, count: number): number {
    return this.#turns[place + 1]?.firstEntry ?? count;
  }
}
