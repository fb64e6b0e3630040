import type { AgentEvent } from '../../events/vocabulary.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import {
  checkAppendOptions,
  checkId,
  checkImportable,
  isUsableId,
  leaseLost,
  onceConflict,
  seqConflict,
  threadNotFound,
} from '../checks.ts';
import type { AppendOptions } from '../event-log.ts';
import type { Stored } from '../live-tails.ts';
import { type LongContent, shortenBody } from '../long-content.ts';
import type { Connections } from './connections.ts';
import type { Statement } from './value-query.ts';
import type { DatabaseClock } from './database-clock.ts';
import { fence } from './leases.ts';
import { openLines } from './open-functions.ts';
import { type PreparedAppend, prepareAppend, raiseTimes, storedAppend, toTimes } from './prepared-append.ts';
import { metadataLines } from './thread-rows.ts';

/** The database's answer to an append: the result, or the reason for the refusal. */
interface Answer {
  readonly status: string;
  /** The last seq, or the one that the conflict is about. */
  readonly seq: number;
  /** The topic of the thread; the time of its newest event when those to append have an earlier one. */
  readonly about: string;
  /** The time at which it was appended, in milliseconds. */
  readonly atMs: number;
}

/** The result of an append. */
interface Appended {
  readonly firstSeq: number;
  /** The topic of the thread's news. */
  readonly topic: string;
  readonly stored: Stored;
}

export interface AppendsOptions {
  readonly connections: Connections;
  readonly schema: string;
  /** The channel of notifications; null when another feed carries the news. */
  readonly channel: string | null;
  readonly now: () => number;
  /** Returns the time to use instead of that of the database, or null. */
  readonly stamp: () => string | null;
  readonly maxEventBytes: number;
  readonly clock: DatabaseClock;
}

/** Of how many threads the time of the newest event is kept. */
const mostThreads = 10_000;

/** Appends events, each batch with one statement that checks its conditions. */
export class Appends {
  readonly #options: AppendsOptions;
  readonly #statement: Statement;
  /** Appends of which it is not known whether they took effect: when they are repeated they keep their id. */
  readonly #unsettled = new WeakMap<readonly AgentEvent[], PreparedAppend>();
  /** The times of the newest events that were appended here: an append that begins earlier needs a second statement. */
  readonly #newestTs = new Map<string, string>();

  constructor(options: AppendsOptions) {
    this.#options = options;
    const parameters = Array.from({ length: 19 }, (_, index) => `$${index + 1}`).join(', ');
    this.#statement = { name: 'append', text: `SELECT ${options.schema}.append_events(${parameters}) AS answer` };
  }

  /** Checks and copies events; the returned function appends them. */
  prepare(threadId: string, events: readonly AgentEvent[], options: AppendOptions): () => Promise<Appended> {
    checkAppendOptions(options);
    if (!isUsableId(threadId)) throw threadNotFound(threadId);
    if (options.once !== undefined) checkId('once key', options.once);
    const lines = metadataLines(options.metadata);
    const { now, maxEventBytes } = this.#options;
    const newestTs = this.#newestTs.get(threadId);
    const unsettled = this.#unsettled.get(events);
    let prepared = unsettled ?? prepareAppend(events, { now, maxEventBytes, newestTs, imported: options.imported });
    return async () => {
      let answer: Answer;
      try {
        const send = () => this.#send(threadId, { prepared, options, lines, isRepeated: unsettled !== undefined });
        for (answer = await send(); answer.status === 'earlier'; answer = await send())
          prepared = raiseTimes(prepared, answer.about);
        this.#unsettled.delete(events);
      } catch (error) {
        if (SingletreeError.is(error) && error.details['isUnsettled'] === true) this.#unsettled.set(events, prepared);
        throw error;
      }
      if (answer.status !== 'appended') throw refusal(threadId, options, answer);
      const firstSeq = answer.seq - prepared.texts.length + 1;
      const stored = storedAppend(prepared, firstSeq);
      this.#keepTime(threadId, stored.events.at(-1)?.ts);
      return { firstSeq, topic: answer.about, stored };
    };
  }

  /** Drops the cached state of a thread. */
  forget(threadId: string): void {
    this.#newestTs.delete(threadId);
  }

  async #send(threadId: string, { prepared, options, lines, isRepeated: wasSent }: Sending): Promise<Answer> {
    const { connections, channel, stamp, clock } = this.#options;
    const { bodies, contents } = shortenBodies(prepared.texts);
    const joined = bodies.length === 1 ? (bodies[0] ?? '') : bodies.join('\n');
    const values = (isRepeated: boolean) => [
      threadId,
      joined,
      prepared.texts.length,
      prepared.id,
      isRepeated,
      options.expectedSeq ?? null,
      options.once ?? null,
      ...fence(options.lease),
      ...lines,
      options.imported === true,
      ...toTimes(prepared),
      stamp(),
      channel,
      contents,
      openLines(prepared.open, { base: prepared.base, owner: options.lease?.owner, resumes: options.resumes }),
    ];
    const measured = clock.measure();
    const text = await connections.value(this.#statement, values, wasSent);
    // The conditions changed between two looks at them: the next attempt finds out.
    if (text == null) return this.#send(threadId, { prepared, options, lines, isRepeated: wasSent });
    const [status = '', seq, about = '', atMs] = text.split(' ');
    const answer = { status, seq: Number(seq), about, atMs: Number(atMs) };
    if (!Number.isNaN(answer.atMs) && stamp() === null) measured(answer.atMs);
    return answer;
  }

  #keepTime(threadId: string, ts: string | undefined): void {
    if (ts === undefined) return;
    if (this.#newestTs.size >= mostThreads) this.#newestTs.clear();
    this.#newestTs.set(threadId, ts);
  }
}

interface Sending {
  readonly prepared: PreparedAppend;
  readonly options: AppendOptions;
  /** The names and the values of changed metadata. */
  readonly lines: readonly (string | null)[];
  /** Whether an earlier call may have taken effect. */
  readonly isRepeated: boolean;
}

/** The bodies to store, and the lines with their long texts; null when they have none. */
function shortenBodies(texts: readonly string[]): { bodies: readonly string[]; contents: string | null } {
  const found = new Map<string, { content: LongContent; places: number[] }>();
  const bodies = texts.map((text, index) => {
    const short = shortenBody(text);
    for (const content of short?.contents ?? []) {
      const { places } = found.get(content.hash) ?? { places: [] };
      found.set(content.hash, { content, places: [...places, index + 1] });
    }
    return short?.body ?? text;
  });
  if (found.size === 0) return { bodies: texts, contents: null };
  const lines = [...found.values()].map(({ content, places }) => `${content.hash} ${places.join()} ${content.text}`);
  return { bodies, contents: lines.join('\n') };
}

/** Why an append was refused. */
function refusal(
  threadId: string,
  { expectedSeq = 0, once = '', lease }: AppendOptions,
  { status, seq }: Answer,
): SingletreeError {
  if (status === 'seq_conflict') return seqConflict(threadId, expectedSeq, seq);
  if (status === 'once_conflict') return onceConflict(threadId, once, seq);
  if (status === 'lease_lost' && lease !== undefined) return leaseLost(lease);
  if (status === 'not_importable') checkImportable({ id: threadId, seq });
  return threadNotFound(threadId);
}
