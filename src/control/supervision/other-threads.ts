import type { SummaryEvent, ThreadObservations } from '../../agents/contract/memory.ts';
import type { Conversation } from '../../graph/conversation/conversation.ts';
import { defaultActive } from '../../graph/conversation/active.ts';
import { getBlocks, getChunks, getSummaries } from '../../graph/conversation/queries.ts';
import { allThreads } from '../../log/all-threads.ts';
import type { EventLog, Thread } from '../../log/event-log.ts';
import { isObservation } from '../../projections/model-input/summary-messages.ts';
import { spansOf } from '../../projections/reading/spans.ts';
import type { ThreadMemory } from '../threads/thread-memory.ts';

/** How many threads of a resource are read, those that changed last. */
const maxThreads = 50;
/** Of how many threads the observations are kept, so that those that did not change are not read again. */
const maxKept = 500;

interface CachedObservations {
  readonly createdAt: string;
  readonly seq: number;
  readonly observations: readonly SummaryEvent[];
}

/** Reads the observations of the other threads of a resource. Forks and imported threads are not among them. */
export class OtherThreads {
  readonly #log: EventLog;
  readonly #memory: ThreadMemory;
  /** By when they were used, the latest last. */
  readonly #kept = new Map<string, CachedObservations>();

  constructor(log: EventLog, memory: ThreadMemory) {
    this.#log = log;
    this.#memory = memory;
  }

  /** Returns the observations that were in effect when a message of a thread was sent, without those of that thread. */
  async of(threadId: string, messageId: string): Promise<ThreadObservations[]> {
    const own = await this.#log.getThread(threadId);
    if (own === undefined) return [];
    const { conversation } = await this.#memory.of(threadId);
    const known = new Set(getSummaries(conversation).map(({ id }) => id));
    const sentAt = timeOf(conversation, messageId);
    const found: ThreadObservations[] = [];
    let count = 0;
    for await (const thread of allThreads(this.#log, { resourceId: own.resourceId })) {
      if (thread.id === threadId || !isShared(thread)) continue;
      if (++count > maxThreads) break;
      const all = await this.#inEffect(thread, sentAt);
      // A clone has the observations of its source.
      const observations = all.filter(({ id }) => !known.has(id));
      for (const { id } of observations) known.add(id);
      if (observations.length > 0) found.push({ threadId: thread.id, createdAt: thread.createdAt, observations });
    }
    return found;
  }

  async #inEffect(thread: Thread, at: string): Promise<readonly SummaryEvent[]> {
    const { id, createdAt, seq } = thread;
    const kept = this.#kept.get(id);
    this.#kept.delete(id);
    if (kept?.createdAt === createdAt && kept.seq === seq) {
      this.#keep(id, kept);
      if (kept.observations.every(summary => isBefore(summary, at))) return kept.observations;
    }
    const { conversation } = await this.#memory.of(id);
    this.#keep(id, { createdAt, seq, observations: observationsIn(conversation) });
    return observationsIn(conversation, at);
  }

  #keep(threadId: string, kept: CachedObservations): void {
    this.#kept.set(threadId, kept);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > maxKept && oldest !== undefined) this.#kept.delete(oldest);
  }
}

/** Whether other threads may use what was observed in a thread. */
function isShared({ metadata, importedSeq }: Thread): boolean {
  return metadata['forkedSubagent'] !== true && importedSeq === undefined;
}

function observationsIn(conversation: Conversation, at?: string): SummaryEvent[] {
  const spans = spansOf(
    conversation,
    defaultActive(conversation),
    summary => isObservation(summary) && (at === undefined || isBefore(summary.event, at)),
  );
  return spans.flatMap(span => ('summary' in span ? [span.summary.event] : []));
}

function isBefore({ ts }: SummaryEvent, at: string): boolean {
  return ts === undefined || ts <= at;
}

function timeOf(conversation: Conversation, messageId: string): string {
  const [block] = getBlocks(conversation, messageId);
  const [chunk] = block === undefined ? [] : getChunks(conversation, block.id);
  return chunk?.event.ts ?? new Date().toISOString();
}
