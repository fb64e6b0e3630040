import { targetName } from './comment.ts';
import type { Comments } from './use-comments.ts';

/** The comments that go with the next message; each can be changed and removed. */
export function CommentChips({ comments: { list, open, remove } }: { comments: Comments }) {
  if (list.length === 0) return null;
  return (
    <ul className="chips" aria-label="Comments to send">
      {list.map(comment => (
        <li key={comment.id} className="chip">
          <button type="button" className="chip-open" title={comment.text} onClick={() => open(comment)}>
            <strong>{targetName(comment.target)}</strong> <span>{comment.text}</span>
          </button>
          <button
            type="button"
            className="chip-remove"
            aria-label={`Remove the comment on ${targetName(comment.target)}`}
            onClick={() => remove(comment.id)}
          >
            ×
          </button>
        </li>
      ))}
    </ul>
  );
}
