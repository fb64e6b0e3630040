import { memo, useMemo } from 'react';
import type { DiffLine } from '../../../src/projections/activity/file-diff.ts';
import { toRows } from './diff-rows.ts';
import { LineText } from './line-text.tsx';
import type { LinesProps } from './unified-lines.tsx';
import { useLineRange } from './use-line-range.ts';

/** The lines of a hunk side by side: before and after. */
export const SplitLines = memo(function SplitLines({ lines, onComment }: LinesProps) {
  const { isChosen, handlers } = useLineRange(lines, onComment);
  const rows = useMemo(() => {
    const indexOf = new Map(lines.map((line, index) => [line, index]));
    return toRows(lines).map(({ left, right }) => ({
      left: left && { line: left, index: indexOf.get(left) ?? 0 },
      right: right && { line: right, index: indexOf.get(right) ?? 0 },
    }));
  }, [lines]);
  return (
    <table className="diff-lines split" data-commentable={onComment !== undefined} {...handlers}>
      <tbody>
        {rows.map(({ left, right }, row) => (
          // Rows have no other identity, and a diff never changes.
          // oxlint-disable-next-line no-array-index-key
          <tr key={row} tabIndex={onComment && (row === 0 ? 0 : -1)}>
            <Side side={left} number={left?.line.old} isChosen={left !== undefined && isChosen(left.index)} />
            <Side side={right} number={right?.line.new} isChosen={right !== undefined && isChosen(right.index)} />
          </tr>
        ))}
      </tbody>
    </table>
  );
});

interface SideProps {
  readonly side: { readonly line: DiffLine; readonly index: number } | undefined;
  readonly number: number | undefined;
  readonly isChosen: boolean;
}

function Side({ side, number, isChosen }: SideProps) {
  if (side === undefined)
    return (
      <>
        <td className="diff-gutter" />
        <td className="diff-text" data-line="none" />
      </>
    );
  const { line, index } = side;
  return (
    <>
      <td className="diff-gutter" data-line={line.kind} data-gutter={index} data-number={number ?? ''} />
      <td className="diff-text" data-line={line.kind} data-chosen={isChosen || undefined}>
        <LineText line={line} />
      </td>
    </>
  );
}
