import { useEffect } from 'react';
import type { Completion } from '../../../src/projections/completion/completion.ts';
import { MarkedLabel } from '../parts/marked-label.tsx';

interface CompletionListProps {
  readonly id: string;
  readonly completion: Completion;
  readonly onMark: (index: number) => void;
  readonly onAccept: () => void;
}

const names = { file: 'Files', command: 'Commands', argument: 'Values' } as const;

/** Lists the completions for the word at the cursor above the message; the keyboard focus stays in the message. */
export function CompletionList({ id, completion, onMark, onAccept }: CompletionListProps) {
  const { request, items, index } = completion;
  useEffect(() => document.getElementById(`${id}-${index}`)?.scrollIntoView({ block: 'nearest' }), [id, index]);
  return (
    <div id={id} className="completions" role="listbox" aria-label={names[request.kind]}>
      {items.map(({ text, label, positions, detail }, at) => (
        <div
          key={text}
          id={`${id}-${at}`}
          role="option"
          aria-selected={at === index}
          className="completion"
          onPointerMove={() => onMark(at)}
          // The message keeps the focus.
          onPointerDown={event => event.preventDefault()}
          onClick={onAccept}
        >
          <span className="completion-label">
            <MarkedLabel label={label} positions={positions} />
          </span>
          {detail !== undefined && <small>{detail}</small>}
        </div>
      ))}
    </div>
  );
}
