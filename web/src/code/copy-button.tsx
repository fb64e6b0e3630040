import { useEffect, useState } from 'react';

/** Copies a text; reports "Copied" only when the clipboard took it. */
export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [outcome, setOutcome] = useState<'copied' | 'failed'>();
  useEffect(() => {
    if (outcome === undefined) return undefined;
    const timer = setTimeout(() => setOutcome(undefined), 2_000);
    return () => clearTimeout(timer);
  }, [outcome]);
  const copy = () => {
    const written = navigator.clipboard?.writeText(text) ?? Promise.reject(new Error('no clipboard'));
    written.then(
      () => setOutcome('copied'),
      () => setOutcome('failed'),
    );
  };
  return (
    <button type="button" className="code-button" onClick={copy}>
      {outcome === 'copied' ? 'Copied' : outcome === 'failed' ? 'Not copied' : label}
    </button>
  );
}
