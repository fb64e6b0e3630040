import { encodeSseComment } from '../../protocols/index.ts';

const comment = new TextEncoder().encode(encodeSseComment('keep-alive'));

/** Something that is silent when nothing happens. */
export interface Silent {
  /** Whether something was sent since the last look. */
  sent: boolean;
  send(bytes: Uint8Array): void;
}

/** Sends a comment on streams that were silent for a while: one timer for all of them. */
export class KeepAlive {
  readonly #streams = new Set<Silent>();
  readonly #everyMs: number;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(everyMs: number) {
    this.#everyMs = everyMs;
  }

  /** How many streams there are. */
  get size(): number {
    return this.#streams.size;
  }

  add(stream: Silent): void {
    this.#streams.add(stream);
    this.#timer ??= setInterval(() => this.#look(), this.#everyMs).unref();
  }

  delete(stream: Silent): void {
    this.#streams.delete(stream);
    if (this.#streams.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #look(): void {
    for (const stream of this.#streams) {
      if (!stream.sent) stream.send(comment);
      stream.sent = false;
    }
  }
}
