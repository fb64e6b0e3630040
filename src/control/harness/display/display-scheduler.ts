import { type Clock, systemClock } from '../../supervision/clock.ts';
import type { DisplayEvent } from '../harness-event.ts';
import type { HarnessDisplayState } from './display-state.ts';

/** How many changes are shown at once. */
export interface HarnessDisplayStateSubscriptionOptions {
  /** How long it has to be quiet before the listener is told; 250 when absent. */
  readonly windowMs?: number;
  /** The longest a change waits while it is not quiet; 500 when absent. */
  readonly maxWaitMs?: number;
}

export interface DisplaySchedulerOptions extends HarnessDisplayStateSubscriptionOptions {
  readonly clock?: Clock;
}

/** Events that are shown at once. */
const critical: ReadonlySet<DisplayEvent['type']> = new Set<DisplayEvent['type']>([
  'agent_start',
  'agent_end',
  'error',
  'tool_approval_required',
  'tool_suspended',
  'ask_question',
  'plan_approval_required',
  'plan_approved',
  'relay_settled',
  'thread_changed',
  'thread_created',
  'thread_deleted',
  'thread_loaded',
  'thread_cleared',
  'mode_changed',
  'model_changed',
  'subagent_model_changed',
  'state_changed',
  'tool_input_end',
  'tool_end',
  'subagent_end',
]);

/**
 * Tells a listener the newest display state, many changes at once: when it was quiet for a while, when a change has
 * waited long enough, and at once after an event that a person waits for. It has no timer while nothing waits. The
 * listener must not throw.
 */
export class DisplayScheduler {
  readonly #listener: (state: HarnessDisplayState) => void;
  readonly #windowMs: number;
  readonly #maxWaitMs: number;
  readonly #clock: Clock;
  #latest: HarnessDisplayState | undefined;
  #firstAt = 0;
  #due = 0;
  #stopTimer: (() => void) | undefined;
  #cancelled = false;

  constructor(listener: (state: HarnessDisplayState) => void, options: DisplaySchedulerOptions = {}) {
    this.#listener = listener;
    this.#windowMs = options.windowMs ?? 250;
    this.#maxWaitMs = options.maxWaitMs ?? 500;
    this.#clock = options.clock ?? systemClock;
  }

  /** Takes the state that an event led to. */
  notify(state: HarnessDisplayState, event: { readonly type: DisplayEvent['type'] }): void {
    if (this.#cancelled) return;
    const now = this.#clock.now();
    if (this.#latest === undefined) this.#firstAt = now;
    this.#latest = state;
    if (critical.has(event.type)) return this.#flush();
    this.#due = Math.min(now + this.#windowMs, this.#firstAt + this.#maxWaitMs);
    if (this.#stopTimer === undefined) this.#wait(this.#due - now);
  }

  /** Tells nothing any more. */
  cancel(): void {
    this.#cancelled = true;
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    this.#latest = undefined;
  }

  /** One timer serves all changes that come while it runs: it waits on when it fires too early. */
  #wait(ms: number): void {
    this.#stopTimer = this.#clock.after(Math.max(0, ms), () => {
      this.#stopTimer = undefined;
      const left = this.#due - this.#clock.now();
      if (left > 0) this.#wait(left);
      else this.#flush();
    });
  }

  #flush(): void {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    const state = this.#latest;
    this.#latest = undefined;
    if (state !== undefined) this.#listener(state);
  }
}
