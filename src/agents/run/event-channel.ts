import type { AgentEvent, EventOf } from '../../events/vocabulary.ts';
import { unfrozenEvents } from '../frozen-events.ts';

/** A progress report of a tool. */
export type ToolProgress = EventOf<'tool_progress'>;

type Give = (given: IteratorResult<AgentEvent>) => void;

interface Item {
  event: AgentEvent;
  readonly taken?: () => void;
  /** Whether the producer also continues when the consumer detaches. */
  readonly isFragment?: boolean;
}

/** Receives the events of a run: a channel, or the handler of a parent run for the events of a subagent. */
export interface EventSink {
  /** Resolves when the event was handled; never after the consumer has detached. */
  put(event: AgentEvent): Promise<void>;
  /** Receives a fragment. Returns a promise only when the caller has to wait. */
  pass(event: AgentEvent): Promise<void> | undefined;
  /** Receives a progress report; no producer waits for it. */
  report(event: ToolProgress): void;
}

/** Names the method of a `RunStream` that forwards its events. */
const forwardTo = Symbol('forwardTo');

/** The events of a run, to be read one by one or forwarded. */
export interface RunStream extends AsyncIterableIterator<AgentEvent> {
  /**
   * Starts the run and passes each event directly to a sink, which applies backpressure to the producers; resolves when
   * the run has ended. Use it instead of reading the stream.
   */
  [forwardTo](sink: EventSink): Promise<void>;
}

/** Passes the events of a run to a sink as they come, in order; resolves when the run has ended. */
export async function forwardEvents(events: AsyncIterable<AgentEvent>, sink: EventSink): Promise<void> {
  const unfrozen = unfrozenEvents(events);
  if (forwardTo in unfrozen) return (unfrozen as RunStream)[forwardTo](sink);
  for await (const event of unfrozen) await sink.put(event);
}

/** The number of fragments that may be queued before producers have to wait. */
const mostAhead = 64;
/** The number of queued events from which on milestones are replaced, too. */
const mostMilestones = 1_000;

/**
 * Merges the events of several tasks into one stream. `put` resolves when the consumer, having received the event,
 * requests the next one: a task that awaits it continues only after its event was handled, and never after the consumer
 * has detached. Tasks that await their events take turns. The channel of a subagent forwards to that of the run that started
 * it: an event is queued once, at the channel of the first run.
 */
export class EventChannel implements EventSink {
  #listener: ((event: AgentEvent) => void) | undefined;
  readonly #items: Item[] = [];
  /** The event the consumer received last; it counts as handled when a consumer requests the next one. */
  #given: Item | undefined;
  #wake: () => void = idle;
  #gone = false;
  /** Receives the events instead of the queue. */
  #sink: EventSink | undefined;

  /** Calls the listener with each further event, except progress reports, before it is queued. */
  onPut(listener: (event: AgentEvent) => void): void {
    this.#listener = listener;
  }

  put(event: AgentEvent): Promise<void> {
    if (this.#sink !== undefined) {
      this.#listener?.(event);
      return this.#sink.put(event);
    }
    return new Promise(taken => {
      if (this.#gone) return;
      this.#listener?.(event);
      this.#add({ event, taken });
    });
  }

  /** Puts a fragment. Returns a promise only when the queue is full; it also resolves when the consumer detaches. */
  pass(event: AgentEvent): Promise<void> | undefined {
    if (this.#gone) return undefined;
    this.#listener?.(event);
    if (this.#sink !== undefined) return this.#sink.pass(event);
    if (this.#items.length >= mostAhead) return new Promise(taken => this.#add({ event, taken, isFragment: true }));
    this.#add({ event });
    return undefined;
  }

  /**
   * Puts a progress report. It replaces a queued report of the same call, so that reports never pile up; milestones,
   * which have a label, a phase or a milestone, are kept, and pieces of output, `{ stream, output }`, are joined.
   */
  report(event: ToolProgress): void {
    if (this.#sink !== undefined) return this.#sink.report(event);
    const piece = toPiece(event);
    const waiting = this.#items.findLast(
      ({ event: other }) =>
        other.type === 'tool_progress' &&
        other.runId === event.runId &&
        other.toolCallId === event.toolCallId &&
        toPiece(other)?.stream === piece?.stream,
    );
    const isKept = waiting !== undefined && isMilestone(waiting.event) && this.#items.length < mostMilestones;
    if (waiting === undefined || isKept) {
      if (!this.#gone) this.#add({ event });
    } else {
      const before = toPiece(waiting.event as ToolProgress);
      const output = `${before?.output ?? ''}${piece?.output ?? ''}`;
      waiting.event = piece === undefined ? event : { ...event, content: { ...piece, output } };
    }
  }

  /** Detaches the consumer: anything put from now on never resolves. */
  leave(): void {
    this.#gone = true;
    const waiting = [...(this.#given ? [this.#given] : []), ...this.#items.splice(0)];
    for (const { taken, isFragment } of waiting) if (isFragment === true) taken?.();
  }

  /** Yields the queued events, and further ones until the work is done. The work never rejects. */
  async *until(work: Promise<unknown>): AsyncGenerator<AgentEvent> {
    let done = false;
    void work.then(() => {
      done = true;
      this.#wake();
    });
    for (;;) {
      yield* this.#waiting();
      if (done) return;
      await this.#change(() => done);
    }
  }

  /**
   * Yields the events of some work, which starts when the first event is requested. A consumer that stops reading early
   * detaches: later puts never resolve, and `onLeave` is called.
   */
  stream(work: () => Promise<void>, onLeave: () => void): RunStream {
    let state: 'new' | 'working' | 'over' = 'new';
    let failed: { readonly error: unknown } | undefined;
    let asked: { readonly resolve: Give; readonly reject: (error: unknown) => void } | undefined;
    const begin = () => {
      state = 'working';
      const end = () => {
        state = 'over';
        this.#wake();
      };
      work().then(end, error => {
        failed = { error };
        end();
      });
    };
    const give = (resolve: Give, reject: (error: unknown) => void) => {
      const value = this.#next();
      if (value !== undefined) resolve({ done: false, value });
      else if (state !== 'over') asked = { resolve, reject };
      else if (failed === undefined) resolve({ done: true, value: undefined });
      else reject(failed.error);
    };
    const goOn = () => {
      const waiting = asked;
      asked = undefined;
      if (waiting !== undefined) give(waiting.resolve, waiting.reject);
    };
    // Assigned once and not as an inline closure: the engine would keep that alive with everything it captures.
    this.#wake = goOn;
    return {
      next: () => {
        if (state === 'new') begin();
        return new Promise(give);
      },
      return: () => {
        if (state === 'working') onLeave();
        state = 'over';
        this.leave();
        goOn();
        return Promise.resolve({ done: true, value: undefined });
      },
      [Symbol.asyncIterator]() {
        return this;
      },
      [forwardTo]: sink => {
        this.#sink = sink;
        return work();
      },
    };
  }

  async *#waiting(): AsyncGenerator<AgentEvent> {
    for (let event = this.#next(); event !== undefined; event = this.#next()) yield event;
  }

  #next(): AgentEvent | undefined {
    this.#given?.taken?.();
    this.#given = this.#items.shift();
    return this.#given?.event;
  }

  #add(item: Item): void {
    this.#items.push(item);
    this.#wake();
  }

  #change(isOver: () => boolean): Promise<void> {
    return new Promise(resolve => {
      this.#wake = resolve;
      if (this.#items.length > 0 || isOver()) resolve();
    });
  }
}

function idle(): void {}

/** Whether it is a report in the form of a milestone. */
function isMilestone(event: AgentEvent): boolean {
  const content = event.type === 'tool_progress' ? event.content : undefined;
  if (typeof content !== 'object' || content === null) return false;
  return 'label' in content || 'phaseIndex' in content || 'milestone' in content;
}

/** The piece of output that a report carries, if it carries one. */
function toPiece({ content }: ToolProgress): { readonly stream: string; readonly output: string } | undefined {
  if (typeof content !== 'object' || content === null || !('stream' in content) || !('output' in content))
    return undefined;
  const { stream, output } = content;
  return typeof stream === 'string' && typeof output === 'string' ? { ...content, stream, output } : undefined;
}
