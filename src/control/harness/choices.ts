import { type AgentEvent, newId } from '../../events/index.ts';
import type { HarnessMode } from './harness-config.ts';
import type { DisplayEvent } from './harness-event.ts';
import { modelOfMode, type ModelSwitch, modeModelKey, type SessionModels, switchModel } from './models.ts';
import type { Modes } from './modes.ts';
import type { StateStore } from './state/state-store.ts';

export type ChoiceEvent = Extract<AgentEvent, { type: 'mode_changed' | 'model_changed' }>;
type Told = Extract<DisplayEvent, { type: 'mode_changed' | 'model_changed' }>;

export interface ChoicesOptions<State> {
  readonly modes: Modes<State>;
  readonly state: StateStore;
  /** Keeps something with the open thread; without one it does nothing. */
  readonly keep: (metadata: Record<string, unknown>) => Promise<void>;
  /** Puts events into the log of the open thread; without one they are only told. */
  readonly record: (events: readonly ChoiceEvent[]) => Promise<void>;
  readonly tell: (event: Told) => void;
}

/** Which mode and which model are chosen: for the session, and what the open thread keeps. */
export class Choices<State> {
  readonly #options: ChoicesOptions<State>;
  #session: SessionModels = {};
  #isRestoring = false;

  constructor(options: ChoicesOptions<State>) {
    this.#options = options;
  }

  /** Takes what the state names, else the model of the default mode. */
  begin(): void {
    const { modes, state } = this.#options;
    const given = state.setting('currentModelId');
    if (given !== undefined && given !== '') this.note(given);
    else if (modes.default.defaultModelId !== undefined) this.#setModel(modes.default.defaultModelId);
  }

  /** Empty when none is chosen. */
  get modelId(): string {
    return this.#options.state.setting('currentModelId') ?? '';
  }

  /** Takes in that the state names another model: it is the current mode's for this session. */
  note(modelId: string): void {
    if (!this.#isRestoring) this.#session = { ...this.#session, [this.#options.modes.current.id]: modelId };
  }

  /** What a thread that begins now keeps. */
  metadata(): Record<string, unknown> {
    const { id } = this.#options.modes.current;
    const { modelId } = this;
    const model = modelId === '' ? {} : { currentModelId: modelId, [modeModelKey(id)]: modelId };
    return { currentModeId: id, ...model };
  }

  /** Goes to the mode and the model that a thread keeps. */
  restore(metadata: Readonly<Record<string, unknown>>): void {
    const { modes, tell } = this.#options;
    const previousModeId = modes.current.id;
    const mode = modes.list.find(({ id }) => id === metadata['currentModeId']) ?? modes.current;
    modes.enter(mode);
    const modelId = this.#modelOf(mode, metadata);
    if (modelId !== this.modelId) {
      this.#setModel(modelId);
      tell({ type: 'model_changed', modelId, scope: 'thread', modeId: mode.id });
    }
    if (mode.id !== previousModeId) tell({ type: 'mode_changed', modeId: mode.id, previousModeId });
  }

  /** Takes in what the thread's log tells was chosen, by whoever it was: here it may have been chosen already. */
  hear(event: Told): void {
    const { modes } = this.#options;
    if (event.type === 'mode_changed') {
      const mode = modes.list.find(({ id }) => id === event.modeId);
      if (mode === undefined || mode === modes.current) return;
      modes.enter(mode);
      this.#setModel(this.#modelOf(mode, {}));
    } else if (event.scope === 'thread' || event.scope === 'mode') {
      const { modelId, modeId = modes.current.id } = event;
      this.#session = { ...this.#session, [modeId]: modelId };
      if (modeId === modes.current.id) this.#setModel(modelId);
    }
  }

  /** Goes to another mode, with its model. */
  async switchMode(mode: HarnessMode<State>, metadata: Readonly<Record<string, unknown>> = {}): Promise<void> {
    const { modes, keep, record } = this.#options;
    const previousModeId = modes.current.id;
    const before = this.modelId;
    if (before !== '') this.note(before);
    await keep({ currentModeId: mode.id, ...(before !== '' && { [modeModelKey(previousModeId)]: before }) });
    modes.enter(mode);
    const { currentModelId: _, ...stored } = metadata;
    const own = modelOfMode(mode, { metadata: stored, session: this.#session });
    const modelId = own || before;
    this.#setModel(modelId);
    const runId = newId();
    const model: ChoiceEvent = { type: 'model_changed', runId, modelId, scope: 'mode', modeId: mode.id };
    await record([...(own === '' ? [] : [model]), { type: 'mode_changed', runId, modeId: mode.id, previousModeId }]);
  }

  /** Rejects with `not_found` for a mode that there is not. */
  async switchModel(choice: ModelSwitch): Promise<void> {
    const { modes, keep, record } = this.#options;
    if (choice.modeId !== undefined) modes.find(choice.modeId);
    const switched = switchModel(this.#session, modes.current.id, choice);
    this.#session = switched.session;
    if (switched.metadata !== undefined) await keep({ ...switched.metadata });
    if (switched.isCurrent) this.#setModel(choice.modelId);
    await record([{ ...switched.event, runId: newId() }]);
  }

  /** A mode without a model of its own keeps the one that is chosen. */
  #modelOf(mode: HarnessMode<State>, metadata: Readonly<Record<string, unknown>>): string {
    return modelOfMode(mode, { metadata, session: this.#session }) || this.modelId;
  }

  #setModel(modelId: string): void {
    if (modelId === this.modelId) return;
    this.#isRestoring = true;
    this.#options.state.setSetting('currentModelId', modelId);
    this.#isRestoring = false;
  }
}
