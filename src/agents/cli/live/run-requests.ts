import type { AgentEvent } from '../../../events/vocabulary.ts';
import type { TimeLimit } from '../../run/time-limit.ts';
import type { LiveAbilities, LiveAnswer, LiveRequest } from '../contract/live-channel.ts';
import type { LiveDecisions } from './live-decisions.ts';
import { rejectionNote, revisionNote } from './live-notes.ts';
import { notRun } from './resumed-run.ts';

/** The number of times that a run continues because a rule, not a person, rejected a call. */
const mostRuleNotes = 10;

interface RunRequestsOptions {
  readonly abilities: LiveAbilities;
  readonly decisions: LiveDecisions;
  /** Pauses while a request is open; its signal ends all requests. */
  readonly limit: TimeLimit;
  /** Emits an event; resolves when it is stored. */
  readonly put: (event: AgentEvent) => Promise<void>;
  /** Sends an answer to the program. */
  readonly answer: (requestId: string, answer: LiveAnswer) => void;
  /** Gives the model a note about a decision: into the turn, or as the next prompt. */
  readonly inform: (note: string, way: 'steer' | 'next_prompt') => void;
  /** Reports an error of the decision itself. */
  readonly failed: (error: unknown) => Promise<void>;
  /** Called whenever a request is opened or closed. */
  readonly changed: () => void;
}

/** The open requests of a run: each is decided on its own, answered, and its decision explained to the model. */
export class RunRequests {
  readonly #options: RunRequestsOptions;
  readonly #open = new Map<string, AbortController>();
  #ruleNotes = 0;

  constructor(options: RunRequestsOptions) {
    this.#options = options;
  }

  /** Whether a request waits for its decision. */
  get areOpen(): boolean {
    return this.#open.size > 0;
  }

  /** Decides on a request and answers it; the time limit of the run pauses until then. */
  add(request: LiveRequest): void {
    const { limit, failed, answer, changed } = this.#options;
    const stop = new AbortController();
    this.#open.set(request.id, stop);
    const signal = AbortSignal.any([stop.signal, limit.signal]);
    changed();
    void limit
      .pauseFor(this.#decide(request, signal))
      .catch(async error => {
        if (signal.aborted) return;
        await failed(error);
        answer(request.id, { outcome: 'cancelled', feedback: notRun });
      })
      .finally(() => {
        this.#open.delete(request.id);
        changed();
      });
  }

  /** Closes a request that the program no longer waits for. */
  withdraw(requestId: string, reason: string): void {
    this.#open.get(requestId)?.abort();
    void this.#options.decisions.withdraw(requestId, reason).catch(() => {});
  }

  /** Stops all decisions; nothing is answered any more. */
  abort(): void {
    for (const request of this.#open.values()) request.abort();
  }

  async #decide(request: LiveRequest, signal: AbortSignal): Promise<void> {
    const { abilities, decisions, put } = this.#options;
    const { answer, byPerson } = await decisions.decide(request, signal);
    signal.throwIfAborted();
    if (answer.outcome === 'approve' && request.kind === 'permission')
      await put({ type: 'tool_start', runId: request.runId, id: request.toolCallId, name: request.tool });
    signal.throwIfAborted();
    if (answer.outcome === 'approve' && answer.input !== undefined && request.kind === 'permission')
      this.#options.inform(revisionNote(request, answer.input), abilities.steer === 'joins' ? 'steer' : 'next_prompt');
    if (answer.outcome === 'reject' && answer.feedback !== undefined && abilities.reason !== 'answer')
      if (byPerson || abilities.reason === 'steer' || (abilities.rejectEndsTurn && this.#ruleNotes++ < mostRuleNotes))
        this.#options.inform(rejectionNote(request, answer.feedback), abilities.reason);
    this.#options.answer(request.id, answer);
  }
}
