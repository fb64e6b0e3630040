import type { EventHub } from '../event-hub.ts';
import type { HarnessEvent } from '../harness-event.ts';
import type { Machine } from '../machine/shell.ts';
import type { Relays } from '../permissions/relays.ts';
import type { StateTasks } from './state-tasks.ts';
import type { ThreadRecords } from '../threads/thread-records.ts';
import type { ThreadSettings } from '../threads/thread-settings.ts';
import type { Threads } from '../threads/threads.ts';
import type { StateStore, StateUpdater } from './state-store.ts';

/** The parts of a harness that a change of its state concerns. */
export interface StateParts {
  readonly hub: EventHub;
  readonly state: StateStore;
  readonly machine: Machine;
  readonly records: ThreadRecords;
  readonly settings: ThreadSettings;
  readonly tasks: StateTasks;
  readonly threads: Threads;
  readonly relays: Relays;
  readonly choices: { readonly modelId: string; note(modelId: string): void };
}

/** Updates the state of a harness, and stores and emits the consequences of a change. */
export class StateUpdates {
  readonly #parts: StateParts;
  /** The resource choice under which the state was updated last. */
  #updatedUnder = 0;

  constructor(parts: StateParts) {
    this.#parts = parts;
  }

  /** Applies the update that an updater returns; resolves when the tasks of the new state are in the log. */
  async update<Result>(updater: StateUpdater<Result>): Promise<Result> {
    const { state, machine, tasks, records } = this.#parts;
    const choice = machine.state.choices.made;
    const result = await state.update(async before => {
      const update = await updater(before);
      this.#updatedUnder = choice;
      return update;
    });
    await tasks.written;
    await records.written;
    return result;
  }

  onChange(state: Record<string, unknown>, changedKeys: string[], events: readonly HarnessEvent[]): void {
    const { hub, machine, records, settings, tasks, relays, choices } = this.#parts;
    records.storeThresholds(settings.note(changedKeys));
    if (changedKeys.includes('currentModelId')) choices.note(choices.modelId);
    hub.emit({ type: 'state_changed', state, changedKeys });
    const isUpdate = events.some(({ type }) => type === 'task_updated');
    if (changedKeys.includes('tasks'))
      if (machine.isReached(this.#updatedUnder)) tasks.take({ restored: !isUpdate });
      else tasks.show();
    if (changedKeys.some(key => key === 'yolo' || key === 'permissionRules')) relays.permissionsChanged();
  }

  /** The log of the open thread emits `task_updated` itself. */
  onToolEvents(events: readonly HarnessEvent[]): void {
    const { hub, threads } = this.#parts;
    for (const event of events) if (event.type !== 'task_updated' || threads.current === undefined) hub.emit(event);
  }
}
