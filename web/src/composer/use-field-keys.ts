import type { KeyboardEvent } from 'react';
import { isWholeLine } from '../../../src/projections/completion/completion.ts';
import { usePreferences } from '../app/preferences.ts';
import type { PageCommand } from './page-command.ts';
import { keyAction } from './send-key.ts';
import type { useCompletion } from './use-completion.ts';
import type { useCursorPlace } from './use-cursor-place.ts';
import type { useSentTexts } from './use-sent-texts.ts';

interface FieldKeysOptions {
  readonly text: string;
  readonly setText: (text: string) => void;
  readonly commands: readonly PageCommand[];
  readonly sent: ReturnType<typeof useSentTexts>;
  readonly isRunning: boolean;
  readonly onSubmit: (delivery?: 'follow_up', line?: string) => void;
  readonly completing: ReturnType<typeof useCompletion>;
  readonly place: ReturnType<typeof useCursorPlace>;
}

/** Handles the keys of the message field: completion, recall of sent messages, and sending. */
export function useFieldKeys(options: FieldKeysOptions) {
  const { text, setText, commands, sent, isRunning, onSubmit, completing, place } = options;
  const { completion, move, close, accept } = completing;
  const { sendKey } = usePreferences();
  const insert = () => {
    const accepted = accept();
    if (accepted === undefined) return;
    setText(accepted.text);
    place.set(accepted.cursor);
  };
  const complete = ({ key, shiftKey }: KeyboardEvent): boolean => {
    if (completion === undefined || shiftKey) return false;
    if (key === 'ArrowDown' || key === 'ArrowUp') move(key === 'ArrowDown' ? 1 : -1);
    else if (key === 'Escape') close();
    else if (key === 'Enter' && isWholeLine(completion, commands)) onSubmit(undefined, accept()?.text);
    else if (key === 'Enter' || key === 'Tab') insert();
    else return false;
    return true;
  };
  const recall = ({ key, currentTarget }: KeyboardEvent<HTMLTextAreaElement>): boolean => {
    if ((key !== 'ArrowUp' && key !== 'ArrowDown') || (text !== '' && !sent.isWalking)) return false;
    if (currentTarget.selectionStart !== currentTarget.selectionEnd) return false;
    const found = sent.move(text, key === 'ArrowUp' ? 1 : -1);
    if (found === undefined) return false;
    setText(found);
    place.set(found.length);
    // A command of before is shown, not completed.
    close();
    return true;
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    const { key, shiftKey, ctrlKey, metaKey, nativeEvent } = event;
    // 229: the key that ends a composition, as browsers report it that end it first.
    const isComposing = nativeEvent.isComposing || nativeEvent.keyCode === 229;
    if (isComposing) return;
    if (!ctrlKey && !metaKey && (complete(event) || recall(event))) return event.preventDefault();
    const action = keyAction({ key, shiftKey, ctrlKey, metaKey, isComposing }, sendKey, isRunning);
    if (action === undefined) return;
    event.preventDefault();
    onSubmit(action === 'queue' ? 'follow_up' : undefined);
  };
  return { insert, onKeyDown };
}
