import { type AgentEvent, definitionOf } from '../events/index.ts';
import { plainEvent, plainFragment, withFragment } from './encode.ts';
import type { AppendOptions, EventLog } from './event-log.ts';

export interface ThreadWriterOptions {
  /** How long a fragment may wait for more, in milliseconds; 32 when absent. */
  windowMs?: number;
  /** How much may wait, in characters; 16,384 when absent. */
  maxLength?: number;
  /** Proves the right to write. */
  lease?: AppendOptions['lease'];
  /** Calls back after a time and returns what cancels it; `setTimeout` when absent. */
  schedule?: (ms: number, callback: () => void) => () => void;
}

interface Waiting {
  readonly event: AgentEvent;
  readonly fragment: string;
  readonly pieces: string[];
}

/**
 * Writes the events of a thread in order, joining fragments of one stream that come close together before they get
 * a `seq`: live and later readers see the same sequence. Fragments wait at most `windowMs` or until `maxLength`
 * characters are there; every other event takes what waits with it. A crash loses at most what waits.
 *
 * After a failed append nothing is dropped: `flush` tries again, and every call rejects until it succeeds.
 */
export class ThreadWriter {
  readonly #log: EventLog;
  readonly #threadId: string;
  readonly #options: Required<Omit<ThreadWriterOptions, 'lease'>> & Pick<AppendOptions, 'lease'>;
  #waiting: Waiting[] = [];
  /** The newest waiting fragment of each stream. */
  readonly #open = new Map<string, Waiting>();
  #length = 0;
  #cancel: (() => void) | undefined;
  /** Events that are on their way into the log, or failed to get there. */
  #batch: AgentEvent[] = [];
  /** How much text of fragments has left `#waiting` and is not in the log yet. */
  #leaving = 0;
  #appending: Promise<void> = Promise.resolve();

  constructor(log: EventLog, threadId: string, { lease, ...options }: ThreadWriterOptions = {}) {
    this.#log = log;
    this.#threadId = threadId;
    this.#options = { windowMs: 32, maxLength: 16_384, schedule: onTimer, ...options, ...(lease && { lease }) };
  }

  /**
   * A fragment is accepted at once, unless the log is behind by `maxLength`: then it resolves when the log has caught
   * up. Any other event resolves when it and all before it are in the log. What is not an event is refused with
   * `invalid_event` and hinders nothing else.
   */
  async write(written: AgentEvent): Promise<void> {
    const type = (written as Partial<AgentEvent> | null | undefined)?.type;
    const definition = typeof type === 'string' ? definitionOf(type) : undefined;
    if (definition?.durability !== 'delta' || definition.fragment === undefined) {
      const event = plainEvent(written);
      this.#take();
      this.#batch.push(event);
      return this.#append();
    }
    this.#add(plainFragment(written, definition.fragment), definition.fragment);
    if (this.#length + this.#leaving >= this.#options.maxLength) return this.flush();
    this.#cancel ??= this.#options.schedule(this.#options.windowMs, () => void this.flush().catch(() => {}));
  }

  /** Resolves when everything written so far is in the log. */
  flush(): Promise<void> {
    this.#take();
    return this.#append();
  }

  #add(event: AgentEvent, fragment: string): void {
    const fields = event as unknown as Record<string, string>;
    const piece = fields[fragment] ?? '';
    this.#length += piece.length;
    const stream = `${event.runId}\u0000${fields['id']}`;
    const open = this.#open.get(stream);
    if (open !== undefined && joins(open.event, event, fragment)) {
      open.pieces.push(piece);
      return;
    }
    const waiting = { event, fragment, pieces: [piece] };
    this.#waiting.push(waiting);
    this.#open.set(stream, waiting);
  }

  /** Moves what waits into the batch. */
  #take(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    for (const { event, fragment, pieces } of this.#waiting)
      this.#batch.push(pieces.length === 1 ? event : withFragment(event, fragment, pieces.join('')));
    this.#waiting = [];
    this.#open.clear();
    this.#leaving += this.#length;
    this.#length = 0;
  }

  #append(): Promise<void> {
    const appended = this.#appending.then(async () => {
      const events = this.#batch;
      const length = this.#leaving;
      if (events.length === 0) return;
      this.#batch = [];
      try {
        const { lease } = this.#options;
        await this.#log.append(this.#threadId, events, lease ? { lease } : {});
        this.#leaving -= length;
      } catch (error) {
        this.#batch = [...events, ...this.#batch];
        throw error;
      }
    });
    this.#appending = appended.catch(() => {});
    return appended;
  }
}

/** Whether a fragment goes on from another: all but the text, the time and the raw line is the same. */
function joins(first: AgentEvent, next: AgentEvent, fragment: string): boolean {
  const a = first as unknown as Record<string, unknown>;
  const b = next as unknown as Record<string, unknown>;
  const same = (key: string) => key === fragment || key === 'ts' || key === 'line' || a[key] === b[key];
  return Object.keys(a).every(same) && Object.keys(b).every(same);
}

function onTimer(ms: number, callback: () => void): () => void {
  const timer = setTimeout(callback, ms);
  return () => clearTimeout(timer);
}
