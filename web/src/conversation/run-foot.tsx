import type { ViewNode } from '../../../src/projections/reading/view-node.ts';
import { timeBetween } from '../../../src/projections/presentation/wording.ts';
import { answerIn } from '../../../src/projections/reading/final-answer.ts';
import { useBranches } from './branch-actions.ts';
import { TurnChanges } from '../changes/turn-changes.tsx';
import { CopyAction } from '../parts/copy-action.tsx';
import { CopyIcon, RetryIcon } from '../parts/icons.tsx';
import { QuietButton } from '../parts/quiet-button.tsx';
import { CopyLink, MessageTime } from './message-foot.tsx';
import { VersionSwitcher } from './version-switcher.tsx';

interface RunFootProps {
  readonly node: ViewNode;
  /** The seq of its first event. */
  readonly seq: number;
}

/** The footer of a run: when it ended, its versions, and what can be done with it. It keeps its height when it is empty. */
export function RunFoot({ node, seq }: RunFootProps) {
  const { retry, branchAfter, branchInto, blocked } = useBranches();
  const { id: messageId, siblings, answers, status = 'running', startedAt, endedAt } = node;
  const hasEnded = status !== 'running';
  const retryable = answers !== undefined && hasEnded;
  return (
    <div className="actions">
      {siblings.count > 1 && <VersionSwitcher siblings={siblings} />}
      {retryable && (
        <QuietButton blocked={blocked} onClick={() => retry(messageId)}>
          <RetryIcon />
          Retry
        </QuietButton>
      )}
      {hasEnded && (
        <QuietButton blocked={blocked} onClick={() => branchAfter(messageId)}>
          Branch
        </QuietButton>
      )}
      {hasEnded && (
        <QuietButton blocked={blocked} onClick={() => branchInto(messageId)}>
          Branch into…
        </QuietButton>
      )}
      {hasEnded && (
        <CopyAction label="Copy answer" success="Copied" text={() => answerIn(node)}>
          <CopyIcon />
        </CopyAction>
      )}
      <CopyLink seq={seq} />
      {retryable && <TurnChanges messageId={messageId} />}
      <MessageTime at={endedAt ?? startedAt} detail={timeBetween(startedAt, endedAt)} />
    </div>
  );
}
