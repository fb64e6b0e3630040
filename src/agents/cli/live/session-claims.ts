import { untilAborted } from '../../run/until-aborted.ts';
import type { Message } from '../../../projections/message.ts';
import type { ChosenSession } from '../sessions/hand-over.ts';
import type { LiveRunOptions } from './live-run.ts';

/** The session in which a run begins: resumed, continued in a copy, or a new one without an id. */
export interface SessionOpening {
  readonly sessionId?: string | undefined;
  readonly fork?: boolean | undefined;
  /** The file of the session, when it is not among the program's own. */
  readonly path?: string | undefined;
  /** What the session knows of the conversation; nothing when absent. */
  readonly session?: ChosenSession | undefined;
  /** The conversation as the program gets it, when it was shortened. */
  readonly messages?: readonly Message[];
  /** Why no session could be written. */
  readonly problem?: string;
}

/** How long the end of a program takes at most. */
const endingMs = 10_000;

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

  /** Claims the session of a run that is resumed: its process may be ending, and is waited for. Rejects on abort. */
  async reopen(sessionId: string, signal: AbortSignal): Promise<SessionOpening> {
    await untilAborted(this.#options.options.sessions.released(this.#nameOf(sessionId), endingMs), signal);
    return this.open(sessionId, false);
  }

  /** Claims a session; returns whether the run has it. */
  add(sessionId: string): boolean {
    if (this.#releases.has(sessionId)) return true;
    const release = this.#options.options.sessions.claim(this.#nameOf(sessionId));
    if (release !== undefined) this.#releases.set(sessionId, release);
    return release !== undefined;
  }

  #nameOf(sessionId: string): string {
    return JSON.stringify([this.#options.adapter.id, sessionId]);
  }

  /** Releases all sessions of the run. */
  release(): void {
    for (const release of this.#releases.values()) release();
    this.#releases.clear();
  }
}
