import type { Preferences } from '../app/preferences.ts';

/** The parts of a key press that count. */
export interface KeyPress {
  readonly key: string;
  readonly shiftKey: boolean;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  /** Whether an input method composes text: then Enter confirms that. */
  readonly isComposing: boolean;
}

/**
 * Returns what a key does in the input field: sends the message, queues it until the run has ended, or neither. While a
 * run is under way Ctrl+Enter queues, unless it is the key that sends; then Ctrl+Shift+Enter does.
 */
export function keyAction(
  press: KeyPress,
  sendKey: Preferences['sendKey'],
  isRunning: boolean,
): 'send' | 'queue' | undefined {
  if (press.key !== 'Enter' || press.isComposing) return undefined;
  const isCtrl = press.ctrlKey || press.metaKey;
  if (sendKey === 'mod-enter') return isCtrl ? (press.shiftKey && isRunning ? 'queue' : 'send') : undefined;
  if (isCtrl) return isRunning ? 'queue' : 'send';
  return press.shiftKey ? undefined : 'send';
}
