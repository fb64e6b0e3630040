import type { Client } from './driver.ts';
import { endOfTime } from '../checks.ts';
import type { LiveFeed, LiveNews } from '../live-feed.ts';
import { TopicListeners } from '../topic-listeners.ts';
import type { Connections } from './connections.ts';

const firstPauseMs = 50;
const longestPauseMs = 2_000;

/**
 * News of appends by LISTEN on one connection, which is opened with the first subscription and again when it breaks. The
 * statement that appends notifies: the topic and its newest seq.
 */
export class NotifyFeed implements LiveFeed {
  readonly #connections: Connections;
  readonly #channel: string;
  readonly #listeners = new TopicListeners();
  #isListening = false;
  #client: Client | undefined;
  #isClosed = false;

  constructor(connections: Connections, channel: string) {
    this.#connections = connections;
    this.#channel = channel;
  }

  publish(): void {}

  /** The statement that deletes notifies. */
  publishDeletion(): void {}

  subscribe(topic: string, listener: (news: LiveNews) => void): () => void {
    const unsubscribe = this.#listeners.add(topic, listener);
    if (!this.#isListening && !this.#isClosed) {
      this.#isListening = true;
      void this.#listen();
    }
    return unsubscribe;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#listeners.clear();
    // Errors are ignored: the server drops a connection that cannot be closed cleanly.
    await this.#client?.end().catch(() => {});
  }

  /** Never rejects. */
  async #listen(): Promise<void> {
    for (let pauseMs = firstPauseMs; !this.#isClosed; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
      const client = this.#connections.newClient();
      const ended = new Promise<void>(resolve => {
        client.on('error', () => resolve());
        client.on('end', () => resolve());
      });
      try {
        await client.connect();
        client.on('notification', ({ payload = '' }) => this.#report(payload));
        await client.query(`LISTEN ${this.#channel}`);
        this.#client = client;
        pauseMs = firstPauseMs;
        // Appends from before the subscription are found by reading the store.
        this.#listeners.reportLoss();
        if (!this.#isClosed) await ended;
      } catch {
        // The next attempt follows.
      }
      this.#client = undefined;
      await client.end().catch(() => {});
      if (!this.#isClosed) await this.#connections.pause(pauseMs);
    }
  }

  #report(payload: string): void {
    const [topic = '', seq = ''] = payload.split(' ');
    this.#listeners.report(topic, { lastSeq: Number(seq) || endOfTime });
  }
}
