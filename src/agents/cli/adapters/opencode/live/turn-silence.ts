import { PromptQueue } from './prompt-queue.ts';

/** How long a session may be silent, with a prompt unread or an answer unfinished, before the turn counts as ended. */
const silenceMs = 5_000;
/** The same for a turn that was stopped or has failed. */
const stoppingMs = 1_000;

export interface SilenceHost {
  /** Calls the callback after a delay; returns a function that cancels it. */
  after(ms: number, callback: () => void): () => void;
  hasFailed(): boolean;
  /** The turn has ended. May be called again. */
  end(): void;
}

/**
 * Detects the end of a turn: the session is silent, every prompt has been read and every answer has ended. When the
 * program owes one of these, the turn ends after a time of silence.
 */
export class TurnSilence {
  readonly prompts = new PromptQueue();
  readonly #host: SilenceHost;
  /** The answers of the session that have begun and not ended. */
  readonly #unfinished = new Set<string>();
  #cancel: (() => void) | undefined;
  #isSilent = false;
  #isStopping = false;

  constructor(host: SilenceHost) {
    this.#host = host;
  }

  /** Whether the session does nothing. */
  get isSilent(): boolean {
    return this.#isSilent;
  }

  /** An answer has begun, or ended. */
  answer(id: string, hasEnded: boolean): void {
    if (hasEnded) this.#unfinished.delete(id);
    else this.#unfinished.add(id);
    this.check();
  }

  busy(): void {
    this.#isSilent = false;
    this.#cancel?.();
  }

  idle(): void {
    this.#isSilent = true;
    this.check();
  }

  /** Registers that the turn is being stopped: unread prompts no longer keep it open. */
  stop(): void {
    this.#isStopping = true;
  }

  /** Something failed or was stopped. Before the first answer, the session may not report its silence. */
  settled(): void {
    this.#isSilent ||= !this.prompts.hasBegun;
    this.check();
  }

  /** Ends the turn now, or after a time of silence. */
  check(): void {
    this.#cancel?.();
    if (!this.#isSilent) return;
    const isOwed = this.prompts.isWaiting && !(this.#isStopping && this.prompts.hasBegun);
    if (!isOwed && this.#unfinished.size === 0) this.#host.end();
    else {
      const ms = this.#isStopping || this.#host.hasFailed() ? stoppingMs : silenceMs;
      this.#cancel = this.#host.after(ms, () => this.#host.end());
    }
  }
}
