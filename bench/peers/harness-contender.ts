/** What is measured of a harness, whoever made it. */
export interface Contender {
  /** Puts a conversation of this many messages into the thread that is open. */
  fill(count: number): Promise<void>;
  send(content: string): Promise<void>;
  /** How many messages the thread that is open has, by listing them. */
  list(): Promise<number>;
  clone(): Promise<unknown>;
  subscribe(listener: (event: { readonly type: string }) => void): void;
  /** Absent when it emits no display states. */
  readonly subscribeDisplay?: (listener: (state: unknown) => void) => void;
  /** What a transport sends of an event. */
  serialise(event: { readonly type: string }): string;
  close(): Promise<unknown>;
}

/** The stream of a model that says this many words, in batches: it is to cost as little as it can. */
export function speech<Part>(words: number, ends: { readonly first: Part; readonly last: Part }): ReadableStream {
  let said = 0;
  return new ReadableStream(
    {
      pull(controller) {
        if (said === 0) for (const part of [ends.first, { type: 'text-start', id: 't' }]) controller.enqueue(part);
        const end = Math.min(words, said + 64);
        for (; said < end; said++) controller.enqueue({ type: 'text-delta', id: 't', delta: 'word ' });
        if (said < words) return;
        for (const part of [{ type: 'text-end', id: 't' }, ends.last]) controller.enqueue(part);
        controller.close();
      },
    },
    { highWaterMark: 0 },
  );
}

/** What a contender is made for. */
export interface Setting {
  /** How many words its model says. */
  readonly words: number;
  /** A file to keep threads in; in memory when absent. */
  readonly file?: string;
  /** Whether words that come close together may be emitted as one. */
  readonly joined?: boolean;
}
