import { defined } from '../../base/defined.ts';
import type { Limits } from '../../agents/limits/limits.ts';
import { AllowanceBook } from '../../agents/limits/allowances.ts';
import { SpendingCounter } from '../../agents/limits/spending.ts';
import type { SpentTotals } from '../../agents/contract/spending.ts';
import { addUsage, noUsage, type UsageCounts } from '../../events/usage-sum.ts';
import type { EventLog, Thread } from '../../log/event-log.ts';
import { inheritedSeq } from '../../log/own-events.ts';
import { readEvents } from '../../log/read-events.ts';
import type { RunState } from '../../projections/run-state.ts';
import type { Clock } from '../../agents/clock.ts';

export interface SpendingBookOptions {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly limits: Limits | undefined;
  /** Counts only threads of this resource in a day; all threads when absent. */
  readonly resourceId?: string | undefined;
  /** Resolves when everything that runs of this process wrote to a thread is in the log. */
  readonly flush: (threadId: string) => Promise<void>;
}

/** The spending of a thread up to a seq. */
interface Entry {
  readonly seq: number;
  readonly total: UsageCounts;
  readonly day: string;
  readonly inDay: UsageCounts;
}

const pageSize = 100;

/**
 * Sums the spending of threads, and collects the allowances of people beyond limits, from the logs; reads each event
 * once. Inherited events of branches and imports do not count.
 */
export class SpendingBook {
  readonly #options: SpendingBookOptions;
  readonly #entries = new Map<string, Entry>();
  readonly #allowances = new AllowanceBook();

  constructor(options: SpendingBookOptions) {
    this.#options = options;
  }

  /** Returns a counter for a run of a thread, starting with its spending before it resumed. */
  open(threadId: string, runId: string, resumed?: RunState): SpendingCounter {
    const { log, limits } = this.#options;
    const totals: SpentTotals = {
      threadId,
      allowances: this.#allowances,
      today: () => this.#today(),
      thread: async () => {
        const thread = await log.getThread(threadId);
        return thread === undefined ? noUsage : (await this.#update(thread)).total;
      },
      day: () => this.#inDay(),
    };
    return new SpendingCounter({ runId, limits, totals, resumed });
  }

  async #inDay(): Promise<UsageCounts> {
    const { log, resourceId } = this.#options;
    const day = this.#today();
    let sum = noUsage;
    let after: Thread | undefined;
    for (;;) {
      const page = await log.listThreads({
        limit: pageSize,
        ...defined({ resourceId, after }),
      });
      for (const thread of page) {
        // The listing begins with the thread that changed last.
        if (toDay(thread.updatedAt) < day) return sum;
        const { day: newest, inDay } = await this.#update(thread);
        if (newest === day) sum = addUsage(sum, inDay);
      }
      after = page.at(-1);
      if (page.length < pageSize) return sum;
    }
  }

  async #update(listed: Thread): Promise<Entry> {
    const { log, flush } = this.#options;
    const { id } = listed;
    await flush(id);
    const hasOwn = listed.importedSeq !== listed.seq;
    const thread = hasOwn ? listed : ((await log.getThread(id)) ?? listed);
    let entry = this.#entries.get(id) ?? { seq: inheritedSeq(thread), total: noUsage, day: '', inDay: noUsage };
    // An import may still add events to a thread that has only imported ones.
    if (thread.importedSeq === thread.seq) return entry;
    for await (const event of readEvents(log, id, entry.seq)) {
      this.#allowances.take(event, id);
      if (event.type !== 'usage') entry = { ...entry, seq: event.seq };
      else {
        const day = toDay(event.ts);
        const inDay = addUsage(day === entry.day ? entry.inDay : noUsage, event);
        entry = { seq: event.seq, total: addUsage(entry.total, event), day, inDay };
      }
    }
    this.#entries.set(id, entry);
    return entry;
  }

  #today(): string {
    return toDay(new Date(this.#options.clock.now()).toISOString());
  }
}

/** The day of a time in UTC. */
function toDay(ts: string): string {
  const time = new Date(ts);
  return Number.isNaN(time.getTime()) ? '' : time.toISOString().slice(0, 10);
}
