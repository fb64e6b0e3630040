import { useState } from 'react';
import { CopyIcon } from './icons.tsx';

/** Copies a text; it says so only when the clipboard took it. */
export function CopyButton({ text }: { text: string }) {
  const [state, setState] = useState<'ready' | 'copied' | 'failed'>('ready');
  const copy = () => {
    // Without a secure origin there is no clipboard.
    const written = navigator.clipboard?.writeText(text) ?? Promise.reject(new Error('no clipboard'));
    written.then(
      () => setState('copied'),
      () => setState('failed'),
    );
  };
  const label = { ready: '', copied: 'Copied', failed: 'Not copied' }[state];
  return (
    <button
      type="button"
      className="quiet-button"
      aria-label={`Copy “${text}”`}
      onClick={copy}
      onBlur={() => setState('ready')}
    >
      {label === '' ? <CopyIcon /> : <span role="status">{label}</span>}
    </button>
  );
}
