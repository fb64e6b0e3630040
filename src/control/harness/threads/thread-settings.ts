import { checkSetting, type HarnessSettings, isSetting } from '../settings/harness-settings.ts';
import type { StateStore } from '../settings/state-store.ts';

/** The settings that threads store; all others belong to the session or to the log. */
const threadSettingKeys: ReadonlySet<string> = new Set<keyof HarnessSettings>([
  'observerModelId',
  'reflectorModelId',
  'observationThreshold',
  'reflectionThreshold',
  'subagentModelId',
]);

/** Whether threads store the setting. */
function isThreadSetting(key: string): key is keyof HarnessSettings {
  return threadSettingKeys.has(key) || (isSetting(key) && key.startsWith('subagentModelId_'));
}

/** The settings that threads store: those of the open thread, else those of the session. */
export class ThreadSettings {
  readonly #state: StateStore;
  #session: Readonly<Record<string, unknown>>;
  #isOfThread = false;

  constructor(state: StateStore) {
    this.#state = state;
    this.#session = this.#inEffect();
  }

  /**
   * Records settings that were set in the state: they belong to the session unless a thread set them. Returns the
   * thresholds among them, which the open thread stores as well.
   */
  note(keys: readonly string[]): Record<string, unknown> {
    if (this.#isOfThread) return {};
    for (const key of keys)
      if (isThreadSetting(key)) this.#session = { ...this.#session, [key]: this.#state.setting(key) };
    const thresholds = keys.filter(key => key === 'observationThreshold' || key === 'reflectionThreshold');
    return Object.fromEntries(thresholds.map(key => [key, this.#state.setting(key) ?? null]));
  }

  /** The metadata of a new thread: the settings in effect that differ from the session. */
  metadata(): Record<string, unknown> {
    return Object.fromEntries(Object.entries(this.#inEffect()).filter(([key, value]) => this.#session[key] !== value));
  }

  /** Restores the settings of a thread, else those of the session. */
  restore(metadata: Readonly<Record<string, unknown>>): void {
    const keys = new Set([...Object.keys(this.#inEffect()), ...Object.keys(this.#session), ...Object.keys(metadata)]);
    for (const key of keys) {
      if (!isThreadSetting(key)) continue;
      const checked = checkSetting(key, metadata[key]);
      const stored = 'value' in checked ? checked.value : undefined;
      this.setOfThread(key, (stored ?? this.#session[key]) as HarnessSettings[typeof key]);
    }
  }

  /** Sets a setting of the open thread. */
  setOfThread<Key extends keyof HarnessSettings>(key: Key, value: HarnessSettings[Key]): void {
    this.#isOfThread = true;
    this.#state.setSetting(key, value);
    this.#isOfThread = false;
  }

  #inEffect(): Record<string, unknown> {
    return Object.fromEntries(Object.entries(this.#state.get()).filter(([key]) => isThreadSetting(key)));
  }
}
