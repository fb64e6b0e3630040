import type { AgentEvent } from '../../events/index.ts';

type Report = Extract<AgentEvent, { type: 'tool_progress' }>;

type Give = (given: IteratorResult<AgentEvent>) => void;

interface Item {
  event: AgentEvent;
  readonly taken?: () => void;
  /** Whether whoever waits for it to be taken goes on, too, when the consumer leaves. */
  readonly isFragment?: boolean;
}

/** How many fragments may wait to be taken before who makes them has to wait. */
const mostAhead = 64;

/**
 * Joins the events of several tasks into one stream. `put` resolves when the consumer, having got the event, asks for
 * the next one: a task that waits for it goes on only after its event was dealt with, and never when the consumer is
 * gone. Tasks that each wait for their event take turns.
 */
export class EventChannel {
  #listener: ((event: AgentEvent) => void) | undefined;
  readonly #items: Item[] = [];
  /** What the consumer got last; it is dealt with when the consumer, or the next one, asks again. */
  #given: Item | undefined;
  #wake: () => void = idle;
  #gone = false;

  /** From now on the listener is told each event, but no progress reports, before it waits to be taken. */
  onPut(listener: (event: AgentEvent) => void): void {
    this.#listener = listener;
  }

  put(event: AgentEvent): Promise<void> {
    return new Promise(taken => {
      if (this.#gone) return;
      this.#listener?.(event);
      this.#add({ event, taken });
    });
  }

  /**
   * Puts a fragment. It has to be waited for only when many wait already: then there is a promise, which resolves also
   * when the consumer leaves.
   */
  pass(event: AgentEvent): Promise<void> | undefined {
    if (this.#gone) return undefined;
    this.#listener?.(event);
    if (this.#items.length >= mostAhead) return new Promise(taken => this.#add({ event, taken, isFragment: true }));
    this.#add({ event });
    return undefined;
  }

  /**
   * Puts a progress report; one of the same call that still waits is replaced, so that reports never pile up. Pieces
   * of output, `{ stream, output }`, are joined instead.
   */
  report(event: Report): void {
    const piece = pieceOf(event);
    const waiting = this.#items.find(
      ({ event: other }) =>
        other.type === 'tool_progress' &&
        other.toolCallId === event.toolCallId &&
        pieceOf(other)?.stream === piece?.stream,
    );
    if (waiting === undefined) {
      if (!this.#gone) this.#add({ event });
    } else {
      const before = pieceOf(waiting.event as Report);
      const output = `${before?.output ?? ''}${piece?.output ?? ''}`;
      waiting.event = piece === undefined ? event : { ...event, content: { ...piece, output } };
    }
  }

  /** The consumer is gone: what is put from now on waits for ever. */
  leave(): void {
    this.#gone = true;
    const waiting = [...(this.#given ? [this.#given] : []), ...this.#items.splice(0)];
    for (const { taken, isFragment } of waiting) if (isFragment === true) taken?.();
  }

  /** The events that wait, and those that come until the work is done. The work never rejects. */
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
   * What is put by some work, which starts when the first event is asked for, until it is done. Whoever stops reading
   * before leaves: what is put then waits for ever, and `onLeave` is called.
   */
  stream(work: () => Promise<void>, onLeave: () => void): AsyncIterableIterator<AgentEvent> {
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
    // Set once, and not as a function that is written right here: the engine keeps those long, with all they know.
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

/** A piece of output that a report is, if it is one. */
function pieceOf({ content }: Report): { readonly stream: string; readonly output: string } | undefined {
  if (typeof content !== 'object' || content === null || !('stream' in content) || !('output' in content))
    return undefined;
  const { stream, output } = content;
  return typeof stream === 'string' && typeof output === 'string' ? { ...content, stream, output } : undefined;
}
