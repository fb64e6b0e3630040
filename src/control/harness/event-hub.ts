import { inspect } from 'node:util';
import { SingletreeError } from '../../events/index.ts';
import { DisplayScheduler, type DisplaySchedulerOptions } from './display/display-scheduler.ts';
import { defaultDisplayState, type HarnessDisplayState, type SubagentNames } from './display/display-state.ts';
import { reduceDisplayState } from './display/reduce-display-state.ts';
import { type DisplayEvent, type HarnessEvent, isHarnessEvent } from './harness-event.ts';

/** Told every event of a harness, in order. What it throws or rejects with is told as an `error` event. */
export type HarnessEventListener = (event: HarnessEvent) => void | Promise<void>;

/** Told what is to be shown. What it throws or rejects with is told as an `error` event. */
export type HarnessDisplayStateListener = (displayState: HarnessDisplayState) => void | Promise<void>;

interface QueuedEvent {
  readonly event: DisplayEvent;
  readonly at: Date | undefined;
}

/**
 * Tells events to all who listen, and keeps what is shown. Each event changes the display, is told to every listener,
 * then `display_state_changed`; one that comes up while another is told waits for its turn, so all see one order. An event
 * of a type that is not known is told as it is; what the display cannot take is not told, but reported as an `error`.
 */
export class EventHub {
  /** What the types of subagents are called for people. */
  readonly names: SubagentNames;
  #listeners: readonly HarnessEventListener[] = [];
  readonly #schedulers = new Set<DisplayScheduler>();
  #display = defaultDisplayState();
  #waiting: QueuedEvent[] = [];
  #isEmitting = false;
  #isClosed = false;
  /** Errors of listeners that were told: what listeners make of these is not told again. */
  readonly #reports = new WeakSet<HarnessEvent>();
  #isReport = false;

  constructor(names: SubagentNames = new Map()) {
    this.names = names;
  }

  get display(): HarnessDisplayState {
    return this.#display;
  }

  /** Returns what ends it. */
  subscribe(listener: HarnessEventListener): () => void {
    const own: HarnessEventListener = event => listener(event);
    this.#listeners = [...this.#listeners, own];
    return () => void (this.#listeners = this.#listeners.filter(other => other !== own));
  }

  /** Many changes are shown at once; see `DisplayScheduler`. Returns what ends it. */
  subscribeDisplay(listener: HarnessDisplayStateListener, options?: DisplaySchedulerOptions): () => void {
    const scheduler = new DisplayScheduler(state => this.#show(listener, state), options);
    if (!this.#isClosed) this.#schedulers.add(scheduler);
    return () => {
      scheduler.cancel();
      this.#schedulers.delete(scheduler);
    };
  }

  /** `at` is when it happened; now when absent. */
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

  /** Tells an error that nobody waits for. */
  emitError(cause: unknown, errorType?: string): void {
    this.emit({ type: 'error', error: asError(cause), ...(errorType !== undefined && { errorType }) });
  }

  /** Tells nothing any more. */
  close(): void {
    this.#isClosed = true;
    this.#listeners = [];
    for (const scheduler of this.#schedulers) scheduler.cancel();
    this.#schedulers.clear();
  }

  #deliver(event: DisplayEvent, at: Date | undefined): void {
    const before = this.#display;
    try {
      this.#display = reduceDisplayState(before, event, at, this.names);
    } catch (error) {
      return this.#refuse(event, error);
    }
    const isPublic = isHarnessEvent(event);
    this.#isReport = isPublic && this.#reports.has(event);
    if (isPublic) this.#notifyListeners(event);
    if (isPublic || this.#display !== before) this.#emitDisplayState();
    for (const scheduler of this.#schedulers) scheduler.notify(this.#display, event);
    this.#isReport = false;
  }

  /** What tools tell is not checked before: it may be anything. */
  #refuse(event: Partial<DisplayEvent> | undefined, cause: unknown): void {
    const what = event?.type === undefined ? 'What was told' : `What was told as ${inspect(event.type)}`;
    const error = new SingletreeError(
      'invalid_event',
      `${what} is no event of a harness: ${asError(cause).message}. Tell it with the fields that \`HarnessEvent\` has for its type.`,
      { cause },
    );
    this.emit({ type: 'error', error, errorType: error.code });
  }

  #emitDisplayState(): void {
    if (this.#listeners.length === 0) return;
    const changed: HarnessEvent = { type: 'display_state_changed', displayState: this.#display };
    if (this.#isReport) this.#reports.add(changed);
    this.#notifyListeners(changed);
  }

  /** One that is unsubscribed meanwhile is left out; all others are told. */
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

  #show(listener: HarnessDisplayStateListener, state: HarnessDisplayState): void {
    try {
      const isReport = this.#isReport;
      const listening = listener(state);
      if (listening instanceof Promise) listening.catch(error => isReport || this.#report(error));
    } catch (error) {
      this.#report(error);
    }
  }

  #report(cause: unknown, event?: HarnessEvent): void {
    if (event === undefined ? this.#isReport : this.#reports.has(event)) return;
    const report: HarnessEvent = { type: 'error', error: asError(cause), errorType: 'listener_failed' };
    this.#reports.add(report);
    this.emit(report);
  }
}

function asError(cause: unknown): Error {
  return cause instanceof Error ? cause : new Error(typeof cause === 'string' ? cause : inspect(cause));
}
