import { useRef } from 'react';
import { flushSync } from 'react-dom';
import { QuietButton } from './quiet-button.tsx';

interface EarlierButtonProps {
  /** The number of those that are not shown. */
  readonly count: number;
  readonly of: string;
  readonly onClick: () => void;
}

/** Shows more of what came before, where the reader is; nothing when all of it is shown. */
export function EarlierButton({ count, of, onClick }: EarlierButtonProps) {
  const element = useRef<HTMLParagraphElement>(null);
  if (count === 0) return null;
  const showInPlace = () => {
    const box = element.current?.closest('.scroll');
    const fromEnd = box ? box.scrollHeight - box.scrollTop : 0;
    flushSync(onClick);
    if (box) box.scrollTop = box.scrollHeight - fromEnd;
  };
  return (
    <p className="earlier" ref={element}>
      <QuietButton onClick={showInPlace}>
        Show earlier {of} ({count.toLocaleString('en-US')})
      </QuietButton>
    </p>
  );
}
