import type { Agent } from '../../../agents/contract/agent.ts';
import { newId } from '../../../events/ids.ts';
import type { Choice, ChoiceEvent } from '../../threads/choice-events.ts';
import type { HarnessMode, HarnessSubagent } from '../harness-config.ts';
import type { DisplayEvent } from '../harness-event.ts';
import {
  chosenModelKey,
  modelOfMode,
  type ModelSwitch,
  modeModelKey,
  modeModelsIn,
  type SessionModels,
  subagentModelId,
  switchModel,
} from './models.ts';
import type { Modes } from './modes.ts';
import type { StateStore } from './state-store.ts';

type ChoiceNotice = Extract<DisplayEvent, { type: 'mode_changed' | 'model_changed' }>;
type Metadata = Readonly<Record<string, unknown>>;

export interface ChoicesOptions<State> {
  readonly modes: Modes<State>;
  readonly state: StateStore;
  readonly hasThread: () => boolean;
  /** Stores a choice with the open thread, if any, then applies it, then emits its events. */
  readonly record: (chosen: Choice, takeEffect: () => void) => Promise<void>;
  readonly emit: (event: ChoiceNotice) => void;
}

/**
 * The chosen mode and model of the session and of the open thread. A thread's choice applies to that thread only; a
 * choice that cannot be stored changes nothing.
 */
export class Choices<State> {
  readonly #options: ChoicesOptions<State>;
  /** The mode of threads that store none: the last one chosen while no thread was open. */
  #sessionMode: HarnessMode<State>;
  #session: SessionModels = {};
  /** The model of modes without their own, in threads that store none. */
  #sessionModel = '';
  /** The stored mode models of the open thread; without one, those for the next new thread. */
  #threadModels: Metadata = {};
  #isRestoring = false;

  constructor(options: ChoicesOptions<State>) {
    this.#options = options;
    this.#sessionMode = options.modes.default;
  }

  /** Starts with the model of the state, else that of the default mode. */
  init(): void {
    const { modes, state } = this.#options;
    const initial = state.setting('currentModelId');
    if (initial !== undefined && initial !== '') this.note(initial);
    else if (modes.default.defaultModelId !== undefined) this.#setModel(modes.default.defaultModelId);
    this.#sessionModel = this.modelId;
  }

  /** Empty when no model is chosen. */
  get modelId(): string {
    return this.#options.state.setting('currentModelId') ?? '';
  }

  /** The model for a run of an agent; empty for the agent's own, which only a chosen model replaces. */
  modelFor({ abilities }: Pick<Agent, 'abilities'>): string {
    const { modelId } = this;
    const isDefault = this.#isDefault(modelId) && !this.#isChosen(modelId);
    return abilities?.hasOwnModel === true && isDefault ? '' : modelId;
  }

  /** Whether it is the default of a mode: the current one, or one that it was kept from. */
  #isDefault(modelId: string): boolean {
    return this.#options.modes.list.some(({ defaultModelId }) => defaultModelId === modelId);
  }

  /** Whether it was chosen, here or for the thread, though it may be the default of a mode. */
  #isChosen(modelId: string): boolean {
    return modelId === this.#threadModels[chosenModelKey] || Object.values(this.#session).includes(modelId);
  }

  /** The model of a subagent; empty when none is chosen. */
  getModel(subagent: HarnessSubagent): string {
    const { modes, state } = this.#options;
    const chosen = subagentModelId(state.get(), subagent.id) ?? subagent.defaultModelId;
    return chosen ?? modes.current.defaultModelId ?? this.modelId;
  }

  /** Records a model that was set in the state: it applies to the current mode for this session. */
  note(modelId: string): void {
    if (this.#isRestoring) return;
    this.#session = { ...this.#session, [this.#options.modes.current.id]: modelId };
    this.#sessionModel = modelId;
  }

  /** The metadata of a new thread. */
  metadata(): Record<string, unknown> {
    const { modes, hasThread } = this.#options;
    const { id } = modes.current;
    const { modelId } = this;
    const chosen = this.#isDefault(modelId) && this.#isChosen(modelId) ? { [chosenModelKey]: modelId } : {};
    const model = modelId === '' ? {} : { currentModelId: modelId, [modeModelKey(id)]: modelId, ...chosen };
    return { currentModeId: id, ...(hasThread() ? {} : this.#threadModels), ...model };
  }

  /** Switches to the stored mode and model of a thread, else to those of the session. */
  restore(metadata: Metadata): void {
    const { modes, emit } = this.#options;
    const previousModeId = modes.current.id;
    const mode = modes.list.find(({ id }) => id === metadata['currentModeId']) ?? this.#sessionMode;
    modes.enter(mode);
    this.#threadModels = modeModelsIn(metadata);
    const modelId = modelOfMode(mode, { metadata, session: this.#session }) || this.#sessionModel;
    if (modelId !== this.modelId) {
      this.#setModel(modelId);
      emit({ type: 'model_changed', modelId, scope: 'thread', modeId: mode.id });
    }
    if (mode.id !== previousModeId) emit({ type: 'mode_changed', modeId: mode.id, previousModeId });
  }

  /** Clears the choices of the closed thread; mode and model stay. */
  clearThread(): void {
    this.#threadModels = {};
  }

  /** Applies a choice from the thread's log; it may have been made here. */
  apply(event: ChoiceNotice): void {
    const { modes } = this.#options;
    if (event.type === 'mode_changed') {
      const mode = modes.list.find(({ id }) => id === event.modeId);
      if (mode === undefined || mode === modes.current) return;
      modes.enter(mode);
      this.#setModel(modelOfMode(mode, { metadata: this.#threadModels, session: this.#session }) || this.modelId);
    } else if (event.scope === 'thread' || event.scope === 'mode') {
      const { modelId, modeId = modes.current.id } = event;
      const chosen = event.scope === 'thread' ? { [chosenModelKey]: modelId } : {};
      this.#threadModels = { ...this.#threadModels, [modeModelKey(modeId)]: modelId, ...chosen };
      if (modeId === modes.current.id) this.#setModel(modelId);
    }
  }

  /** Switches the mode and its model; a mode without its own model keeps the current one. */
  async switchMode(mode: HarnessMode<State>, metadata: Metadata = this.#threadModels): Promise<void> {
    const { modes, hasThread, record } = this.#options;
    const previousModeId = modes.current.id;
    const before = this.modelId;
    const { currentModelId: _, ...stored } = metadata;
    const own = modelOfMode(mode, { metadata: stored, session: this.#session });
    const previousModel = before === '' ? {} : { [modeModelKey(previousModeId)]: before };
    const used = own === '' && before !== '' ? { currentModelId: before } : {};
    const runId = newId();
    const model: ChoiceEvent = { type: 'model_changed', runId, modelId: own, scope: 'mode', modeId: mode.id };
    const events = [
      ...(own === '' ? [] : [model]),
      { type: 'mode_changed' as const, runId, modeId: mode.id, previousModeId },
    ];
    await record({ events, metadata: { currentModeId: mode.id, ...previousModel, ...used } }, () => {
      if (hasThread()) this.#threadModels = { ...this.#threadModels, ...previousModel };
      else this.#sessionMode = mode;
      modes.enter(mode);
      this.#setModel(own || before);
    });
  }

  /** Rejects with `not_found` for an unknown mode. */
  async switchModel(choice: ModelSwitch): Promise<void> {
    const { modes, record } = this.#options;
    if (choice.modeId !== undefined) modes.find(choice.modeId);
    const { session, isCurrent, event, ...switched } = switchModel(this.#session, modes.current.id, choice);
    const { modelId, modeId = modes.current.id } = choice;
    // The thread's own model of another mode would outweigh the new one.
    const replaced = !isCurrent && Object.hasOwn(this.#threadModels, modeModelKey(modeId));
    const stored = switched.metadata ?? (replaced ? { [modeModelKey(modeId)]: modelId } : {});
    const metadata = Object.keys(stored).length > 0 ? { ...stored, [chosenModelKey]: modelId } : stored;
    await record({ events: [{ ...event, runId: newId() }], metadata }, () => {
      this.#session = session;
      this.#threadModels = { ...this.#threadModels, ...modeModelsIn(metadata) };
      if (!isCurrent) return;
      if (choice.scope !== 'thread') this.#sessionModel = choice.modelId;
      this.#setModel(choice.modelId);
    });
  }

  #setModel(modelId: string): void {
    if (modelId === this.modelId) return;
    this.#isRestoring = true;
    this.#options.state.setSetting('currentModelId', modelId);
    this.#isRestoring = false;
  }
}
