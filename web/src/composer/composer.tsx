import { type ClipboardEvent, type DragEvent, type KeyboardEvent, type ReactNode, useRef, useState } from 'react';
import { errorText } from '../../../src/events/index.ts';
import type { AgentInfo, MessageBody } from '../../../src/protocols/index.ts';
import { usePreferences } from '../app/preferences.ts';
import { CommentChips } from '../comments/comment-chips.tsx';
import { commentsMessage } from '../comments/comment.ts';
import { useCommentsContext } from '../comments/use-comments.ts';
import { AttachIcon, LaterIcon, SendIcon, StopIcon } from '../parts/icons.tsx';
import { AgentPickers, type UsualChoice, useAgentChoice } from './agent-pickers.tsx';
import { AttachmentChips } from './attachment-chips.tsx';
import { contentOf, mostPasted } from './attachments.ts';
import { keyAction } from './send-key.ts';
import { useAttachments } from './use-attachments.ts';
import { useDraft } from './use-draft.ts';

interface ComposerProps {
  readonly agents: readonly AgentInfo[];
  /** What applies unless something else is chosen. Default: the first agent and what it has first. */
  readonly usual: UsualChoice;
  /** The thread whose unsent text it keeps; absent before there is one. */
  readonly threadId?: string;
  readonly running: boolean;
  readonly onSend: (message: MessageBody) => Promise<void>;
  readonly onStop?: () => void;
  /** Shown beside the buttons. */
  readonly children?: ReactNode;
}

/**
 * The input field, with attachments and the comments to send. While a run is under way a message goes into it, or waits
 * until it has ended; text that could not be sent stays.
 */
export function Composer({ agents, usual, threadId = 'new', running, onSend, onStop, children }: ComposerProps) {
  const { text, setText, clear: clearText } = useDraft(threadId);
  const [sending, setSending] = useState(false);
  const [problem, setProblem] = useState<string>();
  const [isOver, setOver] = useState(false);
  const { sendKey } = usePreferences();
  const choice = useAgentChoice(agents, usual);
  const { attachments, add, remove, clear } = useAttachments(setProblem);
  const comments = useCommentsContext();
  const field = useRef<HTMLTextAreaElement>(null);
  const picker = useRef<HTMLInputElement>(null);
  const isEmpty = text.trim() === '' && attachments.length === 0 && (comments?.list.length ?? 0) === 0;

  const send = async (delivery?: MessageBody['delivery']) => {
    if (isEmpty || sending) return;
    setSending(true);
    try {
      const words = commentsMessage(comments?.list ?? [], text.trim());
      await onSend({ content: contentOf(words, attachments), ...choice.chosen, ...(delivery && { delivery }) });
      clearText();
      choice.setMode('');
      clear();
      comments?.clear();
      setProblem(undefined);
    } catch (error) {
      setProblem(errorText(error));
    } finally {
      setSending(false);
      field.current?.focus();
    }
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const { key, shiftKey, ctrlKey, metaKey, nativeEvent } = event;
    // 229: the key that ends a composition, as browsers report it that end it first.
    const isComposing = nativeEvent.isComposing || nativeEvent.keyCode === 229;
    const action = keyAction({ key, shiftKey, ctrlKey, metaKey, isComposing }, sendKey, running);
    if (action === undefined) return;
    event.preventDefault();
    void send(action === 'queue' ? 'follow_up' : undefined);
  };
  const onPaste = (event: ClipboardEvent) => {
    const files = [...event.clipboardData.files];
    const pasted = event.clipboardData.getData('text/plain');
    if (files.length === 0 && pasted.length <= mostPasted) return;
    event.preventDefault();
    add(files.length > 0 ? files : [new File([pasted], 'pasted-text.txt', { type: 'text/plain' })]);
  };
  const onDrop = (event: DragEvent) => {
    setOver(false);
    const files = [...event.dataTransfer.files];
    if (files.length === 0) return;
    event.preventDefault();
    add(files);
  };

  return (
    <form
      className="composer"
      data-over={isOver}
      onSubmit={event => {
        event.preventDefault();
        void send();
      }}
      onDragOver={event => {
        if (!event.dataTransfer.types.includes('Files')) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={onDrop}
    >
      {problem !== undefined && (
        <p className="composer-problem" role="alert">
          {problem}
        </p>
      )}
      {comments && <CommentChips comments={comments} />}
      <AttachmentChips attachments={attachments} onRemove={remove} />
      <textarea
        ref={field}
        aria-label="Message"
        placeholder={running ? 'Say something to the running agent, or press Esc to stop it' : 'Write a message'}
        rows={1}
        value={text}
        autoFocus={matchMedia('(pointer: fine)').matches}
        onChange={event => setText(event.target.value)}
        onKeyDown={onKeyDown}
        onPaste={onPaste}
      />
      <div className="composer-row">
        <input
          ref={picker}
          type="file"
          multiple
          hidden
          aria-label="Files to attach"
          onChange={event => {
            add([...(event.target.files ?? [])]);
            event.target.value = '';
          }}
        />
        <button
          type="button"
          className="icon-button"
          aria-label="Attach files"
          title="Attach files"
          onClick={() => picker.current?.click()}
        >
          <AttachIcon />
        </button>
        <AgentPickers choice={choice} disabled={running} />
        <span className="spacer" />
        {children}
        {running && onStop && (
          <button type="button" className="round-button stop" aria-label="Stop" title="Stop (Esc)" onClick={onStop}>
            <StopIcon />
          </button>
        )}
        {running && (
          <button
            type="button"
            className="round-button later"
            aria-label="Queue for after this turn"
            title={`Queue for after this turn (${sendKey === 'enter' ? 'Ctrl+Enter' : 'Ctrl+Shift+Enter'})`}
            disabled={isEmpty || sending}
            onClick={() => void send('follow_up')}
          >
            <LaterIcon />
          </button>
        )}
        <button
          type="submit"
          className="round-button send"
          aria-label="Send"
          title={running ? 'Send into the run' : 'Send'}
          disabled={isEmpty || sending}
        >
          <SendIcon />
        </button>
      </div>
    </form>
  );
}
