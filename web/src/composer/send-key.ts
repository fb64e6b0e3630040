import { useState } from 'react';
import * as z from 'zod';
import { readStored, writeStored } from '../parts/stored-value.ts';

const keys = ['enter', 'ctrl-enter'] as const;

/** The key that sends a message. */
export type SendKey = (typeof keys)[number];

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
export function keyAction(press: KeyPress, sendKey: SendKey, isRunning: boolean): 'send' | 'queue' | undefined {
  if (press.key !== 'Enter' || press.isComposing) return undefined;
  const isCtrl = press.ctrlKey || press.metaKey;
  if (sendKey === 'ctrl-enter') return isCtrl ? (press.shiftKey && isRunning ? 'queue' : 'send') : undefined;
  if (isCtrl) return isRunning ? 'queue' : 'send';
  return press.shiftKey ? undefined : 'send';
}

/** Returns the key that sends, kept in the browser, and a function to change it. */
export function useSendKey(): readonly [SendKey, (key: SendKey) => void] {
  const [key, setKey] = useState<SendKey>(() => readStored('send-key', z.enum(keys)) ?? 'enter');
  const change = (next: SendKey) => {
    writeStored('send-key', next);
    setKey(next);
  };
  return [key, change];
}
