/** What is measured of a harness, whoever made it. */
export interface Contender {
  /** Puts a conversation of this many messages into the thread that is open. */
  fill(count: number): Promise<void>;
  send(content: string): Promise<void>;
  /** How many messages the thread that is open has, by listing them. */
  list(): Promise<number>;
  clone(): Promise<unknown>;
  subscribe(listener: (event: { readonly type: string }) => void): void;
  /** Absent when it tells no display states. */
  readonly subscribeDisplay?: (listener: (state: unknown) => void) => void;
  /** What a transport sends of an event. */
  serialise(event: { readonly type: string }): string;
  close(): Promise<unknown>;
}

/** A word that a model says at a time. */
export const word = 'word ';

/** What a contender is made for. */
export interface Setting {
  /** How many words its model says. */
  readonly words: number;
  /** A file to keep threads in; in memory when absent. */
  readonly file?: string;
  /** Whether words that come close together may be told as one. */
  readonly joined?: boolean;
}
