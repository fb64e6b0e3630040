import type { SummaryEvent, ThreadObservations } from '../../agents/contract/memory.ts';
import type { MemoryHost, MemoryJob } from '../../agents/contract/agent.ts';
import { defined } from '../../base/defined.ts';
import { newId } from '../../events/ids.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import { activeUpTo, defaultActive } from '../../graph/conversation/active.ts';
import type { Conversation } from '../../graph/conversation/conversation.ts';
import { getBufferedFrom, getBlocks, getChunks, getSummaries } from '../../graph/conversation/queries.ts';
import type { EventLog, Lease, Thread } from '../../log/event-log.ts';
import { ThreadWriter } from '../../log/thread-writer.ts';
import type { Message } from '../../projections/message.ts';
import { ModelInput } from '../../projections/model-input/model-input.ts';
import type { ThreadState, ThreadMemory } from '../threads/thread-memory.ts';
import type { Clock } from '../../agents/clock.ts';
import { renewalMs, isEndedProcess } from './leases.ts';
import { allThreads } from '../../log/all-threads.ts';
import { isObservation } from '../../projections/model-input/summary-messages.ts';
import { buildSpans } from '../../projections/reading/spans.ts';

export interface MemoryJobsOptions {
  readonly log: EventLog;
  readonly memory: ThreadMemory;
  readonly owner: string;
  readonly leaseMs: number;
  readonly clock: Clock;
  /** Resolves when all events that runs of the thread have emitted are in the log. */
  readonly flush: (threadId: string) => Promise<void>;
  /** Receives the failure of a job that could not be written as a run. */
  readonly onFailure: (threadId: string, cause: unknown) => void;
}

/** The run that a memory serves. */
export interface ServedRun {
  readonly threadId: string;
  readonly runId: string;
  /** The user message it answers. */
  readonly parentId: string;
  readonly messages: readonly Message[];
  readonly threadState: ThreadState;
}

/**
 * Runs observers and reflectors as separate runs: the abort and the end of the run that they serve do not affect them.
 * A lease allows one job per thread across all processes. `close` and deleting a thread abort them.
 */
export class MemoryJobs {
  readonly #options: MemoryJobsOptions;
  readonly #running = new Map<string, { readonly done: Promise<unknown>; readonly stop: AbortController }>();
  readonly #others: OtherThreads;
  #isClosed = false;

  constructor(options: MemoryJobsOptions) {
    this.#options = options;
    this.#others = new OtherThreads(options.log, options.memory);
  }

  /** Returns the access of a run's memory to its thread. */
  host({ threadId, runId, parentId, messages, threadState }: ServedRun): MemoryHost {
    const { conversation, branch } = threadState;
    let others: ReturnType<MemoryHost['others']> | undefined;
    return {
      spans: () => (branch.isCurrent(messages) ? branch.spans(conversation) : spansUpTo(conversation, parentId)),
      buffered: async () => {
        const { conversation: newest } = await this.#options.memory.of(threadId);
        return from => bufferedFrom(newest, from);
      },
      others: () => (others ??= this.#others.of(threadId, parentId)),
      run: job => {
        let start: () => void = () => {};
        const started = new Promise<void>(resolve => (start = resolve));
        const ended = this.#run({ threadId, servedId: runId, job, start }).finally(start);
        return { started, ended };
      },
    };
  }

  /** Runs an agent in parallel with a run, unless a job of the thread is active. Never rejects. */
  async runBeside(threadId: string, servedId: string, job: BesideJob): Promise<void> {
    await this.#run({ threadId, servedId, job, start: () => {} });
  }

  /** Aborts all jobs; resolves when they have ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const running = [...this.#running.values()];
    for (const { stop } of running) stop.abort();
    await Promise.all(running.map(({ done }) => done));
  }

  async #run(request: Omit<JobRun, 'signal'>): Promise<boolean> {
    const { threadId, start } = request;
    const other = this.#running.get(threadId);
    if (other !== undefined || this.#isClosed) {
      start();
      await other?.done;
      return false;
    }
    const stop = new AbortController();
    const unsubscribe = this.#options.log.onDeleted?.(deleted => deleted === threadId && stop.abort());
    const done = this.#runWithLease({ ...request, signal: stop.signal }).catch((cause: unknown) => {
      if (!stop.signal.aborted) this.#options.onFailure(threadId, cause);
      return true;
    });
    this.#running.set(threadId, { done, stop });
    try {
      return await done;
    } finally {
      unsubscribe?.();
      this.#running.delete(threadId);
    }
  }

  async #runWithLease(run: JobRun): Promise<boolean> {
    const { log, leaseMs } = this.#options;
    const lease = await this.#acquire(run);
    if (lease === undefined) return false;
    const lost = new AbortController();
    const held = { newest: lease };
    const renewal = setInterval(() => {
      log.renewLease(held.newest, leaseMs).then(
        renewed => (held.newest = renewed),
        error => SingletreeError.is(error, 'lease_lost') && lost.abort(),
      );
      // Another process may have deleted the thread.
      log.getThread(run.threadId).then(
        thread => thread ?? lost.abort(),
        () => {},
      );
    }, renewalMs(leaseMs)).unref();
    try {
      return await this.#perform({ ...run, signal: AbortSignal.any([run.signal, lost.signal]) }, lease);
    } finally {
      clearInterval(renewal);
      await log.releaseLease(held.newest).catch(() => {}); // It ends by itself.
    }
  }

  /** Waits while another process has a job of the thread; returns undefined after it had one. */
  async #acquire({ threadId, signal, start }: JobRun): Promise<Lease | undefined> {
    const { log, owner, leaseMs, clock } = this.#options;
    for (let isFirst = true; !signal.aborted; isFirst = false) {
      try {
        const lease = await log.acquireLease(`memory:${threadId}`, { owner, ttlMs: leaseMs, isGone: isEndedProcess });
        if (isFirst) return lease;
        await log.releaseLease(lease);
        return undefined;
      } catch (error) {
        if (!SingletreeError.is(error, 'lease_held')) throw error;
      }
      start();
      await new Promise<void>(resolve => {
        const cancel = clock.after(renewalMs(leaseMs) / 5, resolve);
        signal.addEventListener('abort', () => resolve(cancel()), { once: true });
      });
    }
    return undefined;
  }

  /** Runs the job unless its summary exists; returns whether it ran. */
  async #perform({ threadId, servedId, job, signal, start }: JobRun, lease: Lease): Promise<boolean> {
    const { log, memory, flush } = this.#options;
    // A summary that refers to events missing from the log has no effect.
    await flush(threadId);
    const { conversation, memoryRuns, contexts: stored } = await memory.of(threadId);
    if (isMade(conversation, job)) return false;
    const writer = new ThreadWriter(log, threadId, { lease });
    for (const [runId, agentId] of memoryRuns)
      await writer.write({ type: 'harness_end', runId, agentId, reason: 'interrupted' });
    const events = job.agent.invoke({
      run: { runId: newId(), parentId: servedId, signal },
      conversation: { messages: [] },
      host: defined({ spending: job.spending }),
    });
    const contexts = stored.copy();
    for await (const emitted of events) {
      const event = contexts.toStored(emitted);
      if (event === undefined) continue;
      if (event.type !== 'summary') await writer.pass(event).finally(start);
      else {
        await writer.flush();
        await log
          .append(threadId, [event], { lease, ...('covers' in job && { once: onceKey(job) }) })
          .catch(ignoreSecond);
      }
    }
    return true;
  }
}

/** Work that makes no summary. */
type BesideJob = Pick<MemoryJob, 'agent' | 'spending'>;

/** Whether the summary of a job exists. */
function isMade(conversation: Conversation, job: MemoryJob | BesideJob): boolean {
  if (!('covers' in job)) return false;
  const known = bufferedFrom(conversation, job.covers.from);
  return known.some(({ kind, covers }) => kind === job.kind && covers.to === job.covers.to);
}

interface JobRun {
  readonly threadId: string;
  /** The run that the job serves. */
  readonly servedId: string;
  readonly job: MemoryJob | BesideJob;
  /** Is called when its first event is in the log, or it has to wait. */
  readonly start: () => void;
  readonly signal: AbortSignal;
}

function spansUpTo(conversation: Conversation, messageId: string) {
  const input = new ModelInput();
  input.of(conversation, activeUpTo(conversation, messageId));
  return input.spans(conversation);
}

function bufferedFrom(conversation: Conversation, from: string): SummaryEvent[] {
  return getBufferedFrom(conversation, from).map(({ event }) => event);
}

function onceKey({ kind, covers }: MemoryJob): string {
  return `memory:${kind}:${covers.from}:${covers.to}`;
}

function ignoreSecond(error: unknown): void {
  if (!SingletreeError.is(error, 'once_conflict')) throw error;
}

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
class OtherThreads {
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
    const sentAt = getTime(conversation, messageId);
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
  const spans = buildSpans(
    conversation,
    defaultActive(conversation),
    summary => isObservation(summary) && (at === undefined || isBefore(summary.event, at)),
  );
  return spans.flatMap(span => ('summary' in span ? [span.summary.event] : []));
}

function isBefore({ ts }: SummaryEvent, at: string): boolean {
  return ts === undefined || ts <= at;
}

function getTime(conversation: Conversation, messageId: string): string {
  const [block] = getBlocks(conversation, messageId);
  const [chunk] = block === undefined ? [] : getChunks(conversation, block.id);
  return chunk?.event.ts ?? new Date().toISOString();
}
