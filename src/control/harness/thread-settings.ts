import { checkSetting, type HarnessSettings, isSetting } from './state/harness-settings.ts';
import type { StateStore } from './state/state-store.ts';

/** What threads keep of the settings; the others belong to the session, or are told by the log. */
const kept: ReadonlySet<string> = new Set<keyof HarnessSettings>([
  'observerModelId',
  'reflectorModelId',
  'observationThreshold',
  'reflectionThreshold',
  'subagentModelId',
]);

/** Whether a thread keeps the setting. */
export function isThreadSetting(key: string): key is keyof HarnessSettings {
  return kept.has(key) || (isSetting(key) && key.startsWith('subagentModelId_'));
}

/** Puts what a thread keeps into the state. */
export function restoreSettings(state: StateStore, metadata: Readonly<Record<string, unknown>>): void {
  for (const [key, value] of Object.entries(metadata)) {
    if (!isThreadSetting(key)) continue;
    const checked = checkSetting(key, value);
    if ('value' in checked) state.setSetting(key, checked.value as HarnessSettings[typeof key]);
  }
}
