import { checkSetting, type HarnessSettings, isSetting } from '../settings/harness-settings.ts';
import type { StateStore } from '../settings/state-store.ts';

/** What threads keep of the settings; the others belong to the session, or are told by the log. */
const threadSettingKeys: ReadonlySet<string> = new Set<keyof HarnessSettings>([
  'observerModelId',
  'reflectorModelId',
  'observationThreshold',
  'reflectionThreshold',
  'subagentModelId',
]);

/** Whether a thread keeps the setting. */
function isThreadSetting(key: string): key is keyof HarnessSettings {
  return threadSettingKeys.has(key) || (isSetting(key) && key.startsWith('subagentModelId_'));
}

/** The settings that threads keep: those of the open thread, else what was chosen for the session. */
export class ThreadSettings {
  readonly #state: StateStore;
  #session: Readonly<Record<string, unknown>>;
  #isOfThread = false;

  constructor(state: StateStore) {
    this.#state = state;
    this.#session = this.#inEffect();
  }

  /** Takes in that the state was given settings: they are the session's, unless they come from a thread. */
  note(keys: readonly string[]): void {
    if (this.#isOfThread) return;
    for (const key of keys)
      if (isThreadSetting(key)) this.#session = { ...this.#session, [key]: this.#state.setting(key) };
  }

  /** What a thread that begins now keeps: what is in force and not the session's. */
  metadata(): Record<string, unknown> {
    return Object.fromEntries(Object.entries(this.#inEffect()).filter(([key, value]) => this.#session[key] !== value));
  }

  /** Goes to what a thread keeps, else to what was chosen for the session. */
  restore(metadata: Readonly<Record<string, unknown>>): void {
    const keys = new Set([...Object.keys(this.#inEffect()), ...Object.keys(this.#session), ...Object.keys(metadata)]);
    for (const key of keys) {
      if (!isThreadSetting(key)) continue;
      const checked = checkSetting(key, metadata[key]);
      const stored = 'value' in checked ? checked.value : undefined;
      this.setOfThread(key, (stored ?? this.#session[key]) as HarnessSettings[typeof key]);
    }
  }

  /** Sets one that the open thread keeps. */
  setOfThread<Key extends keyof HarnessSettings>(key: Key, value: HarnessSettings[Key]): void {
    this.#isOfThread = true;
    this.#state.setSetting(key, value);
    this.#isOfThread = false;
  }

  #inEffect(): Record<string, unknown> {
    return Object.fromEntries(Object.entries(this.#state.get()).filter(([key]) => isThreadSetting(key)));
  }
}
