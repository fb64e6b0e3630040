import { type Clock, systemClock } from '../../../agents/clock.ts';
import type { DisplayEvent } from '../harness-event.ts';
import type { HarnessDisplayState } from './display-state.ts';

/** How display updates are batched. */
export interface HarnessDisplayStateSubscriptionOptions {
  /** How long no change may occur before the listener is called, in milliseconds; 250 by default. */
  readonly windowMs?: number;
  /** The longest time a change waits, in milliseconds; 500 by default. */
  readonly maxWaitMs?: number;
}

export interface DisplaySchedulerOptions extends HarnessDisplayStateSubscriptionOptions {
  readonly clock?: Clock;
}

/** Events that flush the display at once. */
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
 * Calls a listener with the newest display state and batches changes: after a quiet window, after the maximum wait, and
 * at once after a critical event. It has no timer while nothing is pending. The listener must not throw.
 */
export class DisplayScheduler<State = HarnessDisplayState> {
  readonly #listener: (state: State) => void;
  readonly #windowMs: number;
  readonly #maxWaitMs: number;
  readonly #clock: Clock;
  #latest: State | undefined;
  #firstAt = 0;
  #due = 0;
  #stopTimer: (() => void) | undefined;
  #cancelled = false;

  constructor(listener: (state: State) => void, options: DisplaySchedulerOptions = {}) {
    this.#listener = listener;
    this.#windowMs = options.windowMs ?? 250;
    this.#maxWaitMs = options.maxWaitMs ?? 500;
    this.#clock = options.clock ?? systemClock;
  }

  /** Schedules the state that resulted from an event. */
  notify(state: State, event: { readonly type: DisplayEvent['type'] }): void {
    if (this.#cancelled) return;
    const now = this.#clock.now();
    if (this.#latest === undefined) this.#firstAt = now;
    this.#latest = state;
    if (critical.has(event.type)) return this.#flush();
    this.#due = Math.min(now + this.#windowMs, this.#firstAt + this.#maxWaitMs);
    if (this.#stopTimer === undefined) this.#wait(this.#due - now);
  }

  /** Cancels all pending and later calls. */
  cancel(): void {
    this.#cancelled = true;
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    this.#latest = undefined;
  }

  /** One timer serves all changes: when it fires too early, it is set again. */
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
