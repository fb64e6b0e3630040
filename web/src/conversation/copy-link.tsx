import { useEffect, useState } from 'react';
import { LinkIcon } from '../parts/icons.tsx';
import { QuietButton } from '../parts/quiet-button.tsx';
import { useListActions } from './list-actions.ts';

const shownMs = 2_000;

/** Copies the address of a message. */
export function CopyLink({ seq }: { seq: number }) {
  const { linkTo } = useListActions();
  const [outcome, setOutcome] = useState<'Link copied' | 'Not copied'>();
  useEffect(() => {
    if (outcome === undefined) return undefined;
    const timer = setTimeout(() => setOutcome(undefined), shownMs);
    return () => clearTimeout(timer);
  }, [outcome]);
  const copy = () => {
    navigator.clipboard.writeText(linkTo(seq)).then(
      () => setOutcome('Link copied'),
      () => setOutcome('Not copied'),
    );
  };
  return (
    <QuietButton label={outcome ?? 'Copy link'} onClick={copy}>
      <LinkIcon />
      {outcome}
    </QuietButton>
  );
}
