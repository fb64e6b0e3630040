import { useSyncExternalStore } from 'react';

/** What a person chose for this browser. */
export interface Preferences {
  readonly theme: 'system' | 'light' | 'dark';
  /** The key that sends a message; the other one begins a line. */
  readonly sendKey: 'enter' | 'mod-enter';
  /** Whether to notify when something waits and the page is not visible. */
  readonly notify: boolean;
}

const key = 'singletree.preferences';
const defaults: Preferences = { theme: 'system', sendKey: 'enter', notify: false };
const choices: { [Name in keyof Preferences]: readonly Preferences[Name][] } = {
  theme: ['system', 'light', 'dark'],
  sendKey: ['enter', 'mod-enter'],
  notify: [true, false],
};

const listeners = new Set<() => void>();
let current = read();

/** Returns the preferences, and follows changes, also those of other tabs. */
export function usePreferences(): Preferences {
  return useSyncExternalStore(subscribe, () => current);
}

/** Changes preferences and keeps them in this browser. */
export function setPreferences(change: Partial<Preferences>): void {
  current = { ...current, ...change };
  try {
    localStorage.setItem(key, JSON.stringify(current));
  } catch {
    // Without storage they apply until the page is closed.
  }
  announce();
}

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) addEventListener('storage', onStorage);
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) removeEventListener('storage', onStorage);
  };
}

function onStorage(event: StorageEvent): void {
  if (event.key !== key) return;
  current = read();
  announce();
}

function announce(): void {
  const { dataset } = document.documentElement;
  if (current.theme === 'system') delete dataset['theme'];
  else dataset['theme'] = current.theme;
  for (const listener of listeners) listener();
}

/** Reads the stored preferences; what is unknown there gets its default. */
function read(): Preferences {
  try {
    const stored = JSON.parse(localStorage.getItem(key) ?? '{}') as Record<string, unknown>;
    const known = Object.entries(choices).filter(([name, values]) => (values as unknown[]).includes(stored[name]));
    return { ...defaults, ...Object.fromEntries(known.map(([name]) => [name, stored[name]])) };
  } catch {
    return defaults;
  }
}
