import { useSyncExternalStore } from 'react';
import * as z from 'zod';
import { readStored, writeStored } from '../parts/stored-value.ts';

const preferences = z.object({
  theme: z.enum(['system', 'light', 'dark']).catch('system'),
  /** The key that sends a message; the other one begins a line. */
  sendKey: z.enum(['enter', 'mod-enter']).catch('enter'),
  /** Whether to notify when something waits and the page is not visible. */
  notify: z.boolean().catch(false),
  /** How the list of conversations is grouped; `auto` groups by folder when there are several projects. */
  groupBy: z.enum(['auto', 'day', 'folder']).catch('auto'),
});

/** The user's preferences, stored in this browser. */
export type Preferences = Readonly<z.infer<typeof preferences>>;

const name = 'preferences';
const listeners = new Set<() => void>();
let current = read();

/** Returns the preferences, and follows changes, also those of other tabs. */
export function usePreferences(): Preferences {
  return useSyncExternalStore(subscribe, () => current);
}

/** Changes preferences and keeps them in this browser. */
export function setPreferences(change: Partial<Preferences>): void {
  current = { ...current, ...change };
  writeStored(name, current);
  announce();
}

function read(): Preferences {
  return readStored(name, preferences) ?? preferences.parse({});
}

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) addEventListener('storage', onStorage);
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) removeEventListener('storage', onStorage);
  };
}

function onStorage(): void {
  const stored = read();
  if (JSON.stringify(stored) === JSON.stringify(current)) return;
  current = stored;
  announce();
}

function announce(): void {
  const { dataset } = document.documentElement;
  if (current.theme === 'system') delete dataset['theme'];
  else dataset['theme'] = current.theme;
  for (const listener of listeners) listener();
}
