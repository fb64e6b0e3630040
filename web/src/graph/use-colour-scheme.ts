import { useSyncExternalStore } from 'react';
import { usePreferences } from '../app/preferences.ts';

const dark = '(prefers-color-scheme: dark)';

/** Returns a value that changes with the colours of the page: a canvas is drawn again then. */
export function useColourScheme(): string {
  const { theme } = usePreferences();
  const isDark = useSyncExternalStore(
    listener => {
      const query = matchMedia(dark);
      query.addEventListener('change', listener);
      return () => query.removeEventListener('change', listener);
    },
    () => matchMedia(dark).matches,
  );
  return `${theme} ${isDark}`;
}
