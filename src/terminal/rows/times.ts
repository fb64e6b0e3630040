import type { EventOf, LoggedEvent } from '../../events/vocabulary.ts';
import { addUsage, noUsage, type UsageCounts } from '../../events/usage-sum.ts';

/** When a call, a reasoning or a run began, and the time of its latest event, in milliseconds. */
export interface TimeSpan {
  readonly from: number;
  readonly to: number;
}

/** The duration of calls, reasoning and runs, and the usage of runs, computed from their events. */
export class EventTimes {
  readonly #spans = new Map<string, { from: number; to: number }>();
  /** The usage of each run. */
  readonly usage: Map<string, UsageCounts> = new Map();
  /** The seq at which each run ended. */
  readonly ends: Map<string, number> = new Map();
  /** Who asked for the end of a run, and when. */
  readonly stops: Map<string, { readonly by: string; readonly at: number }> = new Map();
  /** When the model is called again after the newest failure. */
  nextTryAt: number | undefined;
  /** The tokens that the newest model call of the main run was sent, and its model. */
  lastInput: number | undefined;
  lastModel: string | undefined;
  /** The event that chose the mode last. */
  lastMode: (EventOf<'mode_changed'> & { readonly seq: number }) | undefined;
  /** When the newest event was appended. */
  lastAt: number | undefined;

  take(event: LoggedEvent): void {
    const at = Date.parse(event.ts);
    this.lastAt = at;
    switch (event.type) {
      case 'tool_start':
        this.#spans.set(event.id, { from: at, to: at });
        break;
      case 'tool_call':
      case 'tool_result':
      case 'reasoning':
      case 'text':
      case 'relay':
        this.#extend(event.id, at);
        break;
      case 'tool_progress':
        this.#extend(event.toolCallId, at);
        break;
      case 'harness_end':
        this.ends.set(event.runId, event.seq);
        this.#extend(event.runId, at);
        break;
      case 'harness_start':
        this.#extend(event.runId, at);
        break;
      case 'abort_requested':
        this.stops.set(event.runId, { by: event.by ?? 'you', at });
        break;
      case 'warning':
        if (event.retryAfterMs !== undefined) this.nextTryAt = at + event.retryAfterMs;
        break;
      case 'mode_changed':
        this.lastMode = event;
        break;
      case 'usage':
        // Some programs count whole turns: what one call was sent is not known then.
        if (event.callId !== undefined) this.lastInput = event.inputTokens;
        this.lastModel = event.model ?? this.lastModel;
        this.usage.set(event.runId, addUsage(this.usage.get(event.runId) ?? noUsage, event));
        break;
      default:
    }
  }

  /** The time that the part or run of an id took so far; undefined when nothing is known of it. */
  getSpan(id: string): TimeSpan | undefined {
    return this.#spans.get(id.replace(/#\d+$/, ''));
  }

  #extend(id: string, at: number): void {
    const span = this.#spans.get(id);
    if (span === undefined) this.#spans.set(id, { from: at, to: at });
    else span.to = at;
  }
}
