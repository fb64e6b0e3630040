import { useRef } from 'react';
import { flushSync } from 'react-dom';
import { QuietButton } from '../parts/quiet-button.tsx';

interface EarlierButtonProps {
  /** The number of those that are not shown; undefined when they are not loaded. */
  readonly count: number | undefined;
  readonly of: string;
  readonly onClick: () => void | Promise<void>;
}

/** Shows more of what came before, where the reader is; nothing when all of it is shown. */
export function EarlierButton({ count, of, onClick }: EarlierButtonProps) {
  const element = useRef<HTMLParagraphElement>(null);
  if (count === 0) return null;
  const showInPlace = () => {
    const box = element.current?.closest('.scroll');
    const fromEnd = box ? box.scrollHeight - box.scrollTop : 0;
    const height = box?.scrollHeight;
    const keepPlace = () => {
      if (box) box.scrollTop = box.scrollHeight - fromEnd;
    };
    const loaded = flushSync(onClick);
    keepPlace();
    // What was loaded is shown with the next frame.
    const whenGrown = (frames: number) => {
      if (box?.scrollHeight !== height || frames === 0) keepPlace();
      else requestAnimationFrame(() => whenGrown(frames - 1));
    };
    void loaded?.then(() => whenGrown(30));
  };
  return (
    <p className="earlier" ref={element}>
      <QuietButton onClick={showInPlace}>
        Show earlier {of}
        {count === undefined ? '' : ` (${count.toLocaleString('en-US')})`}
      </QuietButton>
    </p>
  );
}
