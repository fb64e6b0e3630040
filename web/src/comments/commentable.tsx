import { type MouseEvent, type PointerEvent, type ReactNode, useRef, useState } from 'react';
import { useCommentsContext } from './use-comments.ts';

const parts = 'li, p, h3, h4, pre, tr, blockquote';

/** Prose whose lines can be commented on: the line under the pointer gets a button. */
export function Commentable({ kind, children }: { kind: 'answer' | 'plan'; children: ReactNode }) {
  const comments = useCommentsContext();
  const element = useRef<HTMLDivElement>(null);
  const part = useRef<Element>(null);
  const [top, setTop] = useState<number>();
  if (comments === undefined) return children;
  const onPointerOver = ({ target }: PointerEvent) => {
    const found = target instanceof Element ? target.closest(parts) : null;
    if (found === null || found === part.current || !element.current?.contains(found)) return;
    part.current = found;
    setTop(found.getBoundingClientRect().top - element.current.getBoundingClientRect().top);
  };
  const onClick = (event: MouseEvent) => {
    event.stopPropagation();
    comments.open({ target: { kind }, quote: quoteOf(part.current) });
  };
  return (
    <div
      ref={element}
      className="commentable"
      onPointerOver={onPointerOver}
      onPointerLeave={() => {
        part.current = null;
        setTop(undefined);
      }}
    >
      {children}
      {top !== undefined && (
        <button type="button" className="comment-button" style={{ top }} aria-label="Comment on this" onClick={onClick}>
          +
        </button>
      )}
    </div>
  );
}

/** What is selected within the part, else all of it. */
function quoteOf(part: Element | null): string {
  const selection = getSelection();
  const isWithin = selection !== null && !selection.isCollapsed && part?.contains(selection.anchorNode) === true;
  return (isWithin ? selection.toString() : (part?.textContent ?? '')).trim();
}
