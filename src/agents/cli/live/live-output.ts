import type { AgentEvent } from '../../../events/vocabulary.ts';
import { withHint } from '../agent/failure-hint.ts';
import { RunStamp } from '../agent/run-stamp.ts';
import { withCost } from '../agent/usage-cost.ts';
import type { CliAdapter } from '../contract/cli-adapter.ts';
import type { EventChannel } from '../../run/event-channel.ts';

interface LiveOutputOptions {
  readonly adapter: CliAdapter;
  readonly events: EventChannel;
  readonly runId: string;
  readonly model: string | undefined;
  /** The events of the run before its process ended. */
  readonly before: readonly AgentEvent[] | undefined;
}

const fragments: ReadonlySet<string> = new Set(['text', 'reasoning', 'tool_input_delta']);

/**
 * Emits the events of all tasks of a live run in order, and adds what the program does not report: time,
 * session, model, cost, and numbers of steps that continue over its turns. Drops them once the consumer is gone.
 */
export class LiveOutput {
  readonly #options: LiveOutputOptions;
  readonly #stamp: RunStamp;
  readonly #started = new Set<string>();
  #lastStep = -1;
  /** The number of the first step of the turn: each turn of a channel begins with step 0. */
  #firstStep = 0;
  #last: Promise<void> = Promise.resolve();
  #release: () => void = () => {};
  #isLeft = false;

  constructor(options: LiveOutputOptions) {
    this.#options = options;
    const { runId, model, before = [] } = options;
    this.#stamp = new RunStamp({ runId, model, now: () => new Date().toISOString() });
    for (const event of before) if (event.type === 'step_start') this.#lastStep = Math.max(this.#lastStep, event.step);
  }

  /** Begins the next turn of the channel. */
  nextTurn(): void {
    this.#firstStep = this.#lastStep + 1;
  }

  /** Registers the session that events of the channel carry; returns it once it is known. */
  takeSession(events: readonly AgentEvent[]): string | undefined {
    this.#stamp.session(events);
    return this.#stamp.sessionId;
  }

  /** Emits an event of the channel. */
  putReported(event: AgentEvent): void {
    if (event.type !== 'step_start' || event.runId !== this.#options.runId) {
      void this.put(event);
      return;
    }
    const step = event.step + this.#firstStep;
    this.#lastStep = Math.max(this.#lastStep, step);
    void this.put({ ...event, step });
  }

  /** Emits an event after the earlier ones; resolves when it is stored or dropped. */
  put(event: AgentEvent): Promise<void> {
    this.#stamp.stamp([event]);
    if (event.type === 'tool_start') {
      if (this.#started.has(event.id)) return this.#last;
      this.#started.add(event.id);
    }
    if (event.type === 'tool_result') this.#started.delete(event.id);
    const { adapter } = this.#options;
    const completed = withHint(adapter, withCost(adapter, event));
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
    const { events } = this.#options;
    if (fragments.has(event.type)) await events.pass(event);
    else
      await new Promise<void>(resolve => {
        this.#release = resolve;
        void events.put(event).then(resolve);
      });
  }
}
