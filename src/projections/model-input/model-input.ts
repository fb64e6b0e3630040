import { type Active, activeUpTo } from '../../graph/conversation/active.ts';
import type { Block, Summary } from '../../graph/conversation/record.ts';
import { getChange, getBlocks, getSummaries } from '../../graph/conversation/queries.ts';
import type { Conversation } from '../../graph/conversation/conversation.ts';
import type { Message } from '../message.ts';
import { buildSpans } from '../reading/spans.ts';
import { blockMessages, type Call, callsIn } from './block-messages.ts';
import { BranchTurns } from './branch-turns.ts';
import { cutTo, getEnd, fitHistory, type ListEnd, markFit, pushMessage } from './history.ts';
import { namedBlock, type InputSpan } from './input-span.ts';
import { ListOrigin } from './prefix-cache.ts';
import { ProviderCallIds } from './provider-call-ids.ts';
import { summaryMessages } from './summary-messages.ts';

export interface MessagesOptions {
  /** Earlier messages; they come first. */
  readonly history?: readonly Message[];
  /** Outputs longer than this many characters are shortened for the model; they stay whole in the log. */
  readonly maxOutputLength?: number;
  /** The kinds of summaries that replace the messages they cover; all when absent. */
  readonly memory?: readonly Summary['kind'][];
  /** Whether the history has observations, which those of the conversation continue. */
  readonly continuesObservations?: boolean;
}

/** A block, or a summary with the blocks that it covers, as it was when it was added. */
interface Entry {
  /** The ids of the block, or of the blocks that the summary covers. */
  readonly blockIds: readonly string[];
  /** The change of the block it was made from; undefined for a summary, which never changes. */
  readonly change: number | undefined;
  readonly calls: readonly Call[];
  /** Its own messages, before they are joined with others. */
  readonly messages: readonly Message[];
  readonly summary?: Summary;
  /** How the messages ended before it. */
  readonly before: ListEnd;
}

/**
 * What a model is sent of a branch of a conversation that grows. Following the branch costs what is new on it; after a
 * new summary, a change before one, or calls in an unusual order everything is made again.
 */
export class ModelInput {
  readonly #options: MessagesOptions;
  readonly #history: readonly Message[];
  readonly #messages: Message[];
  /** A copy of the messages that was given out, while they are the same. */
  #list: readonly Message[] | undefined;
  readonly #origin: ListOrigin;
  #ids: ProviderCallIds;
  #turns = new BranchTurns();
  #summaries = 0;
  readonly #entries: Entry[] = [];
  readonly #entryOf = new Map<string, number>();
  /** How many entries there are up to the last summary, and the last message of which it covers something. */
  #covered = 0;
  #coveredMessage: string | undefined;

  constructor(options: MessagesOptions = {}) {
    const { history = [], maxOutputLength = Number.POSITIVE_INFINITY } = options;
    this.#options = options;
    this.#history = fitHistory(history, maxOutputLength);
    this.#messages = [...this.#history];
    this.#origin = new ListOrigin(this.#history);
    this.#ids = new ProviderCallIds(this.#history);
  }

  /** The messages of the branch that ends with a message; throws `invalid_argument` when it is on no branch. */
  upTo(conversation: Conversation, messageId: string): readonly Message[] {
    if (!this.#advance(conversation, messageId)) this.#beginAgain(conversation, activeUpTo(conversation, messageId));
    return this.#given(conversation);
  }

  /** Returns the messages of the active branch, built from scratch. */
  of(conversation: Conversation, active: Active): readonly Message[] {
    this.#beginAgain(conversation, active);
    return this.#given(conversation);
  }

  /** Whether a list that was given out is what a model is sent now. */
  isCurrent(list: readonly Message[]): boolean {
    return this.#list === list;
  }

  /** Whether a message is on the branch. */
  has(messageId: string): boolean {
    return this.#turns.has(messageId);
  }

  /** How the messages of the branch end with one of its messages; undefined when summaries count on it. */
  endWith(messageId: string): ListEnd | undefined {
    const end = this.#turns.findEnd(messageId, this.#entries.length);
    return end === undefined || this.#covered > 0 ? undefined : this.#endBefore(end);
  }

  /** The id of the first message of the branch. */
  get firstMessageId(): string | undefined {
    return this.#turns.first;
  }

  /** The id of the message before the last one, when the last one begins a new message for a model. */
  get previousMessageId(): string | undefined {
    const { last, previous } = this.#turns;
    if (last === undefined || last.firstEntry < this.#covered) return undefined;
    const role = this.#endBefore(last.firstEntry).last?.role;
    return role === 'assistant' || role === 'tool' ? previous : undefined;
  }

  /** Returns the sources of the messages, in order: summaries, and the blocks that no summary covers. */
  spans(conversation: Conversation): InputSpan[] {
    return this.#entries.flatMap(({ blockIds: [blockId = ''], messages, summary }): InputSpan[] => {
      if (summary !== undefined) return [{ name: summary.id, messages, summary }];
      const named = messages.length === 0 ? undefined : namedBlock(conversation, blockId);
      return named === undefined ? [] : [{ ...named, messages }];
    });
  }

  /** Returns the blocks that no summary covers, each with the number of messages up to its end. */
  blocks(): { readonly blockId: string; readonly count: number }[] {
    return this.#entries.flatMap(({ blockIds: [blockId], change }, entry) =>
      change === undefined || blockId === undefined ? [] : [{ blockId, count: this.#endBefore(entry + 1).length }],
    );
  }

  #given(conversation: Conversation): readonly Message[] {
    this.#summaries = getSummaries(conversation).length;
    return (this.#list ??= markFit(this.#origin.given([...this.#messages])));
  }

  #beginAgain(conversation: Conversation, active: Active): void {
    this.#cut(0);
    this.#ids = new ProviderCallIds(this.#history);
    const { memory } = this.#options;
    const spans = buildSpans(conversation, active, ({ kind }) => memory === undefined || memory.includes(kind));
    const pieces = spans.map(span => ('block' in span ? buildPiece(conversation, span.block) : span));
    this.#ids.give(pieces.flatMap(piece => ('block' in piece ? piece.calls : [])));
    const shown = summaryMessages(
      spans.flatMap(span => ('summary' in span ? [span.summary] : [])),
      this.#options,
    );
    for (const piece of pieces)
      if ('block' in piece) this.#addBlock(conversation, piece);
      else this.#addSummary(piece.summary, piece.blocks, shown.get(piece.summary) ?? []);
    this.#covered = spans.findLastIndex(span => 'summary' in span) + 1;
    const last = spans[this.#covered - 1];
    this.#coveredMessage = last !== undefined && 'summary' in last ? last.blocks.at(-1)?.messageId : undefined;
    this.#turns = new BranchTurns();
    this.#turns.begin(conversation, active.messages, this.#entryOf);
  }

  /** Adds the new entries of the branch; returns false when everything has to be rebuilt. */
  #advance(conversation: Conversation, messageId: string): boolean {
    const summaries = getSummaries(conversation);
    if (summaries.length !== this.#summaries) return false;
    const entries = { count: this.#entries.length, of: this.#entryOf, changeOf: this.#changeOf };
    const next = this.#turns.next(conversation, messageId, entries);
    if (next === undefined || next.firstEntry < this.#covered) return false;
    // A branch that ends inside of what a summary covers has no such summary.
    if (this.#coveredMessage !== undefined && !this.#turns.isUpTo(this.#coveredMessage, next.lastShared)) return false;
    const blocks = next.turns.flatMap(({ id, from }) => getBlocks(conversation, id, from));
    if (summaries.length > 0 && isEndOfSummary(summaries, blocks)) return false;
    const pieces = blocks.map(block => buildPiece(conversation, block));
    const replaced = this.#entries.slice(next.firstEntry).flatMap(({ calls }) => calls);
    if (!this.#ids.takeBack(replaced) || !this.#ids.give(pieces.flatMap(({ calls }) => calls))) return false;
    this.#cut(next.firstEntry);
    for (const piece of pieces) this.#addBlock(conversation, piece);
    this.#turns.follow(conversation, next, this.#entryOf);
    return true;
  }

  readonly #changeOf = (entry: number): number | undefined => this.#entries[entry]?.change;

  #addBlock(conversation: Conversation, { block, calls }: Piece): void {
    const change = getChange(conversation, 'block', block.id);
    const { maxOutputLength = Number.POSITIVE_INFINITY } = this.#options;
    const context = { idOf: (call: Call) => this.#ids.of(call), maxOutputLength };
    const messages = blockMessages(conversation, block, calls, context);
    this.#add({ blockIds: [block.id], change, calls, messages, before: getEnd(this.#messages) });
    for (const message of messages) this.#push(message);
  }

  #addSummary(summary: Summary, blocks: readonly Block[], messages: readonly Message[]): void {
    const blockIds = blocks.map(({ id }) => id);
    this.#add({ blockIds, change: undefined, calls: [], messages, summary, before: getEnd(this.#messages) });
    for (const message of messages) this.#push(message);
  }

  #push(message: Message): void {
    this.#list = undefined;
    pushMessage(this.#messages, message);
  }

  #add(entry: Entry): void {
    for (const id of entry.blockIds) this.#entryOf.set(id, this.#entries.length);
    this.#entries.push(entry);
  }

  /** How the messages ended before an entry. */
  #endBefore(entry: number): ListEnd {
    return this.#entries[entry]?.before ?? getEnd(this.#messages);
  }

  /** Takes off the entries from one of them on. */
  #cut(entry: number): void {
    const before = this.#entries[entry]?.before;
    if (before === undefined) return;
    for (const { blockIds } of this.#entries.splice(entry)) for (const id of blockIds) this.#entryOf.delete(id);
    if (before.length === this.#messages.length && before.last === this.#messages.at(-1)) return;
    this.#list = undefined;
    this.#origin.cutTo(before.length - 1);
    cutTo(this.#messages, before);
  }
}

interface Piece {
  readonly block: Block;
  readonly calls: readonly Call[];
}

function buildPiece(conversation: Conversation, block: Block): Piece {
  return { block, calls: callsIn(conversation, block) };
}

/** Whether a summary begins or ends with one of these blocks. */
function isEndOfSummary(summaries: readonly Summary[], blocks: readonly Block[]): boolean {
  const ids = new Set(blocks.map(({ id }) => id));
  return summaries.some(({ fromBlockId, toBlockId }) => ids.has(fromBlockId) || ids.has(toBlockId));
}
