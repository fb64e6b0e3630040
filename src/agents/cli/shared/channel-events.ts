import type { ChannelHost } from '../contract/live-channel.ts';
import { LineContext } from './line-context.ts';

/** Passes the events of one turn of a channel to its host; the host may call back into the channel at any time. */
export class ChannelEvents {
  readonly context: LineContext;
  readonly #host: Pick<ChannelHost, 'emit'>;

  constructor(host: Pick<ChannelHost, 'emit'>, runId: string) {
    this.#host = host;
    this.context = new LineContext(runId);
  }

  /** Passes on the events that `act` emits; they carry the number of the line, if there is one. */
  within(line: number | undefined, act: () => void): void {
    const outer = this.context.line;
    this.flush();
    this.context.begin(line);
    act();
    this.flush();
    this.context.begin(outer);
  }

  /** Emits the events of a message; emits `unknown` if `take` throws or does not understand the message. */
  receive(line: number | undefined, message: unknown, take: () => boolean): void {
    this.within(line, () => {
      let isUnderstood = false;
      try {
        isUnderstood = take();
      } catch {
        // Keep records that are not understood, so that nothing is lost.
      }
      if (!isUnderstood) this.context.unknown(message);
    });
  }

  /** Passes on the events so far. */
  flush(): void {
    const events = this.context.end();
    this.context.begin(this.context.line);
    if (events.length > 0) this.#host.emit(events);
  }
}
