import { useState } from 'react';
import type { FileChange } from '../../../src/projections/activity/diff-changes.ts';
import { useCommentsContext } from '../comments/use-comments.ts';
import type { DiffHunk, DiffLine, FileDiff } from '../../../src/projections/activity/file-diff.ts';
import { SplitLines } from './split-lines.tsx';
import { UnifiedLines } from './unified-lines.tsx';
import { useFileDiffs } from './use-file-diffs.ts';
import { useWide } from './use-wide.ts';
import { visibleText } from '../code/visible-text.ts';
import { usePathName } from '../parts/folder-path.ts';

/** The number of lines of a file that are shown at first, and added at a time. */
const firstLines = 40;
const moreLines = 2_000;
/** From this width on both sides have room. */
const splitWidth = 840;

/** The diffs of some changes: side by side where there is room. */
export function DiffView({ changes }: { changes: readonly FileChange[] }) {
  const { ref, isWide } = useWide<HTMLDivElement>(splitWidth);
  const diffs = useFileDiffs(changes);
  return (
    <div className="diffs" ref={ref}>
      {diffs === undefined
        ? changes.map(({ path }) => <DiffHead key={path} path={path} />)
        : diffs.map((diff, index) => (
            <FileDiffView key={index} diff={diff} isSplit={isWide && diff.added * diff.removed > 0} />
          ))}
    </div>
  );
}

/** The +/− counts of diffs. */
export function DiffCounts({ added, removed }: { added: number; removed: number }) {
  return (
    <span className="diff-counts">
      <span className="diff-added">{`+${added}`}</span> <span className="diff-removed">{`−${removed}`}</span>
    </span>
  );
}

const actionNames = { add: 'new', update: '', delete: 'deleted' } as const;

function DiffHead({ path, diff }: { path: string; diff?: FileDiff }) {
  const comments = useCommentsContext();
  const nameOf = usePathName();
  return (
    <div className="diff-head">
      <span className="diff-path" title={path}>
        {visibleText(nameOf(path))}
        {diff?.moveTo !== undefined && ` → ${visibleText(nameOf(diff.moveTo))}`}
      </span>
      {diff && diff.action !== 'update' && <span className="diff-action">{actionNames[diff.action]}</span>}
      {diff && !diff.isUnknown && <DiffCounts added={diff.added} removed={diff.removed} />}
      {comments && diff && (
        <button
          type="button"
          className="code-button"
          aria-label={`Comment on ${path}`}
          onClick={() =>
            comments.open({ target: { kind: 'diff', path }, quote: toQuote(diff.hunks.flatMap(hunk => hunk.lines)) })
          }
        >
          Comment
        </button>
      )}
    </div>
  );
}

function FileDiffView({ diff, isSplit }: { diff: FileDiff; isSplit: boolean }) {
  const total = diff.hunks.reduce((sum, { lines }) => sum + lines.length, 0);
  const [most, setMost] = useState(total <= firstLines + 10 ? total : firstLines);
  const comments = useCommentsContext();
  const onComment =
    comments &&
    ((lines: readonly DiffLine[]) => {
      const target = { kind: 'diff' as const, path: diff.path, ...getRange(lines) };
      comments.open({ target, quote: toQuote(lines) });
    });
  const Lines = isSplit ? SplitLines : UnifiedLines;
  return (
    <div className="diff" role="group" aria-label={`Changes of ${diff.path}`}>
      <DiffHead path={diff.path} diff={diff} />
      {diff.isUnknown && <p className="diff-note">The agent did not report the lines it changed.</p>}
      {selectFirst(diff.hunks, most).map((hunk, index) => (
        // Hunks have no other identity, and a diff never changes.
        // oxlint-disable-next-line no-array-index-key
        <div key={index}>
          {(index > 0 || hunk.title !== '') && <p className="diff-gap">{visibleText(hunk.title) || '⋯'}</p>}
          <Lines lines={hunk.lines} onComment={onComment} />
        </div>
      ))}
      {most < total && (
        <button type="button" className="more" onClick={() => setMost(most + moreLines)}>
          {total - most <= moreLines
            ? `Show ${total - most} more lines`
            : `Show ${moreLines} of ${total - most} more lines`}
        </button>
      )}
    </div>
  );
}

/** The first lines of hunks. */
function selectFirst(hunks: readonly DiffHunk[], most: number): readonly DiffHunk[] {
  let left = most;
  return hunks.flatMap(({ title, lines }) => {
    if (left <= 0) return [];
    const shown = lines.slice(0, left);
    left -= shown.length;
    return [{ title, lines: shown }];
  });
}

/** The range of lines: those of the new file, or those of the old one when all of them were removed. */
function getRange(lines: readonly DiffLine[]): { from?: number; to?: number; isOld?: boolean } {
  const listNumbers = (side: 'new' | 'old') => lines.flatMap(line => line[side] ?? []);
  const [now, old] = [listNumbers('new'), listNumbers('old')];
  const [numbers, isOld] = now.length > 0 ? [now, false] : [old, true];
  if (numbers.length === 0) return {};
  return { from: Math.min(...numbers), to: Math.max(...numbers), ...(isOld && { isOld }) };
}

const signs = { same: ' ', added: '+', removed: '-' } as const;

function toQuote(lines: readonly DiffLine[]): string {
  return lines
    .slice(0, 200)
    .map(({ kind, text }) => signs[kind] + text)
    .join('\n');
}
