import type { LoggedEvent } from '../../events/vocabulary.ts';
import type { OutlineSnapshot } from '../../events/outline/outline-snapshot.ts';
import { ThreadOutline } from '../../events/outline/thread-outline.ts';
import { addUsage, noUsage, type UsageCounts } from '../../events/usage-sum.ts';
import { textOfContent } from '../../events/content-text.ts';
import { toToolOutput } from '../../events/tools.ts';
import { OutlinePlaces } from './outline-places.ts';
import type { SearchedText } from './searched-text.ts';
import { searchedLength } from './words.ts';

/** The number of shared events from which on a branch stores an outline where it begins. */
export const fewShared = 64;
/** For events whose outlines are stored already. */
export const noOutlines: ReadonlySet<number> = new Set();

/** The usage of one completed call of a model or a tool. */
export interface UsedInCall {
  /** The day in UTC, such as `2026-01-31`. */
  readonly day: string;
  /** Empty when the run has no agent. */
  readonly agentId: string;
  /** Empty when the model is not known. */
  readonly modelId: string;
  /** Empty for calls of models. */
  readonly tool: string;
  readonly counts: UsageCounts;
  /** 1 for a call of a tool that failed or was denied, else 0. */
  readonly failedCalls: number;
  /** Milliseconds in which a tool ran. */
  readonly toolMs: number;
}

/** The index entries derived from the events of one append, which make lookups possible without reading the thread. */
export interface Derived {
  readonly messages: { readonly messageId: string; readonly seq: number }[];
  readonly texts: SearchedText[];
  readonly used: UsedInCall[];
  readonly outlines: OutlineSnapshot[];
}

interface OpenText {
  readonly id: string;
  readonly seq: number;
  readonly time: string;
  lastSeq: number;
  text: string;
}

/**
 * Derives the index entries of a thread, append by append, in constant time per event. A derivation can be resumed from
 * the newest stored outline and the events after it.
 */
export class ThreadDerivation {
  readonly #outline: ThreadOutline;
  readonly #texts = new Map<string, OpenText>();
  readonly #places = new OutlinePlaces();
  #derived: Derived = nothingDerived();

  constructor(snapshot?: OutlineSnapshot) {
    this.#outline = new ThreadOutline(snapshot, (messageId, seq) => this.#derived.messages.push({ messageId, seq }));
  }

  /** The seq of the newest applied event. */
  get seq(): number {
    return this.#outline.seq;
  }

  /** Returns an outline to continue from; undefined while a text is open, of which the part so far would be lost. */
  snapshot(): OutlineSnapshot | undefined {
    return this.#texts.size === 0 ? this.#outline.snapshot() : undefined;
  }

  /**
   * Derives from the next events, with the lengths of their stored texts. When their outlines are already stored,
   * `stored` has the seqs of those outlines and none is derived.
   */
  take(events: readonly LoggedEvent[], lengthOf: (index: number) => number, stored?: ReadonlySet<number>): Derived {
    this.#derived = nothingDerived();
    for (const [index, event] of events.entries()) {
      this.#takeText(event);
      // A call is known until its result is taken.
      const used = event.type === 'tool_result' ? this.#usedByTool(event) : undefined;
      if (used !== undefined) this.#derived.used.push(used);
      this.#outline.take(event);
      if (event.type === 'usage') this.#derived.used.push(this.#usedIn(event));
      const hasOutline = stored?.has(event.seq) ?? this.#places.take(event, lengthOf(index));
      if (!hasOutline) continue;
      for (const runId of this.#texts.keys()) this.#closeText(runId);
      if (stored === undefined) this.#derived.outlines.push(this.#outline.snapshot());
    }
    return this.#derived;
  }

  #takeText(event: LoggedEvent): void {
    const { runId, seq, ts: time } = event;
    const open = this.#texts.get(runId);
    if (event.type === 'text') {
      if (open !== undefined && open.id !== event.id) this.#closeText(runId);
      const text = this.#texts.get(runId) ?? { id: event.id, seq, lastSeq: seq, time, text: '' };
      text.lastSeq = seq;
      if (text.text.length < searchedLength) text.text += event.content;
      this.#texts.set(runId, text);
      return;
    }
    if (open !== undefined) this.#closeText(runId);
    if (event.type !== 'user') return;
    const isSteering = this.#outline.run(runId) !== undefined;
    const messageId = isSteering ? runId : `${runId}:user`;
    this.#addText({ seq, lastSeq: seq, messageId, time, text: textOfContent(event.content).slice(0, searchedLength) });
  }

  #closeText(runId: string): void {
    const open = this.#texts.get(runId);
    if (open === undefined) return;
    this.#texts.delete(runId);
    const { seq, lastSeq, time, text } = open;
    this.#addText({ seq, lastSeq, messageId: runId, time, text });
  }

  #addText(text: SearchedText): void {
    if (text.text.trim() !== '') this.#derived.texts.push(text);
  }

  #usedIn(event: LoggedEvent & { readonly type: 'usage' }): UsedInCall {
    const run = this.#outline.run(event.runId);
    return {
      day: event.ts.slice(0, 10),
      agentId: run?.agentId ?? '',
      modelId: event.model ?? run?.model ?? '',
      tool: '',
      counts: addUsage(noUsage, event),
      failedCalls: 0,
      toolMs: 0,
    };
  }

  /** Returns what a call of a tool is counted as; undefined for a result that ends no open call. */
  #usedByTool(event: LoggedEvent & { readonly type: 'tool_result' }): UsedInCall | undefined {
    const call = this.#outline.openCall(event.id, event.runId);
    if (call === undefined) return undefined;
    const run = this.#outline.run(call.runId);
    const since = Date.parse(call.since ?? event.ts);
    return {
      day: event.ts.slice(0, 10),
      agentId: run?.agentId ?? '',
      modelId: run?.model ?? '',
      tool: call.tool,
      counts: noUsage,
      failedCalls: 'context' in toToolOutput(event.output) ? 0 : 1,
      toolMs: Math.max(0, Date.parse(event.ts) - since),
    };
  }
}

function nothingDerived(): Derived {
  return { messages: [], texts: [], used: [], outlines: [] };
}
