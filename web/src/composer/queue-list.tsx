import { useState } from 'react';
import { errorText } from '../../../src/events/index.ts';
import type { QueuedMessage } from '../../../src/protocols/index.ts';
import { messageText, withWords, wordsOf } from '../conversation/message-words.ts';
import type { useQueue } from './use-queue.ts';

/** The messages that wait until the run has ended, in their order: each can be changed, removed and sent now. */
export function QueueList({ queue, isRunning }: { queue: ReturnType<typeof useQueue>; isRunning: boolean }) {
  const [problem, setProblem] = useState<string>();
  const [edited, setEdited] = useState<string>();
  const attempt = (done: Promise<unknown>) =>
    void done.then(
      () => setProblem(undefined),
      (error: unknown) => setProblem(errorText(error)),
    );
  if (queue.messages.length === 0 && problem === undefined) return null;
  return (
    <section className="queue" aria-label="Messages for after this turn">
      {problem !== undefined && (
        <p className="composer-problem" role="alert">
          {problem}
        </p>
      )}
      <ol>
        {queue.messages.map(message => (
          <li key={message.id}>
            {edited === message.id ? (
              <QueueEditor
                message={message}
                onCancel={() => setEdited(undefined)}
                onSave={text => {
                  setEdited(undefined);
                  attempt(queue.change(message.id, withWords(message.content, text)));
                }}
              />
            ) : (
              <div className="queue-row">
                <span className="queue-text">{messageText(message)}</span>
                {isRunning && (
                  <button type="button" className="code-button" onClick={() => attempt(queue.sendNow(message.id))}>
                    Send now
                  </button>
                )}
                <button type="button" className="code-button" onClick={() => setEdited(message.id)}>
                  Edit
                </button>
                <button type="button" className="code-button" onClick={() => attempt(queue.remove(message.id))}>
                  Remove
                </button>
              </div>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}

interface QueueEditorProps {
  readonly message: QueuedMessage;
  readonly onSave: (text: string) => void;
  readonly onCancel: () => void;
}

function QueueEditor({ message, onSave, onCancel }: QueueEditorProps) {
  const [text, setText] = useState(() => wordsOf(message.content));
  return (
    <form
      className="queue-editor"
      onSubmit={event => {
        event.preventDefault();
        if (text.trim() !== '') onSave(text.trim());
      }}
      onKeyDown={event => {
        if (event.key === 'Escape') onCancel();
      }}
    >
      <textarea
        className="field"
        aria-label="Text of the waiting message"
        rows={2}
        value={text}
        autoFocus
        onChange={event => setText(event.target.value)}
      />
      <button type="submit" className="code-button">
        Save
      </button>
      <button type="button" className="code-button" onClick={onCancel}>
        Cancel
      </button>
    </form>
  );
}
