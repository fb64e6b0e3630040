import { useState } from 'react';
import { downloadText } from './download-text.ts';
import {
  type ShortenedText,
  type ShortenLimits,
  shortenedText,
} from '../../../src/projections/presentation/shortened-text.ts';
import { visibleText } from './visible-text.ts';

/** More than this is only offered as a file. */
const mostShown = 1_000_000;

const count = new Intl.NumberFormat('en');

/** Replaces the omitted middle of a long text: shows how much is hidden, and buttons to show or download all of it. */
export function HiddenPart({ text, short, onShow }: { text: string; short: ShortenedText; onShow?: () => void }) {
  return (
    <p className="hidden-part">
      <span>{`${count.format(short.hidden)} ${short.unit} hidden`}</span>
      {onShow && text.length <= mostShown && (
        <button type="button" className="more" onClick={onShow}>
          Show all
        </button>
      )}
      <button type="button" className="more" onClick={() => downloadText(text, 'text.txt')}>
        Download
      </button>
    </p>
  );
}

interface LongTextProps {
  readonly text: string;
  readonly limits: ShortenLimits;
  readonly className: string;
  readonly label?: string;
}

/** A preformatted text: head and tail of a long one, and all of it on demand. */
export function LongText({ text, limits, className, label }: LongTextProps) {
  const [isWhole, setWhole] = useState(false);
  const short = isWhole ? undefined : shortenedText(text, limits);
  if (short === undefined)
    return (
      <pre className={className} aria-label={label} tabIndex={0}>
        {visibleText(text)}
      </pre>
    );
  return (
    <div className="long-text" aria-label={label} role={label === undefined ? undefined : 'group'}>
      <pre className={className} tabIndex={0}>
        {visibleText(short.head)}
      </pre>
      <HiddenPart text={text} short={short} onShow={() => setWhole(true)} />
      <pre className={className} tabIndex={0}>
        {visibleText(short.tail)}
      </pre>
    </div>
  );
}
