import type { LiveRunOptions } from './live-run.ts';
import { LiveSession, type SessionInfo, type SessionUser } from './live-session.ts';
import { SessionClaims, type SessionOpening } from './session-claims.ts';
import { fitConversation, type FitRequest } from '../sessions/fit-history.ts';
import { findUsableSession, findWrittenFile, writeHandOver } from '../sessions/hand-over.ts';
import { sessionKey, sessionOptions, sessionUse } from './session-options.ts';

/** The program of a run: taken from those that wait or started, and kept for the next turn or ended. */
export class RunProgram {
  readonly #options: LiveRunOptions;
  readonly #claims: SessionClaims;
  readonly #signal: AbortSignal;
  readonly #put: FitRequest['put'];
  #session: LiveSession | undefined;
  /** The session that the program resumes or has reported. */
  #sessionId: string | undefined;
  #isOpen = false;

  /** `signal` aborts when the run is stopped; `put` takes the events of a conversation that is shortened. */
  constructor(options: LiveRunOptions, signal: AbortSignal, put: FitRequest['put']) {
    this.#options = options;
    this.#put = put;
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
    const { messages, session: last } = this.#options.params.conversation;
    const use = sessionUse(this.#options, this.#signal);
    if (resumedId !== undefined) {
      const opening = await this.#claims.reopen(resumedId, this.#signal);
      if (opening.sessionId !== undefined) return { ...opening, path: await findWrittenFile(use, resumedId) };
    }
    const session = await findUsableSession(use, messages, last);
    const opening = this.#claims.open(session?.id, session?.fork === true);
    return opening.sessionId === undefined ? this.handOver() : { ...opening, path: session?.path, session };
  }

  /** Writes the conversation as a new session of the program and claims it; no session when it takes none. */
  async handOver(): Promise<SessionOpening> {
    const { adapter, options, params } = this.#options;
    const use = sessionUse(this.#options, this.#signal);
    const { compaction } = options;
    const messages = await fitConversation({ adapter, compaction, model: use.model, params, put: this.#put });
    const session = await writeHandOver(use, messages);
    if (session === undefined || 'problem' in session) return { messages, ...session };
    this.#claims.add(session.id);
    return { sessionId: session.id, path: session.path, session, messages };
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

  async #sessionFor({ sessionId, fork, path }: SessionOpening, user: SessionUser): Promise<LiveSession> {
    const { options, params } = this.#options;
    const ownId = fork === true ? undefined : sessionId;
    this.#sessionId = ownId;
    const warm = ownId === undefined ? undefined : options.sessions.take(sessionKey(this.#options, ownId));
    if (warm === undefined)
      return LiveSession.open(
        sessionOptions(this.#options, { sessionId, fork, path, runMark: params.host.runMark }),
        user,
      );
    warm.enter(user);
    return warm;
  }
}
