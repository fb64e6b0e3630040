import { type KeyboardEvent, type MouseEvent, type PointerEvent, type ReactNode, useRef, useState } from 'react';
import { useCommentsContext } from './use-comments.ts';

const parts = 'li, p, h3, h4, pre, tr, blockquote';
const names = { answer: 'Answer', plan: 'Plan' } as const;

/** Prose whose lines can be commented on: the line under the pointer, or the one that the arrow keys chose, has a button. */
export function Commentable({ kind, children }: { kind: 'answer' | 'plan'; children: ReactNode }) {
  const comments = useCommentsContext();
  const element = useRef<HTMLDivElement>(null);
  const part = useRef<Element>(null);
  const [place, setPlace] = useState<{ readonly top: number; readonly height?: number }>();
  if (comments === undefined) return children;
  const choose = (found: Element | null, isMarked: boolean) => {
    part.current = found;
    if (found === null || element.current === null) return setPlace(undefined);
    const { top, height } = found.getBoundingClientRect();
    setPlace({ top: top - element.current.getBoundingClientRect().top, ...(isMarked && { height }) });
  };
  const onPointerOver = ({ target }: PointerEvent) => {
    const found = target instanceof Element ? target.closest(parts) : null;
    if (found !== null && found !== part.current && element.current?.contains(found)) choose(found, false);
  };
  const comment = () => comments.open({ target: { kind }, quote: readQuote(part.current) });
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== element.current) return;
    const lines = [...element.current.querySelectorAll(parts)].filter(each => each.querySelector(parts) === null);
    const at = lines.findIndex(each => each === part.current);
    const next = { ArrowDown: Math.min(at + 1, lines.length - 1), ArrowUp: Math.max(at - 1, 0) }[event.key];
    if (next !== undefined) {
      event.preventDefault();
      const line = lines[next] ?? null;
      choose(line, true);
      line?.scrollIntoView({ block: 'nearest' });
    } else if (event.key === 'Enter' && part.current !== null) {
      event.preventDefault();
      comment();
    }
  };
  return (
    <div
      ref={element}
      className="commentable"
      role="group"
      aria-label={`${names[kind]}: arrow keys choose a line, Enter comments on it`}
      tabIndex={0}
      onKeyDown={onKeyDown}
      onBlur={event => {
        if (!event.currentTarget.contains(event.relatedTarget)) choose(null, false);
      }}
      onPointerOver={onPointerOver}
      onPointerLeave={() => choose(null, false)}
    >
      {children}
      {place?.height !== undefined && (
        <span className="comment-line" style={{ top: place.top, height: place.height }} />
      )}
      {place !== undefined && (
        <button
          type="button"
          className="comment-button"
          style={{ top: place.top }}
          aria-label="Comment on this"
          onClick={(event: MouseEvent) => {
            event.stopPropagation();
            comment();
          }}
        >
          +
        </button>
      )}
    </div>
  );
}

/** Returns the selected text within the part, or its whole text when nothing in it is selected. */
function readQuote(part: Element | null): string {
  const selection = getSelection();
  const isWithin = selection !== null && !selection.isCollapsed && part?.contains(selection.anchorNode) === true;
  return (isWithin ? selection.toString() : (part?.textContent ?? '')).trim();
}
