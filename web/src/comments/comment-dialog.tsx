import { type KeyboardEvent, useState } from 'react';
import { visibleText } from '../code/visible-text.ts';
import { Dialog } from '../parts/dialog.tsx';
import { type CommentDraft, targetName } from './comment.ts';
import { useCommentsContext } from './use-comments.ts';

/** The form for the comment that is being written; renders nothing when there is no draft. */
export function CommentDialog() {
  const comments = useCommentsContext();
  if (comments?.draft === undefined) return null;
  return <CommentForm draft={comments.draft} onSave={comments.save} onClose={comments.close} />;
}

interface CommentFormProps {
  readonly draft: CommentDraft;
  readonly onSave: (text: string) => void;
  readonly onClose: () => void;
}

function CommentForm({ draft, onSave, onClose }: CommentFormProps) {
  const [text, setText] = useState(draft.text ?? '');
  const save = () => {
    if (text.trim() !== '') onSave(text.trim());
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.nativeEvent.isComposing || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    save();
  };
  return (
    <Dialog label={targetName(draft.target)} onClose={onClose}>
      <form
        className="comment-form"
        onSubmit={event => {
          event.preventDefault();
          save();
        }}
      >
        <pre className="comment-quote">{visibleText(draft.quote)}</pre>
        <textarea
          className="field"
          aria-label="Your comment"
          placeholder="What should be different?"
          rows={3}
          value={text}
          autoFocus
          onChange={event => setText(event.target.value)}
          onKeyDown={onKeyDown}
        />
        <div className="dialog-row">
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="button primary" disabled={text.trim() === ''} title="Ctrl+Enter">
            {draft.id === undefined ? 'Add comment' : 'Save comment'}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
