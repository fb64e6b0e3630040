import type { LiveRunOptions } from './live-run.ts';

/** The session in which a run begins: resumed, continued in a copy, or a new one without an id. */
export interface SessionOpening {
  readonly sessionId?: string | undefined;
  readonly fork?: boolean | undefined;
}

/** The sessions of one run: no other run of this process resumes them at the same time. */
export class SessionClaims {
  readonly #options: LiveRunOptions;
  readonly #releases = new Map<string, () => void>();

  constructor(options: LiveRunOptions) {
    this.#options = options;
  }

  /** Claims the session to resume. One that another run uses, or another thread owns, is forked where the program can. */
  open(sessionId: string | undefined, isForked: boolean): SessionOpening {
    if (sessionId === undefined) return {};
    if (!isForked && this.add(sessionId)) return { sessionId };
    return this.#options.live.abilities.fork ? { sessionId, fork: true } : {};
  }

  /** Claims a session; returns whether the run has it. */
  add(sessionId: string): boolean {
    if (this.#releases.has(sessionId)) return true;
    const { adapter, options } = this.#options;
    const release = options.sessions.claim(JSON.stringify([adapter.id, sessionId]));
    if (release !== undefined) this.#releases.set(sessionId, release);
    return release !== undefined;
  }

  /** Releases all sessions of the run. */
  release(): void {
    for (const release of this.#releases.values()) release();
    this.#releases.clear();
  }
}
