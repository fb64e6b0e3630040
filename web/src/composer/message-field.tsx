import { type ClipboardEvent, type KeyboardEvent, type Ref, useId, useLayoutEffect, useRef, useState } from 'react';
import { isWholeLine } from '../../../src/projections/completion/completion.ts';
import { usePreferences } from '../app/preferences.ts';
import { mostPasted } from './attachments.ts';
import { CompletionList } from './completion-list.tsx';
import type { PageCommand } from './page-command.ts';
import { keyAction } from './send-key.ts';
import { type FindFiles, useCompletion } from './use-completion.ts';
import type { useSentTexts } from './use-sent-texts.ts';

interface MessageFieldProps {
  readonly text: string;
  readonly setText: (text: string) => void;
  readonly commands: readonly PageCommand[];
  readonly findFiles: FindFiles;
  readonly sent: ReturnType<typeof useSentTexts>;
  readonly isRunning: boolean;
  /** Sends what is written; `line` when that was just completed. */
  readonly onSubmit: (delivery?: 'follow_up', line?: string) => void;
  readonly onFiles: (files: readonly File[]) => void;
  readonly ref: Ref<HTMLTextAreaElement>;
}

/** The field of a message: completes commands and files, and brings back what was sent before. */
export function MessageField(props: MessageFieldProps) {
  const { text, setText, commands, findFiles, sent, isRunning, onSubmit, onFiles, ref } = props;
  const { sendKey } = usePreferences();
  const [cursor, setCursor] = useState(text.length);
  const { completion, move, mark, close, accept } = useCompletion({ text, cursor, commands, findFiles });
  const place = useCursorPlace(setCursor);
  const id = useId();

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
  return (
    <>
      {completion && <CompletionList id={id} completion={completion} onMark={mark} onAccept={insert} />}
      <textarea
        ref={place.attach(ref)}
        aria-label="Message"
        aria-autocomplete="list"
        aria-controls={completion && id}
        aria-activedescendant={completion && `${id}-${completion.index}`}
        placeholder={
          isRunning
            ? 'Say something to the agent, or press Esc to stop it'
            : 'Write a message, / for commands, @ for files'
        }
        rows={1}
        value={text}
        autoFocus={matchMedia('(pointer: fine)').matches}
        onChange={event => {
          setText(event.target.value);
          setCursor(event.target.selectionStart);
          sent.leave();
        }}
        onSelect={event => setCursor(event.currentTarget.selectionStart)}
        onKeyDown={onKeyDown}
        onPaste={event => takePasted(event, onFiles)}
        onBlur={close}
      />
    </>
  );
}

/** Files that are pasted are attached, and so is a long text. */
function takePasted(event: ClipboardEvent, onFiles: (files: readonly File[]) => void): void {
  const files = [...event.clipboardData.files];
  const pasted = event.clipboardData.getData('text/plain');
  if (files.length === 0 && pasted.length <= mostPasted) return;
  event.preventDefault();
  onFiles(files.length > 0 ? files : [new File([pasted], 'pasted-text.txt', { type: 'text/plain' })]);
}

/** Moves the cursor of a field after its text was changed by the page. */
function useCursorPlace(onPlace: (cursor: number) => void) {
  const element = useRef<HTMLTextAreaElement>(null);
  const wanted = useRef<number>(undefined);
  useLayoutEffect(() => {
    if (wanted.current === undefined) return;
    element.current?.setSelectionRange(wanted.current, wanted.current);
    onPlace(wanted.current);
    wanted.current = undefined;
  });
  const attach = (outer: Ref<HTMLTextAreaElement>) => (field: HTMLTextAreaElement | null) => {
    element.current = field;
    if (typeof outer === 'function') outer(field);
    else if (outer !== null) outer.current = field;
  };
  return { attach, set: (cursor: number) => void (wanted.current = cursor) };
}
