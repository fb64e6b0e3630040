import { defined } from '../../base/defined.ts';
import { inspect } from 'node:util';
import { SingletreeError } from '../../base/singletree-error.ts';
import { DisplayScheduler, type DisplaySchedulerOptions } from './display/display-scheduler.ts';
import type { HarnessDisplayState, SubagentNames } from './display/display-state.ts';
import { defaultView, type DisplayView, isSmall, toState, freezeDisplay } from './display/display-view.ts';
import { displayAtRest, reduceView } from './display/reduce-display-state.ts';
import { type DisplayEvent, type HarnessEvent, isHarnessEvent } from './harness-event.ts';
import { standardError } from '../standard-output.ts';

/**
 * Receives every event of a harness, in order. A listener that throws or rejects causes an `error` event; an error that no
 * listener can receive is printed to stderr.
 */
export type HarnessEventListener = (event: HarnessEvent) => void | Promise<void>;

/** Receives display states. A listener that throws or rejects causes an `error` event, or a line on stderr without one. */
export type HarnessDisplayStateListener = (displayState: HarnessDisplayState) => void | Promise<void>;

interface QueuedEvent {
  readonly event: DisplayEvent;
  readonly at: Date | undefined;
}

/**
 * Emits events to listeners and maintains the display state. Each event updates the display, is emitted to every
 * listener, and is followed by `display_state_changed`; an event that is emitted during another one is queued, so that
 * all listeners see one order. Unknown event types are emitted unchanged; an event that the display cannot reduce is
 * replaced by an `error` event.
 */
export class EventHub {
  /** The display name of each subagent type. */
  readonly names: SubagentNames;
  #listeners: readonly HarnessEventListener[] = [];
  readonly #schedulers = new Set<DisplayScheduler<DisplayView>>();
  #view = defaultView();
  /** The display state of the view, once it was read. */
  #display: HarnessDisplayState | undefined;
  #waiting: QueuedEvent[] = [];
  #isEmitting = false;
  #isClosed = false;
  /** Emitted listener errors: an error that a listener throws on one of these is printed, not emitted again. */
  readonly #reports = new WeakSet<HarnessEvent>();
  #isReport = false;

  constructor(names: SubagentNames = new Map()) {
    this.names = names;
  }

  get display(): HarnessDisplayState {
    this.#display ??= freezeDisplay(toState(this.#view));
    return this.#display;
  }

  /** The display state in its internal form, which needs no copy. */
  get view(): DisplayView {
    return this.#view;
  }

  /** Returns an unsubscribe function. */
  subscribe(listener: HarnessEventListener): () => void {
    const own: HarnessEventListener = event => listener(event);
    this.#listeners = [...this.#listeners, own];
    return () => void (this.#listeners = this.#listeners.filter(other => other !== own));
  }

  /** Batches changes with a `DisplayScheduler`. Returns an unsubscribe function. */
  subscribeDisplay(listener: HarnessDisplayStateListener, options?: DisplaySchedulerOptions): () => void {
    const scheduler = new DisplayScheduler<DisplayView>(view => this.#show(listener, view), options);
    if (!this.#isClosed) this.#schedulers.add(scheduler);
    return () => {
      scheduler.cancel();
      this.#schedulers.delete(scheduler);
    };
  }

  /** Emits an event. `at` is its time; now by default. */
  emit(event: DisplayEvent, at?: Date): void {
    if (this.#isClosed) return;
    if (this.#isEmitting) return void this.#waiting.push({ event, at });
    this.#isEmitting = true;
    try {
      this.#deliver(event, at);
      while (this.#waiting.length > 0) {
        const waiting = this.#waiting;
        this.#waiting = [];
        for (const next of waiting) this.#deliver(next.event, next.at);
      }
    } finally {
      this.#isEmitting = false;
    }
  }

  /** Emits an `error` event for a failure that no caller awaits. */
  emitError(cause: unknown, errorType?: string): void {
    this.emit({ type: 'error', error: asError(cause), ...defined({ errorType }) });
  }

  /** Clears the activity of the display and stops emitting permanently. */
  close(): void {
    if (this.#isClosed) return;
    const before = this.#view;
    this.#view = displayAtRest(before);
    if (this.#view !== before) {
      this.#display = undefined;
      this.#emitDisplayState();
      for (const scheduler of this.#schedulers) scheduler.notify(this.#view, { type: 'agent_end' });
    }
    this.#isClosed = true;
    this.#listeners = [];
    for (const scheduler of this.#schedulers) scheduler.cancel();
    this.#schedulers.clear();
  }

  #deliver(event: DisplayEvent, at: Date | undefined): void {
    const before = this.#view;
    try {
      this.#view = reduceView(before, event, at, this.names);
      if (this.#view !== before) this.#display = undefined;
    } catch (error) {
      return this.#refuse(event, error);
    }
    const isPublic = isHarnessEvent(event);
    this.#isReport = isPublic && this.#reports.has(event);
    if (isPublic) this.#notifyListeners(event);
    if (isPublic || this.#view !== before) this.#emitDisplayState();
    for (const scheduler of this.#schedulers) scheduler.notify(this.#view, event);
    this.#isReport = false;
  }

  /** Tools can emit anything: their events are not validated before. */
  #refuse(event: Partial<DisplayEvent> | undefined, cause: unknown): void {
    const what = event?.type === undefined ? 'The emitted value' : `The emitted event ${inspect(event.type)}`;
    const error = new SingletreeError(
      'invalid_event',
      `${what} is not a valid harness event: ${asError(cause).message}. Emit it with the fields of its type in \`HarnessEvent\`.`,
      { cause },
    );
    this.emit({ type: 'error', error, errorType: error.code });
  }

  #emitDisplayState(): void {
    if (this.#listeners.length === 0) return;
    const changed = isSmall(this.#view)
      ? ({ type: 'display_state_changed', displayState: this.display } as const)
      : displayChanged(this.#view);
    if (this.#isReport) this.#reports.add(changed);
    this.#notifyListeners(changed);
  }

  /** Calls all listeners except those that unsubscribe during the calls. */
  #notifyListeners(event: HarnessEvent): void {
    const listeners = this.#listeners;
    for (const listener of listeners) {
      if (listeners !== this.#listeners && !this.#listeners.includes(listener)) continue;
      try {
        const listening = listener(event);
        if (listening instanceof Promise) listening.catch(error => this.#report(error, event));
      } catch (error) {
        this.#report(error, event);
      }
    }
  }

  #show(listener: HarnessDisplayStateListener, view: DisplayView): void {
    try {
      const isReport = this.#isReport;
      const listening = listener(view === this.#view ? this.display : freezeDisplay(toState(view)));
      if (listening instanceof Promise) listening.catch(error => (isReport ? printError(error) : this.#report(error)));
    } catch (error) {
      this.#report(error);
    }
  }

  #report(cause: unknown, event?: HarnessEvent): void {
    const isRepeated = event === undefined ? this.#isReport : this.#reports.has(event);
    if (isRepeated || this.#isClosed || this.#listeners.length === 0) printError(cause);
    if (isRepeated) return;
    const report: HarnessEvent = { type: 'error', error: asError(cause), errorType: 'listener_failed' };
    this.#reports.add(report);
    this.emit(report);
  }
}

/** Creates the event of a large display state, which is created when it is read. */
function displayChanged(view: DisplayView): HarnessEvent {
  let state: HarnessDisplayState | undefined;
  return {
    type: 'display_state_changed',
    get displayState() {
      state ??= freezeDisplay(toState(view));
      return state;
    },
  };
}

function printError(cause: unknown): void {
  void standardError.write(`A listener of the harness failed: ${inspect(cause)}\n`);
}

/** Converts a thrown value to an error. */
export function asError(cause: unknown): Error {
  return cause instanceof Error ? cause : new Error(typeof cause === 'string' ? cause : inspect(cause));
}
