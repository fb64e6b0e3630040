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
