import type { AgentEvent } from '../../../events/vocabulary.ts';
import { RunModel } from './run-model.ts';

interface RunStampOptions {
  readonly runId: string;
  readonly model?: string | undefined;
  /** The time in ISO 8601; each event carries the time of its line. */
  readonly now: () => string;
}

/** Completes the events of a run of an external program: time, session, and one name for its model. */
export class RunStamp {
  readonly #options: RunStampOptions;
  readonly #model: RunModel;
  /** The session, once the program reported it. */
  #sessionId: string | undefined;

  constructor(options: RunStampOptions) {
    this.#options = options;
    this.#model = new RunModel(options.model);
  }

  /** The program's session, once it is known. */
  get sessionId(): string | undefined {
    return this.#sessionId;
  }

  /** Registers the session that the events of a line carry. */
  session(events: readonly AgentEvent[]): void {
    this.#sessionId = events.at(-1)?.sessionId ?? this.#sessionId;
  }

  stamp(events: readonly AgentEvent[]): void {
    const ts = this.#options.now();
    for (const event of events) {
      if (this.#sessionId !== undefined) event.sessionId ??= this.#sessionId;
      event.ts ??= ts;
      if (event.runId === this.#options.runId) this.#model.name(event);
    }
  }
}
