import { useEffect } from 'react';
import { isEmptyMessage } from '../app/shortcuts.ts';
import { useLatest } from '../parts/use-latest.ts';

/** Escape stops what runs; with nothing to stop it leaves a message that is still empty, so that single keys work. */
export function useStopKey(isRunning: boolean, stop: () => void): void {
  const latest = useLatest({ isRunning, stop });
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.defaultPrevented || event.isComposing || !isForRun(event.target)) return;
      event.preventDefault();
      if (latest.current.isRunning) latest.current.stop();
      else if (isEmptyMessage(event.target)) (event.target as HTMLElement).blur();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [latest]);
}

/** Whether Escape there is meant for the run: not in a dialog, and not in another field. */
function isForRun(target: EventTarget | null): boolean {
  if (document.querySelector('dialog[open]') !== null) return false;
  if (!(target instanceof Element) || target === document.body) return true;
  if (target.closest('.sidebar') !== null) return false;
  return target.closest('.composer textarea') !== null || target.closest('input, textarea, select') === null;
}
