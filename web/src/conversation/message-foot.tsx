import { momentText } from '../../../src/projections/presentation/wording.ts';
import { CopyAction } from '../parts/copy-action.tsx';
import { LinkIcon } from '../parts/icons.tsx';
import { useListActions } from './list-actions.ts';

/** Copies the address of a message. */
export function CopyLink({ seq }: { seq: number }) {
  const { linkTo } = useListActions();
  return (
    <CopyAction label="Copy link" success="Link copied" text={() => linkTo(seq)}>
      <LinkIcon />
    </CopyAction>
  );
}

/** When a message came, in short; the whole date is its tooltip. */
export function MessageTime({ at, detail = '' }: { at: string | undefined; detail?: string }) {
  if (at === undefined) return null;
  return (
    <span className="message-time" dir="ltr" title={new Date(at).toLocaleString()}>
      <time dateTime={at}>{momentText(at, Date.now())}</time>
      {detail !== '' && ` · ${detail}`}
    </span>
  );
}
