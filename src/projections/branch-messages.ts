import {
  type Active,
  activeUpTo,
  changeOf,
  type Conversation,
  getBlock,
  getBlocks,
  getMessage,
  getSummaries,
  type Mark,
  markOf,
  touchedSince,
} from '../graph/index.ts';
import type { Call } from './block-messages.ts';
import { BranchCallIds } from './branch-call-ids.ts';
import { cutTo, endOf, type ListEnd } from './join-messages.ts';
import { ListOrigin } from './list-origin.ts';
import type { Message } from './message.ts';
import { callsOf, pushSpan } from './project-messages.ts';
import { type Span, spansOf } from './reading/spans.ts';
import { enclosed, pushStrict } from './strict-messages.ts';

/** A message of the branch, as it was when it was taken in. */
interface Place {
  readonly id: string;
  readonly change: number;
  readonly hasCalls: boolean;
  /** How what a model is sent ended before it. */
  readonly before: ListEnd;
}

/** What a model is sent of a branch. */
export interface SentOfBranch {
  readonly messages: Message[];
  /** The first message of the branch, and the one before its last. */
  readonly firstMessageId: string | undefined;
  readonly previousMessageId: string | undefined;
}

/**
 * `projectMessages` of one branch after another of a conversation that grows. What goes on from the branch before costs
 * only what is new on it. After an edit of the past, a summary or calls in an unusual order it is made from scratch.
 */
export class BranchMessages {
  #mark: Mark | undefined;
  #summaries = 0;
  #ids = new BranchCallIds();
  readonly #places: Place[] = [];
  readonly #placeOf = new Map<string, number>();
  /** How many of the places are under summaries, and stay as they are until all is made from scratch. */
  #covered = 0;
  readonly #plain: Message[] = [];
  readonly #strict: Message[] = [];
  readonly #origin = new ListOrigin();
  /** How `#strict` ended before each message of `#plain`. */
  readonly #ends: ListEnd[] = [];

  /** What a model is sent of the branch that ends with a message; throws `invalid_argument` when there is none. */
  upTo(conversation: Conversation, messageId: string): SentOfBranch {
    if (!this.#goOn(conversation, messageId)) this.#beginAnew(conversation, messageId);
    this.#mark = markOf(conversation);
    this.#summaries = getSummaries(conversation).length;
    return {
      messages: this.#origin.given(enclosed(this.#strict)),
      firstMessageId: this.#places[0]?.id,
      previousMessageId: this.#places.at(-2)?.id,
    };
  }

  /** Whether a message is on the branch. */
  has(messageId: string): boolean {
    return this.#placeOf.has(messageId);
  }

  /** How many messages the branch is up to one of its messages, before they are made fit; undefined under summaries. */
  countUpTo(messageId: string): number | undefined {
    const place = this.#placeOf.get(messageId);
    if (place === undefined || this.#covered > 0) return undefined;
    return this.#places[place + 1]?.before.length ?? this.#plain.length;
  }

  /** Takes in what is new on the branch; false when all has to be made from scratch. */
  #goOn(conversation: Conversation, messageId: string): boolean {
    const touched = this.#mark && touchedSince(conversation, this.#mark);
    if (touched === undefined) return false;
    const { shared, added } = this.#newOn(conversation, messageId);
    if (shared === 0) return false;
    let kept = shared;
    for (const id of touched) {
      const place = this.#placeOf.get(id) ?? kept;
      if (place < kept && this.#places[place]?.change !== changeOf(conversation, 'message', id)) kept = place;
    }
    if (kept < this.#covered || this.#places.slice(kept).some(({ hasCalls }) => hasCalls)) return false;
    const again = [...this.#places.slice(kept, shared).map(({ id }) => id), ...added];
    if (this.#isSummarised(conversation, again)) return false;
    const pieces = again.map(id => pieceOf(conversation, id));
    if (!this.#ids.give(pieces.flatMap(({ calls }) => calls))) return false;
    this.#cut(kept);
    for (const piece of pieces) this.#take(conversation, piece);
    return true;
  }

  /** How many messages the branch begins with that are known, and those after them. */
  #newOn(conversation: Conversation, messageId: string): { shared: number; added: readonly string[] } {
    const added: string[] = [];
    for (let at = getMessage(conversation, messageId); at !== undefined; ) {
      const place = this.#placeOf.get(at.id);
      if (place !== undefined) return { shared: place + 1, added: added.toReversed() };
      added.push(at.id);
      at = at.parentMessageId === undefined ? undefined : getMessage(conversation, at.parentMessageId);
    }
    return { shared: 0, added: added.toReversed() };
  }

  /** Whether a summary came since, or ends in one of these messages. */
  #isSummarised(conversation: Conversation, messageIds: readonly string[]): boolean {
    const summaries = getSummaries(conversation);
    if (summaries.length !== this.#summaries) return true;
    const ends = summaries.flatMap(({ fromBlockId, toBlockId }) => [fromBlockId, toBlockId]);
    return ends.some(id => messageIds.includes(getBlock(conversation, id)?.messageId ?? ''));
  }

  #beginAnew(conversation: Conversation, messageId: string): void {
    const active = activeUpTo(conversation, messageId);
    this.#cut(0);
    this.#ids = new BranchCallIds();
    this.#covered = coveredOf(conversation, active);
    const head = active.messages.slice(0, this.#covered);
    const spans = head.length === 0 ? [] : spansOf(conversation, { messages: head, full: false });
    const pieces = active.messages.slice(this.#covered).map(id => pieceOf(conversation, id));
    this.#ids.give([...callsOf(conversation, spans), ...pieces.flatMap(({ calls }) => calls)]);
    for (const id of head) this.#take(conversation, { id, spans: [], calls: [] });
    this.#push(conversation, spans);
    for (const piece of pieces) this.#take(conversation, piece);
  }

  #take(conversation: Conversation, { id, spans, calls }: Piece): void {
    const change = changeOf(conversation, 'message', id);
    this.#placeOf.set(id, this.#places.length);
    this.#places.push({ id, change, hasCalls: calls.length > 0, before: endOf(this.#plain) });
    this.#push(conversation, spans);
  }

  #push(conversation: Conversation, spans: readonly Span[]): void {
    const { length, last } = endOf(this.#plain);
    const context = { idOf: (call: Call) => this.#ids.of(call), maxOutputLength: Number.POSITIVE_INFINITY };
    for (const span of spans) pushSpan(this.#plain, conversation, span, context);
    this.#makeFit(this.#plain[length - 1] === last ? length : length - 1);
  }

  /** Makes the messages fit from one of them on. */
  #makeFit(from: number): void {
    const end = this.#ends[from];
    if (end !== undefined) this.#origin.cutTo(end.length - 1);
    if (end !== undefined) cutTo(this.#strict, end);
    this.#ends.length = Math.min(from, this.#ends.length);
    for (const message of this.#plain.slice(from)) {
      this.#ends.push(endOf(this.#strict));
      pushStrict(this.#strict, message);
    }
  }

  /** Takes off all messages of the branch from a place on. */
  #cut(kept: number): void {
    const first = this.#places[kept];
    if (first === undefined) return;
    for (const { id } of this.#places.slice(kept)) this.#placeOf.delete(id);
    this.#places.length = kept;
    cutTo(this.#plain, first.before);
    this.#makeFit(Math.max(0, this.#plain.length - 1));
  }
}

/** A message that is under no summary. */
interface Piece {
  readonly id: string;
  readonly spans: readonly Span[];
  readonly calls: readonly Call[];
}

function pieceOf(conversation: Conversation, id: string): Piece {
  const spans = getBlocks(conversation, id).map(block => ({ block }));
  return { id, spans, calls: callsOf(conversation, spans) };
}

/** How many messages a branch begins with until no summary counts any more. */
function coveredOf(conversation: Conversation, active: Active): number {
  if (getSummaries(conversation).length === 0) return 0;
  const last = spansOf(conversation, active).findLast(span => 'summary' in span);
  const block = last && 'summary' in last ? last.blocks.at(-1) : undefined;
  return block === undefined ? 0 : active.messages.indexOf(block.messageId) + 1;
}
