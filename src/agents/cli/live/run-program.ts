import type { Message } from '../../../projections/message.ts';
import { untilAborted } from '../../run/until-aborted.ts';
import { fitConversation, type FitRequest } from '../sessions/fit-history.ts';
import { type ChosenSession, findUsableSession, findWrittenFile, writeHandOver } from '../sessions/hand-over.ts';
import type { SessionInfo } from '../contract/live-channel.ts';
import { LiveSession, type SessionUser } from './live-session.ts';
import { type LiveRunOptions, sessionKey, sessionOptions, sessionUse } from './session-options.ts';

/** The session in which a run begins: resumed, continued in a copy, or a new one without an id. */
export interface SessionOpening {
  readonly sessionId?: string | undefined;
  readonly fork?: boolean | undefined;
  /** The file of the session, when it is not among the program's own. */
  readonly path?: string | undefined;
  /** The chosen session, with the part of the conversation that it contains; absent when it contains none. */
  readonly session?: ChosenSession | undefined;
  /** The conversation as the program gets it, when it was shortened. */
  readonly messages?: readonly Message[];
  /** Why no session could be written. */
  readonly problem?: string;
}

/** How long the end of a program takes at most. */
const endingMs = 10_000;

/** The program of a run: taken from those that wait or started, and kept for the next turn or ended. */
export class RunProgram {
  readonly #options: LiveRunOptions;
  readonly #signal: AbortSignal;
  readonly #put: FitRequest['put'];
  /** Releases the sessions of the run: no other run of this process resumes them meanwhile. */
  readonly #claims = new Map<string, () => void>();
  /** The running program; undefined before it is started, and after its end. */
  session: LiveSession | undefined;
  /** The session that the program resumes or has reported. */
  #sessionId: string | undefined;
  #isOpen = false;

  /** `signal` aborts when the run is stopped; `put` takes the events of a conversation that is shortened. */
  constructor(options: LiveRunOptions, signal: AbortSignal, put: FitRequest['put']) {
    this.#options = options;
    this.#signal = signal;
    this.#put = put;
  }

  /** Whether prompts can be sent. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Claims the session in which the run begins; `resumedId` is that of a run whose process ended. */
  async claim(resumedId: string | undefined): Promise<SessionOpening> {
    const { params, options } = this.#options;
    const { messages, session: last } = params.conversation;
    const use = sessionUse(this.#options, this.#signal);
    if (resumedId !== undefined) {
      // Its process may be ending, and is waited for.
      await untilAborted(options.sessions.released(this.#nameSession(resumedId), endingMs), this.#signal);
      const opening = this.#claimSession(resumedId, false);
      if (opening.sessionId !== undefined) return { ...opening, path: await findWrittenFile(use, resumedId) };
    }
    const session = await findUsableSession(use, messages, last);
    const opening = session === undefined ? {} : this.#claimSession(session.id, session.fork === true);
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
    this.#add(session.id);
    return { sessionId: session.id, path: session.path, session, messages };
  }

  /** Registers the session that the program reports. */
  report(sessionId: string | undefined): void {
    if (sessionId === undefined) return;
    this.#sessionId = sessionId;
    this.#add(sessionId);
  }

  /** Claims the warm program of the session or starts one, unless the run has one. Throws if it cannot start. */
  async start({ sessionId, fork, path }: SessionOpening, user: SessionUser): Promise<LiveSession> {
    if (this.session !== undefined) return this.session;
    const { options, params } = this.#options;
    const ownId = fork === true ? undefined : sessionId;
    this.#sessionId = ownId;
    const warm = ownId === undefined ? undefined : options.sessions.take(sessionKey(this.#options, ownId));
    warm?.enter(user);
    const { runMark } = params.host;
    this.session =
      warm ?? (await LiveSession.open(sessionOptions(this.#options, { sessionId, fork, path, runMark }), user));
    return this.session;
  }

  /** Registers that prompts can be sent, and the session that the program reported. */
  async opened({ sessionId }: SessionInfo): Promise<void> {
    if (!this.#isOpen) await this.session?.ready();
    this.#isOpen = true;
    this.report(sessionId ?? this.#sessionId);
  }

  /** Keeps the program for the next turn of its session, or ends it; releases the session. */
  async release({ isBroken, isStopped }: { readonly isBroken: boolean; readonly isStopped: boolean }): Promise<void> {
    const { session } = this;
    const isUsable = this.#isOpen && session?.isUsable === true && !isBroken;
    const isIdle = isUsable && (await session.endWork({ isStopped }));
    if (isIdle && this.#sessionId !== undefined && session.isUsable) {
      session.leave();
      this.#options.options.sessions.keep(sessionKey(this.#options, this.#sessionId), session);
    } else await this.discard();
    for (const release of this.#claims.values()) release();
    this.#claims.clear();
  }

  /** Ends the program and forgets its session. */
  async discard(): Promise<void> {
    const { session } = this;
    this.session = undefined;
    this.#sessionId = undefined;
    this.#isOpen = false;
    session?.leave();
    await session?.dispose();
  }

  /** Claims the session to resume. Forks one that another run uses or another thread owns, if the program can. */
  #claimSession(sessionId: string, isForked: boolean): SessionOpening {
    if (!isForked && this.#add(sessionId)) return { sessionId };
    return this.#options.live.abilities.fork ? { sessionId, fork: true } : {};
  }

  /** Claims a session; returns whether the run has it. */
  #add(sessionId: string): boolean {
    if (this.#claims.has(sessionId)) return true;
    const release = this.#options.options.sessions.claim(this.#nameSession(sessionId));
    if (release !== undefined) this.#claims.set(sessionId, release);
    return release !== undefined;
  }

  #nameSession(sessionId: string): string {
    return JSON.stringify([this.#options.adapter.id, sessionId]);
  }
}
