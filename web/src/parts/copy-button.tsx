import { useEffect, useState } from 'react';
import { CopyIcon } from './icons.tsx';

interface CopyButtonProps {
  readonly text: string;
  /** Selects its look: a word, or an icon that names the text. */
  readonly look?: 'word' | 'icon';
}

const outcomes = { copied: 'Copied', failed: 'Not copied' } as const;

/** Copies a text; reports "Copied" for a moment, and only when the clipboard took it. */
export function CopyButton({ text, look = 'word' }: CopyButtonProps) {
  const [outcome, setOutcome] = useState<keyof typeof outcomes>();
  useEffect(() => {
    if (outcome === undefined) return undefined;
    const timer = setTimeout(() => setOutcome(undefined), 2_000);
    return () => clearTimeout(timer);
  }, [outcome]);
  const copy = () => {
    // Without a secure origin there is no clipboard.
    const written = navigator.clipboard?.writeText(text) ?? Promise.reject(new Error('no clipboard'));
    written.then(
      () => setOutcome('copied'),
      () => setOutcome('failed'),
    );
  };
  if (look === 'word')
    return (
      <button type="button" className="code-button" onClick={copy}>
        {outcome === undefined ? 'Copy' : outcomes[outcome]}
      </button>
    );
  return (
    <button type="button" className="quiet-button" aria-label={`Copy “${text}”`} onClick={copy}>
      {outcome === undefined ? <CopyIcon /> : <span role="status">{outcomes[outcome]}</span>}
    </button>
  );
}
