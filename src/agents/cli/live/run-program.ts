import type { LiveRunOptions } from './live-run.ts';
import { LiveSession, type SessionInfo, type SessionUser } from './live-session.ts';
import { SessionClaims, type SessionOpening } from './session-claims.ts';
import { sessionKey, sessionOptions } from './session-options.ts';

/** The program of a run: taken from those that wait or started, and kept for the next turn or ended. */
export class RunProgram {
  readonly #options: LiveRunOptions;
  readonly #claims: SessionClaims;
  readonly #signal: AbortSignal;
  #session: LiveSession | undefined;
  /** The session that the program resumes or has reported. */
  #sessionId: string | undefined;
  #isOpen = false;

  /** `signal` aborts when the run is stopped. */
  constructor(options: LiveRunOptions, signal: AbortSignal) {
    this.#options = options;
    this.#claims = new SessionClaims(options);
    this.#signal = signal;
  }

  get session(): LiveSession | undefined {
    return this.#session;
  }

  /** Whether prompts can be sent. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Claims the session in which the run begins; `resumedId` is that of a run whose process ended. */
  async claim(resumedId: string | undefined): Promise<SessionOpening> {
    if (resumedId !== undefined) return this.#claims.reopen(resumedId, this.#signal);
    const { session } = this.#options.params;
    return this.#claims.open(session?.id, session?.fork === true);
  }

  /** Registers the session that the program reports. */
  report(sessionId: string | undefined): void {
    if (sessionId === undefined) return;
    this.#sessionId = sessionId;
    this.#claims.add(sessionId);
  }

  /** Takes the program that waits for the session, or starts one, unless the run has one. Throws when it cannot start. */
  async start(opening: SessionOpening, user: SessionUser): Promise<LiveSession> {
    this.#session ??= await this.#sessionFor(opening, user);
    return this.#session;
  }

  /** Registers that prompts can be sent, and the session that the program reported. */
  async opened({ sessionId }: SessionInfo): Promise<void> {
    if (!this.#isOpen) await this.#session?.ready();
    this.#isOpen = true;
    this.report(sessionId ?? this.#sessionId);
  }

  /** Keeps the program for the next turn of its session, or ends it; releases the session. */
  async release({ isBroken, isStopped }: { readonly isBroken: boolean; readonly isStopped: boolean }): Promise<void> {
    const session = this.#session;
    const isUsable = this.#isOpen && session?.isUsable === true && !isBroken;
    const isIdle = isUsable && (await session.endWork({ isStopped }));
    if (isIdle && this.#sessionId !== undefined && session.isUsable) {
      session.leave();
      this.#options.options.sessions.keep(sessionKey(this.#options, this.#sessionId), session);
    } else await this.discard();
    this.#claims.release();
  }

  /** Ends the program and forgets its session. */
  async discard(): Promise<void> {
    const session = this.#session;
    this.#session = undefined;
    this.#sessionId = undefined;
    this.#isOpen = false;
    session?.leave();
    await session?.dispose();
  }

  async #sessionFor({ sessionId, fork }: SessionOpening, user: SessionUser): Promise<LiveSession> {
    const { options, params } = this.#options;
    const ownId = fork === true ? undefined : sessionId;
    this.#sessionId = ownId;
    const warm = ownId === undefined ? undefined : options.sessions.take(sessionKey(this.#options, ownId));
    if (warm === undefined)
      return LiveSession.open(sessionOptions(this.#options, { sessionId, fork, runMark: params.runMark }), user);
    warm.enter(user);
    return warm;
  }
}
