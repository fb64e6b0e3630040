import type { AgentEvent } from '../../events/index.ts';

type Report = Extract<AgentEvent, { type: 'tool_progress' }>;

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
    if (waiting === undefined) void this.put(event);
    else {
      const before = pieceOf(waiting.event as Report);
      const output = `${before?.output ?? ''}${piece?.output ?? ''}`;
      waiting.event = piece === undefined ? event : { ...event, content: { ...piece, output } };
    }
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

/** A piece of output that a report is, if it is one. */
function pieceOf({ content }: Report): { readonly stream: string; readonly output: string } | undefined {
  if (typeof content !== 'object' || content === null || !('stream' in content) || !('output' in content))
    return undefined;
  const { stream, output } = content;
  return typeof stream === 'string' && typeof output === 'string' ? { ...content, stream, output } : undefined;
}
