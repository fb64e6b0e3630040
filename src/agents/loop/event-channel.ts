import type { AgentEvent } from '../../events/index.ts';

interface Item {
  event: AgentEvent;
  readonly taken: () => void;
}

/**
 * Joins the events of several tasks into one stream. `put` resolves when the consumer, having got the event, asks for
 * the next one: a task that waits for it goes on only after its event was dealt with, and never when the consumer is
 * gone.
 */
export class EventChannel implements AsyncIterable<AgentEvent> {
  readonly #items: Item[] = [];
  #wake: (() => void) | undefined;
  #closed = false;
  #gone = false;

  put(event: AgentEvent): Promise<void> {
    return new Promise(taken => {
      if (this.#gone) return;
      this.#items.push({ event, taken });
      this.#wake?.();
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

  /** Ends the stream once what waits was taken. */
  close(): void {
    this.#closed = true;
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<AgentEvent> {
    try {
      for (;;) {
        const item = this.#items.shift();
        if (item !== undefined) {
          yield item.event;
          item.taken();
        } else if (this.#closed) return;
        else await new Promise<void>(resolve => (this.#wake = resolve));
      }
    } finally {
      this.#gone = true;
    }
  }
}
