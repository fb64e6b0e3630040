import { type ReactNode, useEffect, useState } from 'react';
import { QuietButton } from './quiet-button.tsx';

interface CopyActionProps {
  readonly label: string;
  /** The label that is shown for a moment after the text was copied. */
  readonly success: string;
  readonly text: () => string;
  /** Its icon. */
  readonly children: ReactNode;
}

const shownMs = 2_000;

/** An unobtrusive button that copies a text; reports whether the clipboard took it. */
export function CopyAction({ label, success, text, children }: CopyActionProps) {
  const [outcome, setOutcome] = useState<string>();
  useEffect(() => {
    if (outcome === undefined) return undefined;
    const timer = setTimeout(() => setOutcome(undefined), shownMs);
    return () => clearTimeout(timer);
  }, [outcome]);
  const copy = () => {
    // Without a secure origin there is no clipboard.
    const written = navigator.clipboard?.writeText(text()) ?? Promise.reject(new Error('no clipboard'));
    written.then(
      () => setOutcome(success),
      () => setOutcome('Not copied'),
    );
  };
  return (
    <QuietButton label={outcome ?? label} onClick={copy}>
      {children}
      {outcome}
    </QuietButton>
  );
}
