import { type Ref, useId, useState } from 'react';
import { CompletionList } from './completion-list.tsx';
import type { PageCommand } from './page-command.ts';
import { takePasted } from './take-pasted.ts';
import { type FindFiles, useCompletion } from './use-completion.ts';
import { useCursorPlace } from './use-cursor-place.ts';
import { useFieldKeys } from './use-field-keys.ts';
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
  const { text, setText, commands, findFiles, sent, isRunning, onFiles, ref } = props;
  const [cursor, setCursor] = useState(text.length);
  const completing = useCompletion({ text, cursor, commands, findFiles });
  const { completion, mark, close } = completing;
  const place = useCursorPlace(setCursor);
  const id = useId();
  const { insert, onKeyDown } = useFieldKeys({ ...props, completing, place });
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
