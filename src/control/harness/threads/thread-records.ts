import type { AgentEvent } from '../../../events/vocabulary.ts';
import type { EventLog } from '../../../log/event-log.ts';
import type { EventHub } from '../event-hub.ts';
import type { Conversations } from '../../conversations/conversations.ts';
import type { Choice } from '../../threads/choice-events.ts';
import type { HarnessEvent } from '../harness-event.ts';
import type { OpenThread } from './open-thread.ts';
import type { HarnessSettings } from '../settings/harness-settings.ts';
import type { StateStore } from '../settings/state-store.ts';
import type { ThreadSettings } from './thread-settings.ts';

export interface ThreadRecordsOptions {
  readonly log: EventLog;
  readonly conversations: () => Conversations;
  readonly hub: EventHub;
  readonly state: StateStore;
  readonly settings: ThreadSettings;
  /** The open thread. */
  readonly thread: () => OpenThread | undefined;
}

/** Stores choices, settings and tasks in the open thread. */
export class ThreadRecords {
  readonly #options: ThreadRecordsOptions;
  #written: Promise<void> = Promise.resolve();

  constructor(options: ThreadRecordsOptions) {
    this.#options = options;
  }

  /** Merges metadata into the open thread; does nothing without one. */
  async updateMetadata(metadata: Record<string, unknown>): Promise<void> {
    const thread = this.#options.thread();
    if (thread !== undefined) await this.#options.log.updateThread(thread.id, { metadata });
  }

  /** Resolves when the thresholds are stored. */
  get written(): Promise<void> {
    return this.#written;
  }

  /** Stores thresholds in the open thread; a failure is emitted as an `error`. */
  storeThresholds(thresholds: Record<string, unknown>): void {
    if (Object.keys(thresholds).length === 0) return;
    const thread = this.#options.thread();
    if (thread === undefined) return;
    this.#written = this.#written
      .then(async () => void (await this.#options.log.updateThread(thread.id, { metadata: thresholds })))
      .catch(error => this.#options.hub.emitError(error));
  }

  /** Appends events to the log of the open thread, and emits them. */
  async append(events: readonly AgentEvent[]): Promise<void> {
    const thread = this.#options.thread() as OpenThread;
    await this.#options.log.append(thread.id, events);
    await thread.sync();
  }

  /** Stores a choice if a thread is open, applies it, and emits its events. */
  async choose(choice: Choice, takeEffect: () => void): Promise<void> {
    const { hub } = this.#options;
    const thread = this.#options.thread();
    if (thread !== undefined) await this.#options.conversations().choose(thread.id, choice);
    takeEffect();
    if (thread !== undefined) await thread.sync();
    else for (const { runId: _, ...event } of choice.events) hub.emit(event as HarnessEvent);
  }

  /** Sets a setting and emits its event; it is stored in the open thread, or applies to the session. */
  async set<Key extends keyof HarnessSettings>(
    key: Key,
    value: HarnessSettings[Key],
    event: (scope: 'global' | 'thread') => HarnessEvent,
  ): Promise<void> {
    const { hub, state, settings } = this.#options;
    const isOpen = this.#options.thread() !== undefined;
    await this.updateMetadata({ [key]: value });
    if (isOpen) settings.setOfThread(key, value);
    else state.setSetting(key, value);
    hub.emit(event(isOpen ? 'thread' : 'global'));
  }
}
