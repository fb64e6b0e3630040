import { type ComponentProps, type KeyboardEvent, useLayoutEffect, useRef, useState } from 'react';
import { errorText } from '../../../src/base/error-text.ts';
import type { QueuedMessage } from '../../../src/protocols/http-api.ts';
import { messageText, withWords } from '../conversation/message-words.ts';
import { GripIcon } from '../parts/icons.tsx';
import { QueueEditor } from './queue-editor.tsx';
import { useDraggedRow } from './use-dragged-row.ts';
import type { useQueue } from './use-queue.ts';

/** The messages that wait until the run has ended: each can be changed, moved, removed and sent now. */
export function QueueList({ queue, isRunning }: { queue: ReturnType<typeof useQueue>; isRunning: boolean }) {
  const [problem, setProblem] = useState<string>();
  const [edited, setEdited] = useState<string>();
  const [moved, setMoved] = useState('');
  const { messages } = queue;
  const attempt = (done: Promise<unknown>) =>
    void done.then(
      () => setProblem(undefined),
      (error: unknown) => setProblem(errorText(error)),
    );
  const move = (from: number, to: number) => {
    const message = messages[from];
    if (message === undefined || to < 0 || to >= messages.length || to === from) return;
    const others = messages.filter(each => each !== message);
    attempt(queue.change(message.id, { before: others[to]?.id ?? null }));
    setMoved(`Moved to place ${to + 1} of ${messages.length}`);
  };
  const { list, dragged, target, onPointerDown } = useDraggedRow(move);
  /** The message that is moved by keyboard: its button keeps the focus when its row is put elsewhere. */
  const focused = useRef<string>(undefined);
  useLayoutEffect(() => {
    const at = messages.findIndex(({ id }) => id === focused.current);
    list.current?.children[at]?.querySelector<HTMLElement>('.queue-grip')?.focus();
  }, [list, messages]);
  const onKeyDown = (event: KeyboardEvent, at: number) => {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    focused.current = messages[at]?.id;
    move(at, at + step);
  };
  if (messages.length === 0 && problem === undefined) return null;
  return (
    <section className="queue" aria-label="Messages for after this turn">
      {problem !== undefined && (
        <p className="composer-problem" role="alert">
          {problem}
        </p>
      )}
      <p className="unseen" role="status">
        {moved}
      </p>
      <ol ref={list}>
        {messages.map((message, at) => (
          <li key={message.id} data-dragged={dragged === at || undefined} data-target={target === at || undefined}>
            {edited === message.id ? (
              <QueueEditor
                message={message}
                onHold={isHeld => queue.change(message.id, { isHeld })}
                onCancel={() => setEdited(undefined)}
                onSave={text => {
                  setEdited(undefined);
                  attempt(queue.change(message.id, { content: withWords(message.content, text) }));
                }}
              />
            ) : (
              <QueueRow
                message={message}
                onSendNow={isRunning ? () => attempt(queue.sendNow(message.id)) : undefined}
                onEdit={() => setEdited(message.id)}
                onRemove={() => attempt(queue.remove(message.id))}
                grip={
                  messages.length < 2
                    ? undefined
                    : {
                        onPointerDown: event => onPointerDown(event, at),
                        onKeyDown: event => onKeyDown(event, at),
                        onBlur: ({ relatedTarget }) => {
                          // A row that is put elsewhere loses the focus to nothing.
                          if (relatedTarget !== null) focused.current = undefined;
                        },
                      }
                }
              />
            )}
            {message.problem !== undefined && <p className="queue-note">{message.problem}</p>}
          </li>
        ))}
      </ol>
      {messages.length > 0 && (
        <p className="queue-note">A message that you remove is not sent. Its text stays in the log.</p>
      )}
    </section>
  );
}

interface QueueRowProps {
  readonly message: QueuedMessage;
  /** Absent while nothing runs. */
  readonly onSendNow: (() => void) | undefined;
  readonly onEdit: () => void;
  readonly onRemove: () => void;
  /** Handlers that drag the row; undefined when it is the only row. */
  readonly grip: Pick<ComponentProps<'button'>, 'onPointerDown' | 'onKeyDown' | 'onBlur'> | undefined;
}

function QueueRow({ message, onSendNow, onEdit, onRemove, grip }: QueueRowProps) {
  return (
    <div className="queue-row">
      {grip && (
        <button
          type="button"
          className="queue-grip"
          aria-label={`Move “${shortText(message)}”, with the arrow keys or by dragging`}
          title="Drag, or press an arrow key"
          {...grip}
        >
          <GripIcon />
        </button>
      )}
      <span className="queue-text">{messageText(message)}</span>
      {onSendNow && (
        <button type="button" className="code-button" onClick={onSendNow}>
          Send now
        </button>
      )}
      <button type="button" className="code-button" onClick={onEdit}>
        Edit
      </button>
      <button type="button" className="code-button" onClick={onRemove}>
        Remove
      </button>
    </div>
  );
}

function shortText(message: QueuedMessage): string {
  const text = messageText(message);
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
