import { optionsCheck } from '../../../base/options/check-options.ts';
import { milliseconds, number } from '../../../base/options/option-fields.ts';
import type { LiveSession } from './live-session.ts';

export interface SessionPoolOptions {
  /** The number of programs that wait for their next turn. Default: 4. */
  readonly size?: number;
  /** How long a program waits for its next turn, in milliseconds. Default: 10 minutes. */
  readonly idleMs?: number;
}

const checkOptions = optionsCheck<SessionPoolOptions>('new SessionPool')(() => ({
  size: number().optional(),
  idleMs: milliseconds().optional(),
}));

interface WarmSession {
  readonly session: LiveSession;
  readonly timer: ReturnType<typeof setTimeout>;
}

/**
 * Programs that wait for the next turn of their session, by a key of the session. The one that has waited longest is
 * ended when there are too many, and each after a while. They do not keep this process alive, and end with it.
 */
export class SessionPool {
  readonly #size: number;
  readonly #idleMs: number;
  /** In the order of insertion. */
  readonly #warm = new Map<string, WarmSession>();
  /** The sessions that runs are using, with those who wait for their release. */
  readonly #claimed = new Map<string, Set<() => void>>();

  constructor(options: SessionPoolOptions = {}) {
    checkOptions(options);
    const { size = 4, idleMs = 600_000 } = options;
    this.#size = size;
    this.#idleMs = idleMs;
  }

  /** Removes and returns the program of a session; undefined when none waits. */
  take(key: string): LiveSession | undefined {
    const session = this.#remove(key);
    return session?.isUsable === true ? session : undefined;
  }

  /** Claims a session for one run; returns a function that releases it, or undefined while another run uses it. */
  claim(name: string): (() => void) | undefined {
    if (this.#claimed.has(name)) return undefined;
    const waiting = new Set<() => void>();
    this.#claimed.set(name, waiting);
    return () => {
      if (this.#claimed.get(name) !== waiting) return;
      this.#claimed.delete(name);
      for (const resume of waiting) resume();
    };
  }

  /** Resolves when a session is not claimed, or after some milliseconds. */
  async released(name: string, ms: number): Promise<void> {
    const waiting = this.#claimed.get(name);
    if (waiting === undefined) return;
    await new Promise<void>(resolve => {
      const timer = setTimeout(resolve, ms);
      waiting.add(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  /** Keeps a program for the next turn of its session; one that waits under the same key is ended. */
  keep(key: string, session: LiveSession): void {
    void this.#remove(key)?.dispose();
    if (!session.isUsable || this.#size < 1) {
      void session.dispose();
      return;
    }
    const timer = setTimeout(() => void this.#remove(key)?.dispose(), this.#idleMs).unref();
    this.#warm.set(key, { session, timer });
    for (const oldest of this.#warm.keys()) {
      if (this.#warm.size <= this.#size) break;
      void this.#remove(oldest)?.dispose();
    }
    void session.ended.then(() => {
      if (this.#warm.get(key)?.session === session) this.#remove(key);
    });
  }

  /** Ends every waiting program and waits for their end. */
  async close(): Promise<void> {
    await Promise.all([...this.#warm.keys()].map(async key => this.#remove(key)?.dispose()));
  }

  #remove(key: string): LiveSession | undefined {
    const warm = this.#warm.get(key);
    if (warm === undefined) return undefined;
    clearTimeout(warm.timer);
    this.#warm.delete(key);
    return warm.session;
  }
}
