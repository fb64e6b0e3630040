import { type ReactNode, useState } from 'react';
import { CopyButton } from '../parts/copy-button.tsx';
import { LongText } from './long-text.tsx';
import type { CodePiece } from './highlighter.ts';
import { languageNamed } from './language-names.ts';
import { useHighlight } from './use-highlight.ts';
import { visibleText } from './visible-text.ts';

const limits = { headLines: 1_000, tailLines: 20, chars: 100_000 };

interface CodeBlockProps {
  readonly text: string;
  /** The language as the author wrote it; empty when the author named none. */
  readonly name: string;
  /** Whether more code may follow: it is not highlighted yet. */
  readonly isOpen: boolean;
}

/** A block of code with its language and buttons to wrap and copy it; highlighted once it is closed. */
export function CodeBlock({ text, name, isOpen }: CodeBlockProps) {
  const [wraps, setWraps] = useState(false);
  const isLong = text.length > limits.chars;
  const lines = useHighlight(text, languageNamed(name), !isOpen && !isLong);
  return (
    <figure className="code-block" data-wraps={wraps}>
      <figcaption>
        <span>{name || 'text'}</span>
        <span className="code-buttons">
          <button type="button" className="code-button" aria-pressed={wraps} onClick={() => setWraps(!wraps)}>
            Wrap
          </button>
          <CopyButton text={text} />
        </span>
      </figcaption>
      {lines === undefined ? (
        <LongText text={text} limits={limits} className="code" />
      ) : (
        <pre className="code" tabIndex={0}>
          <code>
            {lines.map((line, index) => (
              // Lines have no other identity, and the text never changes.
              // oxlint-disable-next-line no-array-index-key
              <CodeLineView key={index} line={line} isLast={index === lines.length - 1} />
            ))}
          </code>
        </pre>
      )}
    </figure>
  );
}

function CodeLineView({ line, isLast }: { line: readonly CodePiece[]; isLast: boolean }): ReactNode {
  return (
    <>
      {codePieces(line)}
      {isLast ? '' : '\n'}
    </>
  );
}

/** The pieces of a line of code, each with the class of its kind. */
export function codePieces(line: readonly CodePiece[]): ReactNode {
  return line.map(([text, kind], index) =>
    kind === undefined ? (
      visibleText(text)
    ) : (
      <span key={index} className={`code-${kind}`}>
        {visibleText(text)}
      </span>
    ),
  );
}
