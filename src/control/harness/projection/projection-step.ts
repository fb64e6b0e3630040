import type { AgentEvent } from '../../../events/vocabulary.ts';
import type { Conversation } from '../../../graph/conversation/conversation.ts';
import { getBlocks, getRun } from '../../../graph/conversation/queries.ts';
import type { DisplayEvent } from '../harness-event.ts';
import { assistantMessage, type MessageDelta } from '../messages/message-view.ts';
import { userMessage } from '../messages/thread-messages.ts';
import { addTokenUsage, type TokenUsage } from '../token-usage.ts';
import {
  type HarnessProjection,
  withConversation,
  newProjectedRun,
  type ProjectedRun,
  type MutableProjection,
  type MessagePlace,
} from './projection-state.ts';

/** Projects one event: collects the emitted events and the next state. */
export class ProjectionStep {
  readonly events: DisplayEvent[] = [];
  readonly before: Conversation;
  /** Mutable until the step is complete. */
  readonly #state: MutableProjection;

  constructor(state: HarnessProjection, after: Conversation) {
    this.before = state.conversation;
    this.#state = withConversation(state, after);
  }

  get state(): HarnessProjection {
    return this.#state;
  }

  get after(): Conversation {
    return this.#state.conversation;
  }

  emit(...events: readonly DisplayEvent[]): void {
    for (const event of events) this.events.push(event);
  }

  change(change: Partial<HarnessProjection>): void {
    Object.assign(this.#state, change);
  }

  /** Returns the run of a message; the first event starts it, and an ended run stays ended. */
  run(messageId: string, { runId }: AgentEvent): ProjectedRun | undefined {
    const known = this.#state.runs.get(messageId);
    if (known !== undefined) return known;
    if ((getRun(this.before, runId)?.status ?? 'running') !== 'running') return undefined;
    if (this.#state.runs.size === 0) this.emit({ type: 'agent_start' });
    this.emitHeld();
    return this.set(newProjectedRun(messageId));
  }

  /** Replaces the state of a run. */
  set(run: ProjectedRun): ProjectedRun {
    this.change({ runs: new Map(this.#state.runs).set(run.place.messageId, run) });
    return run;
  }

  /** Emits the user message that was held until the run started. */
  emitHeld(): void {
    const { held } = this.#state;
    if (held === undefined) return;
    this.#state.held = undefined;
    this.emitUser(held);
  }

  /** Emits the last user message of a message. */
  emitUser(messageId: string): void {
    const block = getBlocks(this.after, messageId).findLast(({ role }) => role === 'user');
    const message = block && userMessage(this.after, block);
    if (message !== undefined) this.emit({ type: 'message_start', message }, { type: 'message_end', message });
  }

  /** Starts the message of a run, or another text of it: `message_start` carries the content so far. */
  startMessage(run: ProjectedRun, { ts }: AgentEvent): ProjectedRun {
    const since = run.since ?? new Date(ts ?? 0);
    this.emit({ type: 'message_start', message: assistantMessage(this.before, run.place, since) });
    return run.since === undefined ? this.set({ ...run, since }) : run;
  }

  /** Emits an update of the current message, which starts when it has not. */
  updateMessage(run: ProjectedRun, event: AgentEvent, delta?: MessageDelta): ProjectedRun {
    const started = run.since === undefined ? this.startMessage(run, event) : run;
    const message = assistantMessage(this.after, started.place, started.since as Date, delta);
    this.emit({ type: 'message_update', message });
    return started;
  }

  /** Emits an update of an ended message. */
  updateEarlier(run: ProjectedRun, { place, since }: MessagePlace): ProjectedRun {
    this.emit({ type: 'message_update', message: assistantMessage(this.after, place, since) });
    return run;
  }

  /** Ends the current message of a run, if one has started. */
  endMessage({ place, since }: ProjectedRun): void {
    if (since !== undefined) this.emit({ type: 'message_end', message: assistantMessage(this.after, place, since) });
  }

  /** Emits the usage of a step when none of its calls is open. */
  emitUsage(run: ProjectedRun, ...more: readonly TokenUsage[]): ProjectedRun {
    const all = [...run.usage, ...more];
    if (run.calls.size > 0) return more.length === 0 ? run : this.set({ ...run, usage: all });
    for (const usage of all) this.emit({ type: 'usage_update', usage });
    if (all.length > 0) this.change({ usage: all.reduce(addTokenUsage, this.#state.usage) });
    return run.usage.length === 0 ? run : this.set({ ...run, usage: [] });
  }
}
