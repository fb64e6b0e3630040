import type { ViewNode } from '../../../src/projections/index.ts';
import { useBranches } from './branch-actions.ts';
import { CopyLink } from './copy-link.tsx';
import { TurnChanges } from '../changes/turn-changes.tsx';
import { RetryIcon } from '../parts/icons.tsx';
import { QuietButton } from '../parts/quiet-button.tsx';
import { VersionSwitcher } from './version-switcher.tsx';

interface RunFootProps {
  readonly messageId: string;
  readonly siblings: ViewNode['siblings'];
  readonly retryable: boolean;
  /** The seq of its first event. */
  readonly seq: number;
}

/** The footer of a run: its versions and the retry button. It keeps its height when it is empty. */
export function RunFoot({ messageId, siblings, retryable, seq }: RunFootProps) {
  const { retry, blocked } = useBranches();
  return (
    <div className="actions">
      {siblings.count > 1 && <VersionSwitcher siblings={siblings} />}
      {retryable && (
        <QuietButton blocked={blocked} onClick={() => retry(messageId)}>
          <RetryIcon />
          Retry
        </QuietButton>
      )}
      <CopyLink seq={seq} />
      {retryable && <TurnChanges messageId={messageId} />}
    </div>
  );
}
