import type { AgentEvent } from '../../../events/vocabulary.ts';
import type { RunStamp } from '../agent/run-stamp.ts';
import type { EventChannel } from '../../run/event-channel.ts';

const fragments: ReadonlySet<string> = new Set(['text', 'reasoning', 'tool_input_delta']);

/** Emits the events of a live run in order, whichever of its tasks makes them; drops them once the consumer is gone. */
export class LiveOutput {
  readonly #channel: EventChannel;
  readonly #stamp: RunStamp;
  readonly #complete: (event: AgentEvent) => AgentEvent;
  readonly #started = new Set<string>();
  #last: Promise<void> = Promise.resolve();
  #release: () => void = () => {};
  #isLeft = false;

  /** `complete` adds what the program does not report, such as a cost. */
  constructor(channel: EventChannel, stamp: RunStamp, complete: (event: AgentEvent) => AgentEvent) {
    this.#channel = channel;
    this.#stamp = stamp;
    this.#complete = complete;
  }

  /** Emits an event after those before it; resolves when it is stored, or nobody reads any more. */
  put(event: AgentEvent): Promise<void> {
    this.#stamp.stamp([event]);
    if (event.type === 'tool_start') {
      if (this.#started.has(event.id)) return this.#last;
      this.#started.add(event.id);
    }
    if (event.type === 'tool_result') this.#started.delete(event.id);
    const completed = this.#complete(event);
    this.#last = this.#last.then(() => this.#give(completed));
    return this.#last;
  }

  /** Resolves when everything that was put is stored. */
  get flushed(): Promise<void> {
    return this.#last;
  }

  /** Drops everything from now on. */
  leave(): void {
    this.#isLeft = true;
    this.#release();
  }

  async #give(event: AgentEvent): Promise<void> {
    if (this.#isLeft) return;
    if (fragments.has(event.type)) await this.#channel.pass(event);
    else
      await new Promise<void>(resolve => {
        this.#release = resolve;
        void this.#channel.put(event).then(resolve);
      });
  }
}
