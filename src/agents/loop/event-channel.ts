import type { AgentEvent } from '../../events/index.ts';

interface Item {
  event: AgentEvent;
  readonly taken: () => void;
}

/**
 * Joins the events of several tasks into one stream. `put` resolves when the consumer, having got the event, asks for
 * the next one: a task that waits for it goes on only after its event was dealt with, and never when the consumer is
 * gone. Tasks that each wait for their event take turns.
 */
export class EventChannel {
  readonly #items: Item[] = [];
  /** What the consumer got last; it is dealt with when the consumer, or the next one, asks again. */
  #given: Item | undefined;
  #wake: () => void = () => {};
  #gone = false;

  put(event: AgentEvent): Promise<void> {
    return new Promise(taken => {
      if (this.#gone) return;
      this.#items.push({ event, taken });
      this.#wake();
    });
  }

  /** Puts a progress report; one of the same call that still waits is replaced, so that reports never pile up. */
  report(event: Extract<AgentEvent, { type: 'tool_progress' }>): void {
    const waiting = this.#items.find(
      item => item.event.type === 'tool_progress' && item.event.toolCallId === event.toolCallId,
    );
    if (waiting) waiting.event = event;
    else void this.put(event);
  }

  /** The consumer is gone: what is put from now on waits for ever. */
  leave(): void {
    this.#gone = true;
    this.#items.length = 0;
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

  /** Another stream, with the events of this one as they come in between. */
  async *beside<Result>(main: AsyncGenerator<AgentEvent, Result>): AsyncGenerator<AgentEvent, Result> {
    for (;;) {
      const next = main.next();
      yield* this.until(next.catch(() => {}));
      const { done, value } = await next;
      if (done === true) return value;
      yield value;
    }
  }

  async *#waiting(): AsyncGenerator<AgentEvent> {
    for (;;) {
      this.#given?.taken();
      this.#given = this.#items.shift();
      if (this.#given === undefined) return;
      yield this.#given.event;
    }
  }

  #change(isOver: () => boolean): Promise<void> {
    return new Promise(resolve => {
      this.#wake = resolve;
      if (this.#items.length > 0 || isOver()) resolve();
    });
  }
}
